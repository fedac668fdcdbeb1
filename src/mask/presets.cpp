// Masks that papers are named after, put together from the others.
#include <algorithm>

#include "mask/node.hpp"
#include "memory.hpp"
#include "random/philox.hpp"
#include "text.hpp"

namespace qkv {
namespace {

// Numbers that no sizes fit: the call that uses the mask reports them, as with every other mask.
class Refused final : public MaskNode {
 public:
  explicit Refused(std::string sentence) : sentence_(std::move(sentence)) {}

  Status bind(const MaskDims&, RulePointer&) const override {
    return argument_error(sentence_);
  }

 private:
  std::string sentence_;
};

// The last `count` keys of every `period`: the same for all queries.
class Columns final : public SelfRule {
 public:
  Columns(Index period, Index count) : period_(period), count_(count) {}

  Status check(const MaskDims&) const override { return {}; }

  TileStates tiles(const MaskDims&, const Band&, Index word) const override {
    TileStates states;
    for (Index t = 0; t < tiles_in_word; ++t) {
      const std::uint64_t keys = keys_of(word * tiles_in_word + t);
      if (keys != 0) states.any |= std::uint64_t{1} << t;
      if (keys == ~std::uint64_t{0}) states.all |= std::uint64_t{1} << t;
    }
    return states;
  }

  void bits(const MaskDims&, const Band& band, Index tile, std::uint64_t* rows) const override {
    std::fill(rows, rows + band.rows, keys_of(tile));
  }

 private:
  std::uint64_t keys_of(Index tile) const {
    const Index base = tile * tile_size;
    std::uint64_t keys = 0;
    Index end = (base / period_ + 1) * period_;
    for (; end - count_ < base + tile_size; end += period_) {
      keys |= bit_range(end - count_ - base, end - base);
    }
    return keys;
  }

  Index period_, count_;
};

using Pairs = std::vector<std::pair<Index, Index>>;

// The key blocks of one row of BigBird's blocks, as runs: those before `first` and from `last` on
// are global, those of [near, far) lie beside the row's own between them.
struct BlockRow {
  Index first, last, near, far;

  Index others() const { return last - first - (far - near); }
  Index other(Index n) const { return first + n < near ? first + n : first + n + (far - near); }
};

class BigBird final : public MaskNode {
 public:
  explicit BigBird(mask::BigBirdOptions options) : options_(std::move(options)) {
    // A block longer than any length is as good as any other, and safe to add to.
    options_.block_size = std::min(options_.block_size, INT64_MAX / 4);
  }

  Status bind(const MaskDims& dims, RulePointer& rule) const override {
    if (options_.block_size < 1 || options_.random_blocks < 0 || options_.global_blocks < 0) {
      return argument_error("mask.bigBird: blockSize is 1 or more, randomBlocks and globalBlocks "
                            "are 0 or more; saw ", options_.block_size, ", ",
                            options_.random_blocks, " and ", options_.global_blocks);
    }
    const Index rows = ceil_div(dims.query_length, options_.block_size);
    const Index columns = ceil_div(dims.key_length, options_.block_size);
    const bool drawn = !options_.pairs && options_.random_blocks > 0;
    if (drawn) QKV_TRY(check_random(rows, columns));
    QKV_TRY(check_memory(dims.heads(), rows, columns, drawn));

    std::vector<Mask> parts = {mask::blocks(options_.block_size, fixed_pairs(rows, columns))};
    if (options_.pairs) parts.push_back(mask::blocks(options_.block_size, *options_.pairs));
    if (drawn) {
      std::vector<Mask> heads;
      for (Index head = 0; head < dims.heads(); ++head) {
        heads.push_back(mask::blocks(options_.block_size, random_pairs(head, rows, columns)));
      }
      parts.push_back(mask::per_head(std::move(heads)));
    }
    return mask::any_of(std::move(parts)).node()->bind(dims, rule);
  }

 private:
  // Global blocks at the beginning and at the end.
  Index leading() const { return options_.global_blocks - trailing(); }
  Index trailing() const { return options_.global_blocks / 2; }
  bool is_global(Index row, Index rows) const {
    return row < leading() || row >= rows - trailing();
  }

  BlockRow row_of(Index row, Index columns) const {
    BlockRow runs;
    runs.first = std::min(leading(), columns);
    runs.last = std::max(columns - trailing(), runs.first);
    runs.near = std::clamp(row - 1, runs.first, runs.last);
    runs.far = std::clamp(row + 2, runs.near, runs.last);
    return runs;
  }

