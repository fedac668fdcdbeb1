// The tables of a Synthesizer: which are given, and whether they fit.
#pragma once

#include <algorithm>

#include "check.hpp"
#include "mechanisms/call.hpp"
#include "qkv/mixers.hpp"

namespace qkv {

// What a call of the Synthesizer is given, checked once the shape of its result is there.
struct SynthesizerCall {
  const SynthesizerOptions& options;
  const ConstTensorView& x;
  Shape result;
  Index length = 0, heads = 1;
  bool dense = false, random = false, factorized = false;
  Index dense_heads = 0, factorized_heads = 0;  // 0: no head axis

  SynthesizerCall(const SynthesizerOptions& options, const ConstTensorView& x)
      : options(options), x(x) {}

  // A table with `own` axes and maybe one of heads, of which `seen` keeps the number.
  Status check_table(const char* name, const ConstTensorView& view, int own, Index& seen) const {
    QKV_TRY(check_view(name, view, own));
    if (view.shape.rank() > own + 1) {
      return shape_error(name, ": expected rank ", own, ", or ", own + 1, " with a head axis, saw ",
                         view.shape);
    }
    if (view.shape.rank() == own) return {};
    const Index its = view.shape[0];
    if (its != 1 && its != heads) {
      return shape_error(name, ": ", its, " heads in ", view.shape, ", but x and value have ",
                         heads);
    }
    seen = std::max(seen, its);
    return {};
  }

  Status check_dense() {
    QKV_TRY(check_table("dense.weight1", options.weight_1, 2, dense_heads));
    QKV_TRY(check_table("dense.weight2", options.weight_2, 2, dense_heads));
    const Index hidden = options.weight_1.shape.back(1), most = options.weight_2.shape.back(1);
    if (options.weight_1.shape.back(0) != x.shape.back(0)) {
      return shape_error("dense.weight1: expected [hidden, ", x.shape.back(0), "] for x of shape ",
                         x.shape, ", saw ", options.weight_1.shape);
    }
    if (options.weight_2.shape.back(0) != hidden || most < length) {
      return shape_error("dense.weight2: expected [", length, " or more, ", hidden,
                         "] for x of shape ", x.shape, " and dense.weight1 of shape ",
                         options.weight_1.shape, ", saw ", options.weight_2.shape);
    }
    if (is_given(options.bias_1)) {
      QKV_TRY(check_table("dense.bias1", options.bias_1, 1, dense_heads));
      QKV_TRY(check_size("dense.bias1", options.bias_1, hidden));
    }
    if (is_given(options.bias_2)) {
      QKV_TRY(check_table("dense.bias2", options.bias_2, 1, dense_heads));
      QKV_TRY(check_size("dense.bias2", options.bias_2, most));
    }
    return {};
  }

  static Status check_size(const char* name, const ConstTensorView& bias, Index size) {
    if (bias.shape.back(0) == size) return {};
    return shape_error(name, ": expected ", size, " numbers, saw ", bias.shape);
  }

  Status check_random() const {
    Index any = 0;
    QKV_TRY(check_table("random", options.random, 2, any));
    if (options.random.shape.back(0) >= length && options.random.shape.back(1) >= length) return {};
    return shape_error("random: expected ", length, " tokens or more on both sides for x of shape ",
                       x.shape, ", saw ", options.random.shape);
  }

  Status check_factorized() {
    const ConstTensorView &left = options.left, &right = options.right;
    QKV_TRY(check_table("factorized.left", left, 2, factorized_heads));
    QKV_TRY(check_table("factorized.right", right, 2, factorized_heads));
    if (left.shape.back(0) != right.shape.back(1)) {
      return shape_error("factorized: left and right differ in rank: ", left.shape.back(0), " in ",
                         left.shape, " and ", right.shape.back(1), " in ", right.shape);
    }
    if (left.shape.back(1) >= length && right.shape.back(0) >= length) return {};
    return shape_error("factorized: expected ", length, " tokens or more for x of shape ", x.shape,
                       ", saw left ", left.shape, " and right ", right.shape);
  }

  Status check() {
    length = x.shape.back(1);
    heads = result.rank() > 2 ? result.back(2) : 1;
    dense = is_given(options.weight_1) || is_given(options.weight_2);
    random = is_given(options.random);
    factorized = is_given(options.left) || is_given(options.right);
    if (!dense && !random && !factorized) {
      return argument_error("the synthesizer takes dense, random or factorized scores, saw none");
    }
    if (dense) QKV_TRY(check_dense());
    if (random) QKV_TRY(check_random());
    if (factorized) QKV_TRY(check_factorized());
    return {};
  }
};

}  // namespace qkv
