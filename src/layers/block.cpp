#include "qkv/block.hpp"

#include <algorithm>

#include "check.hpp"
#include "mechanisms/mlp.hpp"
#include "qkv/linear.hpp"
#include "strided.hpp"
#include "text.hpp"

namespace qkv {
namespace {

Status check_heads(const ConstTensorView& x, Index num_heads) noexcept {
  const Index width = x.shape.back(0);
  if (num_heads >= 1 && width % num_heads == 0) return {};
  return argument_error("numHeads: must divide the ", width, " features of x, saw ", num_heads);
}

class Block {
 public:
  Block(const ConstTensorView& x, const TensorView& result,
        const SelfAttentionBlockOptions& options) noexcept
      : x_(x), result_(result), options_(options) {}

  Status check() noexcept {
    QKV_TRY(check_view("x", x_, 2));
    length_ = x_.shape.back(1);
    width_ = x_.shape.back(0);
    for (int axis = 0; axis + 2 < x_.shape.rank(); ++axis) entries_ *= x_.shape[axis];
    QKV_TRY(check_heads(x_, options_.num_heads));
    QKV_TRY(check_shape("inProjWeight", options_.in_proj_weight, {3 * width_, width_}));
    QKV_TRY(mlp::check_optional("inProjBias", options_.in_proj_bias, 3 * width_));
    QKV_TRY(check_shape("outProjWeight", options_.out_proj_weight, {width_, width_}));
    QKV_TRY(mlp::check_optional("outProjBias", options_.out_proj_bias, width_));
    QKV_TRY(mlp::check_weight("linear1Weight", options_.linear1_weight, width_, x_));
    hidden_width_ = options_.linear1_weight.shape[0];
    QKV_TRY(mlp::check_optional("linear1Bias", options_.linear1_bias, hidden_width_));
    QKV_TRY(check_shape("linear2Weight", options_.linear2_weight, {width_, hidden_width_}));
    QKV_TRY(mlp::check_optional("linear2Bias", options_.linear2_bias, width_));
    QKV_TRY(mlp::check_optional("norm1Weight", options_.norm1_weight, width_));
    QKV_TRY(mlp::check_optional("norm1Bias", options_.norm1_bias, width_));
    QKV_TRY(mlp::check_optional("norm2Weight", options_.norm2_weight, width_));
    QKV_TRY(mlp::check_optional("norm2Bias", options_.norm2_bias, width_));
    QKV_TRY(mlp::check_epsilon(options_.epsilon));
    if (options_.weights.data != nullptr) {
      Shape shape;
      QKV_TRY(block_weights_shape(x_, options_.num_heads, shape));
      QKV_TRY(check_shape("weights", options_.weights, shape));
    }
    return check_shape("result", result_, x_.shape);
  }

  Status run() noexcept {
    const Index rows = entries_ * length_;
    // Tokens without features still weigh one another, all alike.
    if (rows == 0 || (width_ == 0 && options_.weights.data == nullptr)) return {};
    QKV_TRY(state_.reserve(rows * width_));
    QKV_TRY(normed_.reserve(rows * width_));
    QKV_TRY(wide_.reserve(rows * std::max(3 * width_, hidden_width_)));
    QKV_TRY(change_.reserve(rows * width_));
    const TensorView state(state_.data(), x_.shape);
    copy_elements(x_, state);

    QKV_TRY(attend(input(options_.norm1_weight, options_.norm1_bias)));
    settle(options_.norm1_weight, options_.norm1_bias);
    QKV_TRY(transform(input(options_.norm2_weight, options_.norm2_bias)));
    settle(options_.norm2_weight, options_.norm2_bias);
    copy_elements(state, result_);
    return {};
  }

 private:
  Index rows() const noexcept { return entries_ * length_; }
  ConstTensorView matrix(const float* data, Index width) const noexcept {
    return {data, {rows(), width}};
  }
  TensorView matrix(float* data, Index width) const noexcept { return {data, {rows(), width}}; }

  void normalize(const ConstTensorView& weight, const ConstTensorView& bias, float* to) noexcept {
    mlp::LayerNorm(weight, bias, options_.epsilon)
        .apply({state_.data(), width_}, {to, width_}, rows(), width_);
  }

