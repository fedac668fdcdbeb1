// One attention call, checked: sizes, where each batch entry and head begins, what is asked for.
#pragma once

#include "mask/plan.hpp"
#include "qkv/attention.hpp"
#include "strided.hpp"

namespace qkv {

// A tensor whose last two axes are rows of features; the leading ones are read through `lead`.
template <class Element>
struct BasicRows {
  Element* data = nullptr;
  Index row_step = 0;
  Index step = 0;      // between features
  Strides lead;        // along each axis of Problem::leading; 0 where it broadcasts
  Index head_step = 0;  // of key and value: along their own head axis
};

using Rows = BasicRows<const float>;
using OutputRows = BasicRows<float>;

struct Problem {
  const AttentionOptions* options = nullptr;

  Shape leading;  // [batch axes..., heads]; at least the head axis
  Index batch = 1;
  Index heads = 1;
  Index kv_heads = 1;
  Index group = 1;   // query heads that share a key/value head
  Index folded = 1;  // query heads that are read as queries of one head; see resolve
  Index query_length = 0;
  Index key_length = 0;
  Index query_width = 0;
  Index key_width = 0;
  Index value_width = 0;
  Index score_width = 0;  // of what is multiplied: key width, or the hidden width of Additive

  Rows query, key, value;
  Rows bias;                           // data is null when absent, as for the further results
  OutputRows output, weights, scores;
  OutputRows log_sum_exp;              // row_step along queries; step unused

  MaskPlan plan;
  bool may_exclude = false;  // a mask, or a bias that may be -infinity
  float scale = 1;
  float keep_scale = 1;  // 1 / (1 - p) of the dropout

  // Offset of (batch, head) in a tensor that has all leading axes.
  template <class Element>
  Index offset(const BasicRows<Element>& rows, Index at_batch, Index at_head) const noexcept {
    return offset_of(at_batch * heads + at_head, leading, rows.lead, leading.rank());
  }
  // Offset of (batch, key/value head) in key or value.
  Index kv_offset(const Rows& rows, Index at_batch, Index kv_head) const noexcept;
  // Number of a query among all: the row of its random stream.
  std::uint64_t stream_row(Index batch, Index head, Index query) const noexcept {
    return static_cast<std::uint64_t>((batch * heads + head) * query_length + query);
  }

  template <class Kind>
  bool scores_by() const noexcept {
    return std::holds_alternative<Kind>(options->score);
  }
  template <class Kind>
  bool normalized_by() const noexcept {
    return std::holds_alternative<Kind>(options->normalizer);
  }
  // Softmax over so few keys that sums in double precision cost little: small examples are read
  // digit by digit.
  bool sums_exactly() const noexcept {
    return key_length <= 16 && normalized_by<normalizer::Softmax>();
  }
  Index key_tiles() const noexcept { return ceil_div(key_length, tile_size); }
  // One key wins: Hard and Sample.
  bool picks_one() const noexcept {
    return normalized_by<normalizer::Hard>() || normalized_by<normalizer::Sample>();
  }
};

// Shapes of a call, before its options are known. Errors: shape.
Status resolve_shapes(const ConstTensorView& query, const ConstTensorView& key,
                      const ConstTensorView& value, Problem& problem, Shape& result_shape);

// Checks everything and fills `problem`. One query of several heads that share keys and values, as
// in decoding, becomes as many queries of one head: they can then be run together. Errors: shape,
// argument, memory.
Status resolve(const ConstTensorView& query, const ConstTensorView& key,
               const ConstTensorView& value, const TensorView& result,
               const AttentionOptions& options, Problem& problem);

}  // namespace qkv