  Status check_random(Index rows, Index columns) const {
    for (Index row = 0; row < rows; ++row) {
      const Index others = row_of(row, columns).others();
      if (is_global(row, rows) || options_.random_blocks <= others) continue;
      return argument_error("mask.bigBird: randomBlocks is ", options_.random_blocks,
                            ", but of ", columns, " key blocks only ", others,
                            " are neither global nor beside query block ", row);
    }
    return {};
  }

  // A vector cannot report refused memory everywhere; ask first.
  Status check_memory(Index heads, Index rows, Index columns, bool drawn) const {
    const Index ends = std::min(options_.global_blocks, std::max(rows, columns));
    // Each pair as it is made, as the mask keeps it and as the rule does.
    const Index fixed = Shape{5, rows, 3 + ends}.elements();
    const Index across = Shape{5, columns, ends}.elements();
    const Index each = std::min(options_.random_blocks, columns);
    const Index random = drawn ? Shape{5, heads, rows, each}.elements() : 0;
    const bool fits = fixed >= 0 && across >= 0 && random >= 0;
    return Buffer<Index>().reserve(fits ? fixed + across + random : INT64_MAX);
  }

  Pairs fixed_pairs(Index rows, Index columns) const {
    Pairs pairs;
    const auto add = [&](Index row, Index from, Index to) {
      for (Index column = from; column < to; ++column) pairs.emplace_back(row, column);
    };
    for (Index row = 0; row < rows; ++row) {
      if (is_global(row, rows)) {
        add(row, 0, columns);
        continue;
      }
      const BlockRow runs = row_of(row, columns);
      add(row, 0, runs.first);
      add(row, runs.near, runs.far);
      add(row, runs.last, columns);
    }
    return pairs;
  }

  // Floyd's sampling, of the numbers of the blocks that are left: each step widens the range by one
  // and takes what it draws, or, if that is taken, the new number.
  Pairs random_pairs(Index head, Index rows, Index columns) const {
    Pairs pairs;
    std::vector<bool> taken(static_cast<std::size_t>(columns), false);
    for (Index row = 0; row < rows; ++row) {
      if (is_global(row, rows)) continue;
      const BlockRow runs = row_of(row, columns);
      const std::size_t begin = pairs.size();
      for (Index step = 0; step < options_.random_blocks; ++step) {
        const Index widest = runs.others() - options_.random_blocks + step;
        const random::Counter drawn = random::draw(options_.seed, random::Stream::mask,
                                                   static_cast<std::uint64_t>(head * rows + row),
                                                   static_cast<std::uint64_t>(step));
        const std::uint64_t wide = std::uint64_t{drawn[0]} << 32 | drawn[1];
        auto number = static_cast<Index>(wide % static_cast<std::uint64_t>(widest + 1));
        if (taken[static_cast<std::size_t>(number)]) number = widest;
        taken[static_cast<std::size_t>(number)] = true;
        pairs.emplace_back(row, number);
      }
      for (std::size_t pair = begin; pair < pairs.size(); ++pair) {
        taken[static_cast<std::size_t>(pairs[pair].second)] = false;
        pairs[pair].second = runs.other(pairs[pair].second);
      }
    }
    return pairs;
  }

  mask::BigBirdOptions options_;
};

}  // namespace

namespace mask {

Mask sparse_transformer_strided(Index stride) {
  if (stride < 1) {
    return make_mask<Refused>(
        text("mask.sparseTransformer: stride is 1 or more; saw ", stride));
  }
  return any_of({window(stride - 1, 0), strided(stride, true)});
}

Mask sparse_transformer_fixed(Index stride, Index summary) {
  if (stride < 1 || summary < 1 || summary > stride) {
    return make_mask<Refused>(
        text("mask.sparseTransformer: stride is 1 or more and summary 1 to stride; saw ", stride,
             " and ", summary));
  }
  // A block longer than any length is as good as any other, and safe to add to.
  const Index length = std::min(stride, INT64_MAX / 4);
  const Mask columns = make_mask<Columns>(length, std::min(summary, length));
  return all_of({causal(), any_of({block_local(length), columns})});
}

Mask longformer(Index reach, std::vector<Index> tokens) {
  if (reach < 0) {
    return make_mask<Refused>(text("mask.longformer: window is 0 or more; saw ", reach));
  }
  return any_of({window(reach, reach), global(std::move(tokens))});
}

Mask big_bird(BigBirdOptions options) { return make_mask<BigBird>(std::move(options)); }

}  // namespace mask
}  // namespace qkv
