// The arguments of linear attention, checked.
#pragma once

#include <cmath>

#include "check.hpp"
#include "mechanisms/call.hpp"
#include "qkv/linear_attention.hpp"

namespace qkv {

struct LinearCall {
  const ConstTensorView &query, &key, &value;
  const TensorView& result;
  const LinearAttentionOptions& options;
  Heads heads;       // of queries
  Heads sums_heads;  // of keys and values: each has its sums
  Buffer<Index> valid;  // keys, for all or for each batch entry

  Index queries() const noexcept { return query.shape.back(1); }
  Index keys() const noexcept { return key.shape.back(1); }
  Index valid_keys(Index sums_head) const noexcept {
    if (valid.size() == 0) return keys();
    return valid[valid.size() == 1 ? 0 : sums_head / sums_heads.leading().back(0)];
  }

  Status check();
  Status check_lengths();
  Status add_sums_heads();
  Status state_shape(Shape& shape);
};

// Heads that have sums of their own: those of keys and values, for each batch entry where their
// lengths differ.
inline Status LinearCall::add_sums_heads() {
  QKV_TRY(sums_heads.add("key", key, 2));
  QKV_TRY(sums_heads.add("value", value, 2));
  const ConstTensorView& lengths = options.key_lengths;
  if (!is_given(lengths) || lengths.shape.elements() == 1 || heads.leading().rank() == 0) return {};
  Shape batch = heads.leading();
  batch[batch.rank() - 1] = 1;
  const float some = 0;
  return sums_heads.add("keyLengths", {&some, batch}, 0);
}

inline Status LinearCall::check_lengths() {
  const ConstTensorView& lengths = options.key_lengths;
  if (!is_given(lengths)) return {};
  const Shape& leading = heads.leading();
  const Index batch =
      leading.rank() == 0
          ? 1
          : Shape(leading.begin(), static_cast<std::size_t>(leading.rank()) - 1).elements();
  const Index count = lengths.shape.elements();
  QKV_TRY(check_view("keyLengths", lengths, 0));
  if (lengths.shape.rank() != 1 || (count != batch && count != 1)) {
    return shape_error("keyLengths: expected one for each of ", batch, " batch entries, saw shape ",
                       lengths.shape);
  }
  QKV_TRY(valid.reserve(count));
  for (Index b = 0; b < count; ++b) {
    const float length = lengths.data[b * lengths.strides[0]];
    if (!(length >= 0 && length <= static_cast<float>(keys()) && std::floor(length) == length)) {
      return argument_error("keyLengths: expected whole numbers from 0 to ", keys(), ", saw ",
                            length);
    }
    valid[b] = static_cast<Index>(length);
  }
  return {};
}

inline Status LinearCall::state_shape(Shape& shape) {
  Index features = 0;
  QKV_TRY(feature_count(options.feature_map, key.shape.back(0), features));
  const bool favor = std::holds_alternative<feature::Favor>(options.feature_map);
  shape = sums_heads.with(features + favor, value.shape.back(0) + 1);
  return {};
}

inline Status LinearCall::check() {
  QKV_TRY(check_call(query, key, value, result, heads));
  QKV_TRY(check_lengths());
  QKV_TRY(add_sums_heads());
  const bool softmax = std::holds_alternative<feature::Softmax>(options.feature_map);
  if (options.causal && softmax) {
    return argument_error("causal: the feature map softmax sees the whole sequence");
  }
  if (options.causal && queries() != keys()) {
    return shape_error("causal: expected as many queries as keys, saw ", queries(), " and ",
                       keys());
  }
  Shape shape;
  QKV_TRY(state_shape(shape));
  if (is_given(options.state)) {
    if (!options.causal) return argument_error("state: only causal calls take one");
    QKV_TRY(check_shape("state", options.state, shape));
  }
  if (is_given(options.next_state)) {
    if (!options.causal) return argument_error("nextState: only causal calls leave one");
    QKV_TRY(check_shape("nextState", options.next_state, shape));
  }
  return {};
}

}  // namespace qkv
