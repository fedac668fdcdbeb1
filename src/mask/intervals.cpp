// Masks whose every row is one run of neighbouring keys: causal, window, block-local, lengths.
#include <algorithm>

#include "mask/node.hpp"
#include "text.hpp"

namespace qkv {
namespace {

constexpr Index unbounded = INT64_MAX / 4;  // far beyond any length, safe to add to

struct Interval {
  Index first = 0;
  Index last = 0;  // one past
};

class IntervalMask : public SelfRule {
 public:
  virtual Interval row(const MaskDims& dims, Index batch, Index query) const = 0;

  TileStates tiles(const MaskDims& dims, const Band& band, Index word) const final {
    Interval some{unbounded, -unbounded};
    Interval each{0, dims.key_length};
    for (Index i = 0; i < band.rows; ++i) {
      const Interval keys = clamp(dims, row(dims, band.batch, band.first + i));
      if (keys.first < keys.last) {
        some.first = std::min(some.first, keys.first);
        some.last = std::max(some.last, keys.last);
      }
      each.first = std::max(each.first, keys.first);
      each.last = std::min(each.last, keys.last);
    }
    const Index base = word * tiles_in_word;
    // The last tile may be short: it is full when the interval reaches the last key.
    const Index full_last = each.last >= dims.key_length ? ceil_div(each.last, tile_size)
                                                         : floor_div(each.last, tile_size);
    TileStates states;
    if (some.first < some.last) {
      states.any = bit_range(some.first / tile_size - base, ceil_div(some.last, tile_size) - base);
    }
    if (each.first < each.last) {
      states.all = bit_range(ceil_div(each.first, tile_size) - base, full_last - base);
    }
    return states;
  }

  void bits(const MaskDims& dims, const Band& band, Index tile, std::uint64_t* rows) const final {
    const Index base = tile * tile_size;
    for (Index i = 0; i < band.rows; ++i) {
      const Interval keys = clamp(dims, row(dims, band.batch, band.first + i));
      rows[i] = bit_range(keys.first - base, keys.last - base);
    }
  }

 private:
  static Interval clamp(const MaskDims& dims, Interval keys) {
    keys.first = std::max<Index>(keys.first, 0);
    keys.last = std::min(keys.last, dims.key_length);
    return keys;
  }
};

class Window final : public IntervalMask {
 public:
  Window(Index left, Index right) : left_(left), right_(right) {}

  Status check(const MaskDims&) const override {
    if (left_ < 0 || right_ < 0) {
      return argument_error("mask.window: left and right count keys, so they are 0 or more; saw ",
                            left_ < 0 ? left_ : right_);
    }
    return {};
  }
  Interval row(const MaskDims&, Index, Index query) const override {
    return {query - std::min(left_, unbounded), query + std::min(right_, unbounded) + 1};
  }

 private:
  Index left_, right_;
};

class Causal final : public IntervalMask {
 public:
  Causal(Index offset, bool at_end) : offset_(offset), at_end_(at_end) {}

  Status check(const MaskDims&) const override { return {}; }
  Interval row(const MaskDims& dims, Index, Index query) const override {
    const Index offset = at_end_ ? dims.key_length - dims.query_length
                                 : std::clamp(offset_, -unbounded, unbounded);
    return {0, query + offset + 1};
  }

 private:
  Index offset_;
  bool at_end_;
};

class BlockLocal final : public IntervalMask {
 public:
  explicit BlockLocal(Index size) : size_(size) {}

  Status check(const MaskDims&) const override {
    if (size_ < 1) return argument_error("mask.blockLocal: size is 1 or more; saw ", size_);
    return {};
  }
  Interval row(const MaskDims&, Index, Index query) const override {
    const Index first = query / size_ * size_;
    return {first, first > unbounded - size_ ? unbounded : first + size_};
  }

 private:
  Index size_;
};

class Lengths final : public IntervalMask {
 public:
  Lengths(std::vector<Index> key, std::vector<Index> query)
      : key_(std::move(key)), query_(std::move(query)) {}

  Status check(const MaskDims& dims) const override {
    if (key_.empty() && query_.empty() && dims.batch() != 0) {
      return argument_error("mask.lengths: expected key or query lengths, saw neither");
    }
    if (!key_.empty()) QKV_TRY(check_lengths("key", key_, dims.key_length, dims.batch()));
    if (!query_.empty()) QKV_TRY(check_lengths("query", query_, dims.query_length, dims.batch()));
    return {};
  }
  Interval row(const MaskDims& dims, Index batch, Index query) const override {
    if (!query_.empty() && query >= at(query_, batch)) return {};
    return {0, key_.empty() ? dims.key_length : at(key_, batch)};
  }

 private:
  static Index at(const std::vector<Index>& lengths, Index batch) {
    return lengths[lengths.size() == 1 ? 0 : static_cast<std::size_t>(batch)];
  }
  static Status check_lengths(const char* name, const std::vector<Index>& lengths, Index longest,
                      Index batch) {
    const auto count = static_cast<Index>(lengths.size());
    if (count != batch && count != 1) {
      return shape_error("mask.lengths: ", name, " has ", count, " entries for a batch of ", batch);
    }
    for (const Index length : lengths) {
      if (length < 0 || length > longest) {
        return argument_error("mask.lengths: ", name, " length ", length, " is not within 0..",
                              longest);
      }
    }
    return {};
  }

  std::vector<Index> key_, query_;
};

}  // namespace

namespace mask {

Mask causal(Index offset) { return make_mask<Causal>(offset, false); }
Mask causal_end() { return make_mask<Causal>(0, true); }
Mask window(std::optional<Index> left, std::optional<Index> right) {
  return make_mask<Window>(left.value_or(unbounded), right.value_or(unbounded));
}
Mask block_local(Index size) { return make_mask<BlockLocal>(size); }
Mask lengths(std::vector<Index> key, std::vector<Index> query) {
  return make_mask<Lengths>(std::move(key), std::move(query));
}

}  // namespace mask
}  // namespace qkv
