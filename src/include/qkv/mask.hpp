// Masks: which query may see which key.
//
// A mask is a statement about pairs (query i, key j), both counted from 0; true means "may attend".
// Masks are small immutable values: copy them freely, combine them, reuse them for any sizes they
// fit. What depends on sizes (a matrix of the wrong shape, a head count) is checked by the call that
// uses the mask. Arrays given to a mask are copied, matrices as one bit per pair.
//
// A call turns its mask into a plan of 64 x 64 tiles: empty tiles cost nothing, full tiles are not
// masked, so time follows the allowed pairs. A masked key is selected away: NaN or infinity behind a
// mask never reaches a result. A query that may see no key gives zeros.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "qkv/export.hpp"
#include "qkv/tensor.hpp"

namespace qkv {

class MaskNode;

class QKV_API Mask {
 public:
  // Every pair is allowed.
  Mask() noexcept = default;
  explicit Mask(std::shared_ptr<const MaskNode> node) noexcept : node_(std::move(node)) {}

  bool all() const noexcept { return node_ == nullptr; }
  const std::shared_ptr<const MaskNode>& node() const noexcept { return node_; }

 private:
  std::shared_ptr<const MaskNode> node_;
};

namespace mask {

// j <= i + offset. Offset 0 aligns the first query with the first key.
QKV_API Mask causal(Index offset = 0);
// Causal with the last query aligned with the last key: offset = keys - queries.
QKV_API Mask causal_end();

// i - left <= j <= i + right; the query's own position is always inside. An absent side is unbounded.
// ("Truncated" attention of speech recognition; sliding window elsewhere.)
QKV_API Mask window(std::optional<Index> left, std::optional<Index> right);

// (i - j) mod stride == 0, and j <= i when causal. Sparse Transformer, Child et al. 2019.
QKV_API Mask strided(Index stride, bool causal = false);

// |i - j| <= radius * dilation and divisible by dilation. Longformer, Beltagy et al. 2020.
QKV_API Mask dilated(Index radius, Index dilation);

// i and j lie in the same block of `size` positions.
QKV_API Mask block_local(Index size);

// The row or the column is one of the global tokens.
QKV_API Mask global(std::vector<Index> tokens);

// `count` different keys for each query, drawn by a counter-based generator; the same for all heads.
QKV_API Mask random(Index count, std::uint64_t seed);

// Block-sparse: the pairs (query block, key block) of `size` x `size` positions.
QKV_API Mask blocks(Index size, std::vector<std::pair<Index, Index>> pairs);
// The same by a matrix [query blocks, key blocks].
QKV_API Mask blocks(Index size, const BoolView& layout);

// Attention on a graph, compressed sparse rows: query i sees columns[row_offsets[i] ..
// row_offsets[i + 1]).
QKV_API Mask edges(std::vector<Index> row_offsets, std::vector<Index> columns);

// Valid lengths, one per batch entry (or one for all), of keys and of queries; an empty list limits
// nothing.
QKV_API Mask lengths(std::vector<Index> key, std::vector<Index> query = {});

// The same segment id; ids are [L] or [batch, L], of which `batch` tells how many rows there are.
QKV_API Mask segments(std::vector<Index> query, std::vector<Index> key, Index batch = 1);

// An explicit matrix, broadcast from the right to [..., heads, queries, keys]: true may attend.
QKV_API Mask keep(const BoolView& matrix);
// The opposite polarity: true may not attend.
QKV_API Mask ignore(const BoolView& matrix);

// Sparse Transformer, Child et al. 2019, causal. Strided: the last `stride` keys (the own one among
// them), and every stride-th before the query's own. Fixed: the keys of the query's own block of
// `stride` positions up to itself, and the last `summary` of each block before it, 1 to stride.
QKV_API Mask sparse_transformer_strided(Index stride);
QKV_API Mask sparse_transformer_fixed(Index stride, Index summary = 1);

// |i - j| <= window, plus the global tokens, which see and are seen by all. Longformer, Beltagy et
// al. 2020, whose `attention_window` is twice this window.
QKV_API Mask longformer(Index window, std::vector<Index> global);

// BigBird, Zaheer et al. 2020, in blocks of block_size positions of which the last may be shorter:
// ceil(length / block_size) blocks of queries and of keys. A row of blocks sees its own and the two
// beside it (at the ends there is one; the window does not wrap around), the global blocks, and
// random_blocks more that are none of these, drawn without replacement for each head and row.
// Global are the first ceil(g / 2) and the last floor(g / 2) of g = global_blocks: they are seen by
// all and see all. Errors of the call that uses it: argument (numbers below their least; a row that
// has fewer than random_blocks left).
struct BigBirdOptions {
  Index block_size = 64;    // 1 or more
  Index random_blocks = 3;  // 0 or more
  std::uint64_t seed = 0;
  Index global_blocks = 2;  // 0 or more
  // Given instead of the random ones: pairs (query block, key block), the same for all heads.
  std::optional<std::vector<std::pair<Index, Index>>> pairs;
};
QKV_API Mask big_bird(BigBirdOptions options);

QKV_API Mask all_of(std::vector<Mask> masks);  // mask.and
QKV_API Mask any_of(std::vector<Mask> masks);  // mask.or
QKV_API Mask negate(Mask mask);                // mask.not
// One mask for each head.
QKV_API Mask per_head(std::vector<Mask> masks);

}  // namespace mask

// Sizes that a mask is read for.
struct MaskSizes {
  Index query_length = 0;
  Index key_length = 0;
  Index heads = 1;
  Index batch = 1;
};

struct MaskStats {
  Index pairs = 0;        // allowed pairs, over all heads and batch entries
  double density = 0;     // pairs / all pairs; 0 when there are none
  Index blocks = 0;       // 64 x 64 tiles that hold an allowed pair
  Index full_blocks = 0;  // of these, tiles in which every pair is allowed
};

// Writes 1 for an allowed pair and 0 elsewhere, read back from the plan that the kernel follows.
// result: [batch, heads, query_length, key_length], any strides. Errors: shape, argument, memory.
QKV_API Status try_mask_matrix(const Mask& mask, const MaskSizes& sizes,
                               const TensorView& result) noexcept;

// Counts pairs and tiles of the plan. Errors: shape, argument, memory.
QKV_API Status try_mask_stats(const Mask& mask, const MaskSizes& sizes, MaskStats& result) noexcept;

#if defined(__cpp_exceptions)
inline Tensor mask_matrix(const Mask& mask, const MaskSizes& sizes) {
  Tensor result(Shape{sizes.batch, sizes.heads, sizes.query_length, sizes.key_length});
  raise(try_mask_matrix(mask, sizes, result));
  return result;
}
inline MaskStats mask_stats(const Mask& mask, const MaskSizes& sizes) {
  MaskStats result;
  raise(try_mask_stats(mask, sizes, result));
  return result;
}
#endif

}  // namespace qkv
