// Masks given pair by pair: edges of a graph, blocks, random keys, global tokens.
#include <algorithm>

#include "check.hpp"
#include "mask/node.hpp"
#include "memory.hpp"
#include "random/philox.hpp"
#include "text.hpp"

namespace qkv {
namespace {

// By a heap: a quarter of the code of std::sort, for lists that are mostly short.
void sort(std::vector<Index>::iterator first, std::vector<Index>::iterator last) {
  std::make_heap(first, last);
  std::sort_heap(first, last);
}

// Compressed sparse rows over cells of size x size pairs; size 1 is a graph.
class SparseRows final : public MaskRule {
 public:
  SparseRows(Index size, std::vector<Index> offsets, std::vector<Index> columns)
      : size_(size), offsets_(std::move(offsets)), columns_(std::move(columns)) {
    for (std::size_t row = 0; row + 1 < offsets_.size(); ++row) {
      sort(columns_.begin() + offsets_[row], columns_.begin() + offsets_[row + 1]);
    }
  }

  TileStates tiles(const MaskDims& dims, const Band& band, Index word) const override {
    const Index first_key = word * tiles_in_word * tile_size;
    const Index last_key = std::min(first_key + tiles_in_word * tile_size, dims.key_length);
    TileStates states{0, ~std::uint64_t{0}};
    const Index last_row = (band.first + band.rows - 1) / size_;
    for (Index row = band.first / size_; row <= last_row; ++row) {
      Index covered[tiles_in_word] = {};
      Index previous = -1;
      for_cells(row, first_key, last_key, [&](Index cell) {
        if (cell == previous) return;  // a pair given twice counts once
        previous = cell;
        const Index from = std::max(cell * size_, first_key) - first_key;
        const Index to = std::min((cell + 1) * size_, last_key) - first_key;
        for (Index t = from / tile_size; t * tile_size < to; ++t) {
          covered[t] += std::min(to, (t + 1) * tile_size) - std::max(from, t * tile_size);
        }
      });
      std::uint64_t full = 0;
      for (Index t = 0; t < tiles_in_word; ++t) {
        const Index width = std::min(tile_size, last_key - first_key - t * tile_size);
        if (covered[t] > 0) states.any |= std::uint64_t{1} << t;
        if (width > 0 && covered[t] == width) full |= std::uint64_t{1} << t;
      }
      states.all &= full;
    }
    return states;
  }

  void bits(const MaskDims& dims, const Band& band, Index tile, std::uint64_t* rows) const override {
    const Index first_key = tile * tile_size;
    const Index last_key = std::min(first_key + tile_size, dims.key_length);
    for (Index i = 0; i < band.rows; ++i) {
      const Index row = (band.first + i) / size_;
      if (i > 0 && row == (band.first + i - 1) / size_) {
        rows[i] = rows[i - 1];
        continue;
      }
      rows[i] = 0;
      for_cells(row, first_key, last_key, [&](Index cell) {
        rows[i] |= bit_range(cell * size_ - first_key, (cell + 1) * size_ - first_key);
      });
    }
  }

  const Index* keys_of(Index query, Index& count) const override {
    if (size_ != 1) return nullptr;
    const auto row = static_cast<std::size_t>(query);
    count = offsets_[row + 1] - offsets_[row];
    return columns_.data() + offsets_[row];
  }

 private:
  // Calls body(cell) for the row's cells that touch keys [first_key, last_key).
  template <class Body>
  void for_cells(Index row, Index first_key, Index last_key, const Body& body) const {
    if (row + 1 >= static_cast<Index>(offsets_.size())) return;
    const auto end = columns_.begin() + offsets_[static_cast<std::size_t>(row) + 1];
    auto at = std::lower_bound(columns_.begin() + offsets_[static_cast<std::size_t>(row)], end,
                               first_key / size_);
    for (; at != end && *at * size_ < last_key; ++at) body(*at);
  }

  Index size_;
  std::vector<Index> offsets_, columns_;
};

class Edges final : public MaskNode {
 public:
  Edges(std::vector<Index> offsets, std::vector<Index> columns)
      : offsets_(std::move(offsets)), columns_(std::move(columns)) {}

