// What MLP-Mixer and gMLP are made of besides linear layers. Rows of features lie side by side in
// memory of our own, except where a view is given.
#pragma once

#include "memory.hpp"
#include "qkv/mixers.hpp"

namespace qkv::mlp {

// Floats of working memory within which several batch entries are run at once.
inline constexpr Index budget = Index{8} << 20;

// Rows of features: row r of all begins at data + r * step.
struct Rows {
  float* data = nullptr;
  Index step = 0;

  TensorView view(Index count, Index width) const noexcept {
    return {data, {count, width}, {step, 1}};
  }
};

// (x - mean) / sqrt(variance + epsilon) * weight + bias over the features of each row; Ba, Kiros
// and Hinton 2016. A null weight is all ones, a null bias all zeros.
class LayerNorm {
 public:
  LayerNorm(const ConstTensorView& weight, const ConstTensorView& bias, float epsilon) noexcept
      : weight_(weight), bias_(bias), epsilon_(epsilon) {}

  // Rows of `width` features; in place or to other memory.
  void apply(const Rows& from, const Rows& to, Index count, Index width) const noexcept;

 private:
  void row(const float* from, float* to, Index width) const noexcept;

  const ConstTensorView &weight_, &bias_;
  const float epsilon_;
};

// x times the share of a normal distribution below x, Hendrycks and Gimpel 2016, for n numbers in a
// row; or their formula with tanh, which differs by up to 5e-4.
Status apply_gelu(Gelu kind, float* x, Index n) noexcept;
// x / (1 + exp(-x)).
Status apply_silu(float* x, Index n) noexcept;

// Sums over tokens, the same for each feature:
//   result[e][i] = bias[i] + sum over j of weight[i, j] value[e][j]    rows of `width` features
// causal: the sum ends at j = i, and what comes later is not even read. With `multiplies` the sum
// is multiplied into what the result holds. Entries are value_entry and result_entry floats apart.
struct TokenSums {
  ConstTensorView weight;  // [outputs, tokens] or more of both
  ConstTensorView bias;    // [outputs] or more, or null
  Index outputs = 0, tokens = 0, width = 0, entries = 0;
  Rows value, result;
  Index value_entry = 0, result_entry = 0;
  bool causal = false, multiplies = false;

  // Errors: memory, argument (QKV_BACKEND).
  Status run() const noexcept;
};

// Checks that both mechanisms make. `weight` is [outputs, inputs] of which one is known and asked
// for; null parameters of a norm or a bias are not checked. Errors: shape, argument.
Status check_weight(const char* name, const ConstTensorView& weight, Index inputs,
                    const ConstTensorView& x);
Status check_optional(const char* name, const ConstTensorView& vector, Index size);
Status check_epsilon(float epsilon);

// Entry `entry` of the leading axes, [L, D].
ConstTensorView entry_of(const ConstTensorView& view, Index entry) noexcept;
TensorView entry_of(const TensorView& view, Index entry) noexcept;
// result = a + b, all of one shape of rank 2.
void add(const ConstTensorView& a, const ConstTensorView& b, const TensorView& result) noexcept;

}  // namespace qkv::mlp
