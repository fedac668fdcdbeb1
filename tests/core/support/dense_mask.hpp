// Every kind of mask beside its definition as a plain statement about one pair.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "qkv/mask.hpp"
#include "support/numbers.hpp"

namespace qkv::test {

// Whether query i of (batch, head) may see key j.
using Statement = std::function<bool(Index batch, Index head, Index i, Index j)>;

struct MaskCase {
  std::string name;
  Mask mask;
  Statement allowed;
};

// [batch, heads, queries, keys], pair by pair.
inline std::vector<std::uint8_t> dense(const Statement& allowed, const MaskSizes& sizes) {
  std::vector<std::uint8_t> matrix;
  matrix.reserve(static_cast<std::size_t>(sizes.batch * sizes.heads * sizes.query_length *
                                          sizes.key_length));
  for (Index b = 0; b < sizes.batch; ++b) {
    for (Index h = 0; h < sizes.heads; ++h) {
      for (Index i = 0; i < sizes.query_length; ++i) {
        for (Index j = 0; j < sizes.key_length; ++j) matrix.push_back(allowed(b, h, i, j) ? 1 : 0);
      }
    }
  }
  return matrix;
}

inline MaskCase causal_case(Index offset) {
  return {"causal " + std::to_string(offset), mask::causal(offset),
          [=](Index, Index, Index i, Index j) { return j <= i + offset; }};
}

inline MaskCase causal_end_case(const MaskSizes& sizes) {
  return {"causal end", mask::causal_end(), [=](Index, Index, Index i, Index j) {
            return j <= i + sizes.key_length - sizes.query_length;
          }};
}

inline MaskCase window_case(std::optional<Index> left, std::optional<Index> right) {
  return {"window " + (left ? std::to_string(*left) : "-") + " " +
              (right ? std::to_string(*right) : "-"),
          mask::window(left, right), [=](Index, Index, Index i, Index j) {
            return (!left || i - *left <= j) && (!right || j <= i + *right);
          }};
}

inline MaskCase strided_case(Index stride, bool causal) {
  return {"strided " + std::to_string(stride) + (causal ? " causal" : ""),
          mask::strided(stride, causal), [=](Index, Index, Index i, Index j) {
            return (i - j) % stride == 0 && (!causal || j <= i);
          }};
}

inline MaskCase dilated_case(Index radius, Index dilation) {
  return {"dilated " + std::to_string(radius) + " " + std::to_string(dilation),
          mask::dilated(radius, dilation), [=](Index, Index, Index i, Index j) {
            return std::abs(i - j) <= radius * dilation && (i - j) % dilation == 0;
          }};
}

inline MaskCase block_local_case(Index size) {
  return {"blockLocal " + std::to_string(size), mask::block_local(size),
          [=](Index, Index, Index i, Index j) { return i / size == j / size; }};
}

inline MaskCase global_case(std::vector<Index> tokens) {
  return {"global of " + std::to_string(tokens.size()), mask::global(tokens),
          [=](Index, Index, Index i, Index j) {
            return std::find(tokens.begin(), tokens.end(), i) != tokens.end() ||
                   std::find(tokens.begin(), tokens.end(), j) != tokens.end();
          }};
}

// About `density` of all blocks, some of them named twice.
inline MaskCase blocks_case(Index size, double density, const MaskSizes& sizes, Numbers& numbers,
                            bool as_layout) {
  const Index rows = (sizes.query_length + size - 1) / size;
  const Index columns = (sizes.key_length + size - 1) / size;
  std::vector<std::uint8_t> layout(static_cast<std::size_t>(rows * columns));
  std::vector<std::pair<Index, Index>> pairs;
  for (auto& cell : layout) cell = numbers.chance(density) ? 1 : 0;
  for (Index r = rows - 1; r >= 0; --r) {  // not in order
    for (Index c = 0; c < columns; ++c) {
      if (layout[static_cast<std::size_t>(r * columns + c)] == 0) continue;
      pairs.emplace_back(r, c);
      if (numbers.chance(0.2)) pairs.emplace_back(r, c);
    }
  }
  const BoolView view(layout.data(), {rows, columns});
  return {"blocks " + std::to_string(size) + (as_layout ? " by layout" : " by pairs"),
          as_layout ? mask::blocks(size, view) : mask::blocks(size, pairs),
          [=](Index, Index, Index i, Index j) {
            return layout[static_cast<std::size_t>(i / size * columns + j / size)] != 0;
          }};
}

// A graph: rows of very different degrees, unordered and with edges given twice.
inline MaskCase edges_case(const MaskSizes& sizes, Numbers& numbers) {
  auto matrix = std::make_shared<std::vector<bool>>(
      static_cast<std::size_t>(sizes.query_length * sizes.key_length));
  std::vector<Index> offsets{0}, columns;
  for (Index i = 0; i < sizes.query_length; ++i) {
    const Index degree = i % 3 == 0 ? 0 : i % 7 == 1 ? 2 * sizes.key_length : numbers.below(6);
    for (Index edge = 0; edge < degree && sizes.key_length > 0; ++edge) {
      columns.push_back(numbers.below(sizes.key_length));
      (*matrix)[static_cast<std::size_t>(i * sizes.key_length + columns.back())] = true;
    }
    offsets.push_back(static_cast<Index>(columns.size()));
  }
  return {"edges", mask::edges(offsets, columns), [=](Index, Index, Index i, Index j) {
            return (*matrix)[static_cast<std::size_t>(i * sizes.key_length + j)];
          }};
}

inline MaskCase lengths_case(const MaskSizes& sizes, Numbers& numbers, bool with_queries) {
  std::vector<Index> key, query;
  for (Index b = 0; b < sizes.batch; ++b) {
    key.push_back(numbers.below(sizes.key_length + 1));
    query.push_back(numbers.below(sizes.query_length + 1));
  }
  return {with_queries ? "lengths of keys and queries" : "lengths of keys",
          mask::lengths(key, with_queries ? query : std::vector<Index>()),
          [=](Index b, Index, Index i, Index j) {
            return j < key[static_cast<std::size_t>(b)] &&
                   (!with_queries || i < query[static_cast<std::size_t>(b)]);
          }};
}

// Ids in rising runs, or in no order at all.
inline MaskCase segments_case(const MaskSizes& sizes, Numbers& numbers, bool packed, bool by_batch) {
  const Index rows = by_batch ? sizes.batch : 1;
  const auto ids = [&](Index length) {
    std::vector<Index> ids;
    for (Index row = 0; row < rows; ++row) {
      Index id = -1;
      for (Index i = 0; i < length; ++i) {
        id = packed ? id + (numbers.chance(0.02) ? 1 : 0) : numbers.below(3) - 1;
        ids.push_back(id);
      }
    }
    return ids;
  };
  const std::vector<Index> query = ids(sizes.query_length), key = ids(sizes.key_length);
  return {std::string("segments ") + (packed ? "packed" : "mixed") + (by_batch ? " by batch" : ""),
          mask::segments(query, key, rows), [=](Index b, Index, Index i, Index j) {
            const Index row = by_batch ? b : 0;
            return query[static_cast<std::size_t>(row * sizes.query_length + i)] ==
                   key[static_cast<std::size_t>(row * sizes.key_length + j)];
          }};
}

// A matrix of any broadcastable shape, with tiles that are wholly open and wholly closed.
inline MaskCase matrix_case(const Shape& shape, bool keep, double density, Numbers& numbers) {
  auto cells = std::make_shared<std::vector<std::uint8_t>>();
  const Index width = shape.back(0), length = shape.rank() > 1 ? shape.back(1) : 1;
  for (Index n = 0; n < shape.elements(); ++n) {
    const Index i = n / width % length, j = n % width;
    const Index tile = i / 64 * 3 + j / 64;
    const bool open = tile % 5 == 1 ? true : tile % 5 == 2 ? false : numbers.chance(density);
    cells->push_back(open ? static_cast<std::uint8_t>(1 + n % 255) : 0);  // any byte but 0 is true
  }
  const BoolView view(cells->data(), shape);
  return {(keep ? "keep " : "ignore ") + shape.to_string(),
          keep ? mask::keep(view) : mask::ignore(view),
          [=](Index b, Index h, Index i, Index j) {
            const Index at[] = {b, h, i, j};
            Index element = 0;
            for (int axis = 0; axis < shape.rank(); ++axis) {
              const Index place = at[4 - shape.rank() + axis];
              element = element * shape[axis] + (shape[axis] == 1 ? 0 : place);
            }
            return ((*cells)[static_cast<std::size_t>(element)] != 0) == keep;
          }};
}

// One or more of every kind whose pairs a definition fixes.
inline std::vector<MaskCase> every_mask(const MaskSizes& sizes, std::uint64_t seed) {
  Numbers numbers(seed);
  const Index q = sizes.query_length, k = sizes.key_length, longest = std::max(q, k);
  std::vector<MaskCase> cases = {
      {"none", Mask(), [](Index, Index, Index, Index) { return true; }},
      causal_case(0),
      causal_case(3),
      causal_case(-70),
      causal_case(-longest - 5),
      causal_case(longest + 5),
      causal_end_case(sizes),
      window_case(0, 0),
      window_case(2, 1),
      window_case(64, 63),
      window_case(std::nullopt, 5),
      window_case(5, std::nullopt),
      window_case(std::nullopt, std::nullopt),
      window_case(1000, 1000),
      strided_case(1, false),
      strided_case(1, true),
      strided_case(3, false),
      strided_case(7, true),
      strided_case(64, false),
      strided_case(200, true),
      dilated_case(0, 1),
      dilated_case(3, 1),
      dilated_case(2, 33),
      dilated_case(1, 100),
      dilated_case(70, 1),
      block_local_case(1),
      block_local_case(5),
      block_local_case(64),
      block_local_case(100),
      global_case({}),
      blocks_case(3, 0.1, sizes, numbers, false),
      blocks_case(16, 0.3, sizes, numbers, false),
      blocks_case(16, 0.3, sizes, numbers, true),
      blocks_case(64, 0.5, sizes, numbers, true),
      blocks_case(100, 0.5, sizes, numbers, false),
      edges_case(sizes, numbers),
      lengths_case(sizes, numbers, false),
      lengths_case(sizes, numbers, true),
      segments_case(sizes, numbers, true, false),
      segments_case(sizes, numbers, true, true),
      segments_case(sizes, numbers, false, true),
      matrix_case({q, k}, true, 0.5, numbers),
      matrix_case({q, k}, false, 0.1, numbers),
      matrix_case({sizes.batch, sizes.heads, q, k}, true, 0.5, numbers),
      matrix_case({sizes.heads, q, k}, true, 0.5, numbers),
      matrix_case({sizes.batch, 1, q, k}, false, 0.5, numbers),
      matrix_case({k}, true, 0.5, numbers),
      matrix_case({q, 1}, true, 0.5, numbers),
      matrix_case({1, k}, false, 0.5, numbers),
      matrix_case({1, 1}, true, 1, numbers),
  };
  if (longest > 0) {
    cases.push_back(global_case({0}));
    cases.push_back(global_case({longest - 1, longest / 2, 0, longest / 2}));
  }
  return cases;
}

}  // namespace qkv::test