  Status bind(const MaskDims& dims, RulePointer& rule) const override {
    const auto count = static_cast<Index>(offsets_.size());
    const auto edges = static_cast<Index>(columns_.size());
    if (count != dims.query_length + 1) {
      return shape_error("mask.edges: rowOffsets has ", count, " entries, ", dims.query_length,
                         " queries need ", dims.query_length + 1);
    }
    for (std::size_t row = 0; row < offsets_.size(); ++row) {
      const Index least = row == 0 ? 0 : offsets_[row - 1];
      const Index most = row == 0 ? 0 : edges;
      const Index needed = row + 1 == offsets_.size() ? edges : least;
      if (offsets_[row] < std::max(least, needed) || offsets_[row] > most) {
        return argument_error("mask.edges: rowOffsets rises from 0 to the ", edges,
                              " columns; saw ", offsets_[row], " at ", row);
      }
    }
    for (const Index column : columns_) {
      if (column < 0 || column >= dims.key_length) {
        return argument_error("mask.edges: column ", column, " is not one of ", dims.key_length,
                              " keys");
      }
    }
    rule = make_rule<SparseRows>(1, offsets_, columns_);
    return {};
  }

 private:
  std::vector<Index> offsets_, columns_;
};

class Random final : public MaskNode {
 public:
  Random(Index count, std::uint64_t seed) : count_(count), seed_(seed) {}

  Status bind(const MaskDims& dims, RulePointer& rule) const override {
    if (count_ < 0 || count_ > dims.key_length) {
      return argument_error("mask.random: count is 0 to the number of keys, ", dims.key_length,
                            "; saw ", count_);
    }
    // A vector cannot report refused memory everywhere; ask first.
    QKV_TRY(Buffer<Index>().reserve(dims.query_length * (count_ + 1)));
    std::vector<Index> offsets, columns;
    offsets.reserve(static_cast<std::size_t>(dims.query_length) + 1);
    columns.reserve(static_cast<std::size_t>(dims.query_length * count_));
    offsets.push_back(0);
    std::vector<bool> chosen(static_cast<std::size_t>(dims.key_length), false);
    for (Index row = 0; row < dims.query_length; ++row) {
      // Floyd's sampling: each step widens the range by one key and takes the key it draws, or, if
      // that one is taken, the new key.
      for (Index step = 0; step < count_; ++step) {
        const Index widest = dims.key_length - count_ + step;
        const random::Counter drawn = random::draw(seed_, random::Stream::mask,
                                                   static_cast<std::uint64_t>(row),
                                                   static_cast<std::uint64_t>(step));
        const std::uint64_t wide = std::uint64_t{drawn[0]} << 32 | drawn[1];
        const auto key = static_cast<Index>(wide % static_cast<std::uint64_t>(widest + 1));
        const Index taken = chosen[static_cast<std::size_t>(key)] ? widest : key;
        chosen[static_cast<std::size_t>(taken)] = true;
        columns.push_back(taken);
      }
      for (auto at = columns.begin() + offsets.back(); at != columns.end(); ++at) {
        chosen[static_cast<std::size_t>(*at)] = false;
      }
      offsets.push_back(static_cast<Index>(columns.size()));
    }
    rule = make_rule<SparseRows>(1, std::move(offsets), std::move(columns));
    return {};
  }

 private:
  Index count_;
  std::uint64_t seed_;
};

using Pairs = std::vector<std::pair<Index, Index>>;

class Blocks final : public MaskNode {
 public:
  // `layout` is the matrix that the pairs were read from, if they were; its data may be gone. A size
  // beyond any length is as good as any other, and safe to add to.
  Blocks(Index size, Pairs pairs, std::optional<BoolView> layout)
      : size_(std::min(size, INT64_MAX / 4)), pairs_(std::move(pairs)), layout_(layout) {}