  // What a part of the block works on.
  const float* input(const ConstTensorView& weight, const ConstTensorView& bias) noexcept {
    if (!options_.norm_first) return state_.data();
    normalize(weight, bias, normed_.data());
    return normed_.data();
  }

  // Adds what the part gave, and normalises the sum if that comes last.
  void settle(const ConstTensorView& weight, const ConstTensorView& bias) noexcept {
    for (Index i = 0; i < rows() * width_; ++i) state_[i] += change_[i];
    if (!options_.norm_first) normalize(weight, bias, state_.data());
  }

  Status attend(const float* x) noexcept {
    QKV_TRY(try_linear(matrix(x, width_), options_.in_proj_weight, options_.in_proj_bias,
                       matrix(wide_.data(), 3 * width_)));
    const Index heads = options_.num_heads, features = width_ / heads;
    const Shape shape{entries_, heads, length_, features};
    const Strides strides{length_ * 3 * width_, features, 3 * width_, 1};
    const auto part = [&](Index at) {
      return ConstTensorView(wide_.data() + at * width_, shape, strides);
    };
    AttentionOptions attention;
    attention.mask = options_.mask;
    // The view may have any strides and axes; attention here has one axis for all entries.
    if (options_.weights.data != nullptr) {
      QKV_TRY(weights_.reserve(entries_ * heads * length_ * length_));
      attention.returns.weights = {weights_.data(), {entries_, heads, length_, length_}};
    }
    QKV_TRY(try_attention(part(0), part(1), part(2),
                          {normed_.data(), shape, {length_ * width_, features, width_, 1}},
                          attention));
    if (options_.weights.data != nullptr) {
      copy_elements({weights_.data(), options_.weights.shape}, options_.weights);
    }
    return try_linear(matrix(normed_.data(), width_), options_.out_proj_weight,
                      options_.out_proj_bias, matrix(change_.data(), width_));
  }

  Status transform(const float* x) noexcept {
    const Index count = rows() * hidden_width_;
    QKV_TRY(try_linear(matrix(x, width_), options_.linear1_weight, options_.linear1_bias,
                       matrix(wide_.data(), hidden_width_)));
    if (options_.activation == Activation::gelu) {
      QKV_TRY(mlp::apply_gelu(Gelu::exact, wide_.data(), count));
    } else if (options_.activation == Activation::silu) {
      QKV_TRY(mlp::apply_silu(wide_.data(), count));
    } else {
      // NaN compares false and stays.
      for (Index i = 0; i < count; ++i) wide_[i] = wide_[i] < 0 ? 0 : wide_[i];
    }
    return try_linear(matrix(wide_.data(), hidden_width_), options_.linear2_weight,
                      options_.linear2_bias, matrix(change_.data(), width_));
  }

  const ConstTensorView& x_;
  const TensorView& result_;
  const SelfAttentionBlockOptions& options_;
  Index entries_ = 1, length_ = 0, width_ = 0, hidden_width_ = 0;
  Buffer<float> state_, normed_, wide_, change_, weights_;
};

}  // namespace

Status block_weights_shape(const ConstTensorView& x, Index num_heads, Shape& shape) noexcept {
  QKV_TRY(check_view("x", x, 2));
  QKV_TRY(check_heads(x, num_heads));
  const int rank = x.shape.rank();
  if (rank == Shape::max_rank) {
    return shape_error("x: has too many axes for weights with an axis of heads, saw ", x.shape);
  }
  const Index length = x.shape.back(1);
  Index sizes[Shape::max_rank];
  std::copy_n(x.shape.begin(), rank - 2, sizes);
  sizes[rank - 2] = num_heads;
  sizes[rank - 1] = sizes[rank] = length;
  shape = Shape(sizes, static_cast<std::size_t>(rank) + 1);
  return {};
}

Status try_self_attention_block(const ConstTensorView& x, const TensorView& result,
                                const SelfAttentionBlockOptions& options) noexcept {
  return guarded([&]() -> Status {
    Block block(x, result, options);
    QKV_TRY(block.check());
    return block.run();
  });
}

}  // namespace qkv