  Status bind(const MaskDims& dims, RulePointer& rule) const override {
    if (size_ < 1) return argument_error("mask.blocks: size is 1 or more; saw ", size_);
    if (layout_) QKV_TRY(check_view("mask.blocks: layout", *layout_, 2));
    const Index rows = ceil_div(dims.query_length, size_);
    const Index columns = ceil_div(dims.key_length, size_);
    if (layout_ && !(layout_->shape == Shape{rows, columns})) {
      return shape_error("mask.blocks: layout has shape ", layout_->shape, "; ", dims.query_length,
                         " queries and ", dims.key_length, " keys in blocks of ", size_, " need ",
                         Shape{rows, columns});
    }
    // Counted, then placed: offsets[row + 1] first counts the row's pairs, then walks through them.
    std::vector<Index> offsets(static_cast<std::size_t>(rows) + 2, 0);
    for (const auto& [row, column] : pairs_) {
      if (row < 0 || row >= rows || column < 0 || column >= columns) {
        return argument_error("mask.blocks: pair [", row, ", ", column, "] is not within ", rows,
                              " x ", columns, " blocks");
      }
      ++offsets[static_cast<std::size_t>(row) + 2];
    }
    for (std::size_t row = 2; row < offsets.size(); ++row) offsets[row] += offsets[row - 1];
    std::vector<Index> cells(pairs_.size());
    for (const auto& [row, column] : pairs_) {
      cells[static_cast<std::size_t>(offsets[static_cast<std::size_t>(row) + 1]++)] = column;
    }
    offsets.pop_back();
    rule = make_rule<SparseRows>(size_, std::move(offsets), std::move(cells));
    return {};
  }

 private:
  Index size_;
  Pairs pairs_;
  std::optional<BoolView> layout_;
};

class Global final : public SelfRule {
 public:
  explicit Global(std::vector<Index> tokens) : tokens_(std::move(tokens)) {
    sort(tokens_.begin(), tokens_.end());
  }

  Status check(const MaskDims& dims) const override {
    const Index longest = std::max(dims.query_length, dims.key_length);
    for (const Index token : tokens_) {
      if (token < 0 || token >= longest) {
        return argument_error("mask.global: token ", token, " is not one of ", longest,
                              " positions");
      }
    }
    return {};
  }

  TileStates tiles(const MaskDims&, const Band& band, Index word) const override {
    TileStates states;
    Index rows = 0;
    for_tokens(band.first, band.first + band.rows, [&](Index) { ++rows; });
    if (rows > 0) states.any = ~std::uint64_t{0};
    if (rows == band.rows) states.all = ~std::uint64_t{0};
    const Index first = word * tiles_in_word * tile_size;
    for_tokens(first, first + tiles_in_word * tile_size, [&](Index token) {
      states.any |= std::uint64_t{1} << ((token - first) / tile_size);
    });
    return states;
  }

  void bits(const MaskDims&, const Band& band, Index tile, std::uint64_t* rows) const override {
    std::uint64_t columns = 0;
    const Index base = tile * tile_size;
    for_tokens(base, base + tile_size,
               [&](Index token) { columns |= std::uint64_t{1} << (token - base); });
    std::fill(rows, rows + band.rows, columns);
    for_tokens(band.first, band.first + band.rows,
               [&](Index token) { rows[token - band.first] = ~std::uint64_t{0}; });
  }

 private:
  // Calls body for each different token within [first, last).
  template <class Body>
  void for_tokens(Index first, Index last, const Body& body) const {
    Index previous = -1;
    for (auto at = std::lower_bound(tokens_.begin(), tokens_.end(), first);
         at != tokens_.end() && *at < last; ++at) {
      if (*at != previous) body(*at);
      previous = *at;
    }
  }

  std::vector<Index> tokens_;
};

}  // namespace

namespace mask {

Mask global(std::vector<Index> tokens) {
  return make_mask<Global>(std::move(tokens));
}

Mask random(Index count, std::uint64_t seed) {
  return make_mask<Random>(count, seed);
}

Mask blocks(Index size, std::vector<std::pair<Index, Index>> pairs) {
  return make_mask<Blocks>(size, std::move(pairs), std::nullopt);
}

Mask blocks(Index size, const BoolView& layout) {
  Pairs pairs;
  if (layout.shape.rank() == 2 && check_view("", layout, 2).ok()) {
    for (Index row = 0; row < layout.shape[0]; ++row) {
      for (Index column = 0; column < layout.shape[1]; ++column) {
        if (layout.data[row * layout.strides[0] + column * layout.strides[1]] != 0) {
          pairs.emplace_back(row, column);
        }
      }
    }
  }
  return make_mask<Blocks>(size, std::move(pairs), layout);
}

Mask edges(std::vector<Index> row_offsets, std::vector<Index> columns) {
  return make_mask<Edges>(std::move(row_offsets), std::move(columns));
}

}  // namespace mask
}  // namespace qkv
