#include "mechanisms/mlp.hpp"

#include <algorithm>
#include <cmath>

#include "backend.hpp"
#include "check.hpp"
#include "layout.hpp"
#include "mechanisms/call.hpp"
#include "mechanisms/four_floats.hpp"
#include "strided.hpp"
#include "sums.hpp"
#include "threads/pool.hpp"

namespace qkv::mlp {
namespace {

constexpr Index rows_at_once = 64;    // of a norm
constexpr Index block_of_numbers = 1024;  // in the first-level cache with what is made of them
constexpr Index key_tile = 128;       // tokens of a sum that are taken before the next panel's

// The share of a normal distribution below -size is exp(-size^2 / 2) times a smooth function, here
// a polynomial in t = 1 / (1 + 0.35 size) with a relative error of 4e-8 (fitted by weighted least
// squares over sizes up to 14; beyond them the exponential is 0).
Four tail_factor(const Four& size) noexcept {
  const Four t = 1.0f / (1.0f + 0.35f * size);
  Four p = -0.02914595790207386f * t + 0.14397192001342773f;
  p = p * t - 0.25571486353874207f;
  p = p * t + 0.1591750532388687f;
  p = p * t - 0.023110562935471535f;
  p = p * t + 0.10550835728645325f;
  p = p * t + 0.11983276903629303f;
  p = p * t + 0.13986188173294067f;
  p = p * t + 0.13962140679359436f;
  return p * t;
}

// Both take a multiple of four numbers, up to a block.
void gelu_exact(const Kernels& kernels, float* x, Index n) noexcept {
  float power[block_of_numbers], factor[block_of_numbers];
  for (Index i = 0; i < n; i += 4) {
    const Four at = load_four(x + i), size = at < 0.0f ? -at : at;
    store_four(power + i, -0.5f * (size * size));
    store_four(factor + i, tail_factor(size));
  }
  kernels.row_weights(power, n, 0, 1);  // their exponentials
  for (Index i = 0; i < n; i += 4) {
    const Four at = load_four(x + i), tail = load_four(power + i) * load_four(factor + i);
    const Four share = at < 0.0f ? tail : 1.0f - tail;
    store_four(x + i, at * share);
  }
}

// (1 + tanh(u)) / 2 is 1 / (1 + exp(-2 u)).
void gelu_tanh(const Kernels& kernels, float* x, Index n) noexcept {
  constexpr float twice_sqrt_2_over_pi = 1.59576912160573f;
  float share[block_of_numbers];
  for (Index i = 0; i < n; i += 4) {
    const Four at = load_four(x + i);
    store_four(share + i, twice_sqrt_2_over_pi * (at + 0.044715f * (at * at * at)));
  }
  kernels.sigmoid(share, n);
  for (Index i = 0; i < n; i += 4) store_four(x + i, load_four(x + i) * load_four(share + i));
}

void gelu(Gelu kind, const Kernels& kernels, float* x, Index n) noexcept {
  const auto apply = kind == Gelu::exact ? gelu_exact : gelu_tanh;
  const Index whole = n / 4 * 4;
  apply(kernels, x, whole);
  if (whole == n) return;
  float rest[4] = {};
  std::copy(x + whole, x + n, rest);
  apply(kernels, rest, 4);
  std::copy_n(rest, n - whole, x + whole);
}

void silu(const Kernels& kernels, float* x, Index n) noexcept {
  float share[block_of_numbers];
  std::copy_n(x, n, share);
  kernels.sigmoid(share, n);
  for (Index i = 0; i < n; ++i) x[i] *= share[i];
}

// body(kernels, x, n) on blocks of numbers, whose cost is that of 16 multiply-adds each.
template <class Body>
Status on_blocks(float* x, Index n, const Body& body) noexcept {
  const Kernels* kernels = nullptr;
  QKV_TRY(active_kernels(kernels));
  const int workers = workers_for(16.0 * static_cast<double>(n));
  parallel_for(ceil_div(n, block_of_numbers), workers, [&](Index item, int) {
    const Index first = item * block_of_numbers;
    body(*kernels, x + first, std::min(block_of_numbers, n - first));
  });
  return {};
}

}  // namespace

void LayerNorm::row(const float* from, float* to, Index width) const noexcept {
  const double mean =
      sum_of(width, [&](Index d) -> double { return from[d]; }) / static_cast<double>(width);
  const double squares =
      sum_of(width, [&](Index d) { return (from[d] - mean) * (from[d] - mean); });
  const double scale = 1 / std::sqrt(squares / static_cast<double>(width) + epsilon_);
  for (Index d = 0; d < width; ++d) to[d] = static_cast<float>((from[d] - mean) * scale);
  if (weight_) {
    const Index step = weight_.strides[0];
    for (Index d = 0; d < width; ++d) to[d] *= weight_.data[d * step];
  }
  if (bias_) {
    const Index step = bias_.strides[0];
    for (Index d = 0; d < width; ++d) to[d] += bias_.data[d * step];
  }
}

void LayerNorm::apply(const Rows& from, const Rows& to, Index count, Index width) const noexcept {
  const int workers = workers_for(4.0 * static_cast<double>(count) * static_cast<double>(width));
  parallel_for(ceil_div(count, rows_at_once), workers, [&](Index item, int) {
    const Index last = std::min((item + 1) * rows_at_once, count);
    for (Index r = item * rows_at_once; r < last; ++r) {
      row(from.data + r * from.step, to.data + r * to.step, width);
    }
  });
}

Status apply_gelu(Gelu kind, float* x, Index n) noexcept {
  return on_blocks(x, n, [kind](const Kernels& kernels, float* some, Index count) {
    gelu(kind, kernels, some, count);
  });
}

Status apply_silu(float* x, Index n) noexcept { return on_blocks(x, n, silu); }

namespace {

// A band of up to 64 outputs of one entry: values are read once for all of its panels, as the
// weights of attention meet them.
class SumBand {
 public:
  SumBand(const TokenSums& sums, const Kernels& kernels, float* memory) noexcept
      : sums_(sums), kernels_(kernels), lanes_(kernels.lanes), memory_(memory) {}

  static Index floats(const TokenSums& sums, const Kernels& kernels) noexcept {
    const Index lanes = kernels.lanes;
    return panel_block * sums.width + key_tile * lanes + lanes * sums.width;
  }

  void run(Index entry, Index first) noexcept {
    value_ = sums_.value.data + entry * sums_.value_entry;
    const Index count = std::min(panel_block, sums_.outputs - first);
    const Index panels = ceil_div(count, lanes_);
    // A panel of a causal sum sees whole tiles of what is before it, and the rest output by output.
    const auto shared = [&](Index panel) {
      return sums_.causal ? std::min(first + panel * lanes_, sums_.tokens) : sums_.tokens;
    };
    for (Index token = 0; token < shared(panels - 1); token += key_tile) {
      for (Index panel = 0; panel < panels; ++panel) {
        const Index tokens = std::min(key_tile, shared(panel) - token);
        if (tokens > 0) add(panel, first + panel * lanes_, token, tokens, count);
      }
    }
    for (Index panel = 0; panel < panels; ++panel) {
      finish(entry, first + panel * lanes_, std::min(lanes_, count - panel * lanes_),
             shared(panel), panel);
    }
  }

 private:
  float* panel_sums(Index panel) noexcept { return memory_ + panel * lanes_ * sums_.width; }
  float* weights() noexcept { return memory_ + panel_block * sums_.width; }
  float* rows() noexcept { return weights() + key_tile * lanes_; }

  void add(Index panel, Index output, Index token, Index tokens, Index count) noexcept {
    const ConstTensorView& weight = sums_.weight;
    pack_panel(kernels_, weights(),
               weight.data + output * weight.strides[0] + token * weight.strides[1],
               weight.strides[0], weight.strides[1], std::min(lanes_, count - panel * lanes_),
               tokens);
    float ones[panel_block];
    std::fill_n(ones, lanes_, 1.0f);
    kernels_.aggregate(panel_sums(panel), weights(), value_ + token * sums_.value.step,
                       sums_.value.step, tokens, sums_.width, token == 0 ? nullptr : ones);
  }

  void finish(Index entry, Index output, Index count, Index shared, Index panel) noexcept {
    const Index width = sums_.width;
    if (shared > 0) {
      kernels_.unpack(rows(), width, panel_sums(panel), nullptr, count, width);
    } else {
      std::fill_n(rows(), count * width, 0.0f);
    }
    for (Index i = 0; i < count; ++i) {
      float* row = rows() + i * width;
      if (sums_.causal) add_last(output + i, shared, row);
      float* to = sums_.result.data + entry * sums_.result_entry +
                  (output + i) * sums_.result.step;
      const float bias =
          sums_.bias ? sums_.bias.data[(output + i) * sums_.bias.strides[0]] : 0.0f;
      for (Index d = 0; d < width; ++d) {
        const float sum = row[d] + bias;
        to[d] = sums_.multiplies ? to[d] * sum : sum;
      }
    }
  }

  // Tokens from `first` to the output's own, which are fewer than a panel's lanes.
  void add_last(Index output, Index first, float* row) noexcept {
    const ConstTensorView& weight = sums_.weight;
    float weights[panel_block];
    std::int32_t index[panel_block];
    const Index count = std::min(output + 1, sums_.tokens) - first;
    for (Index j = 0; j < count; ++j) {
      weights[j] = weight.data[output * weight.strides[0] + (first + j) * weight.strides[1]];
      index[j] = static_cast<std::int32_t>(j);
    }
    kernels_.row_aggregate(row, weights, value_ + first * sums_.value.step, sums_.value.step, index,
                           count, sums_.width, 1);
  }

  const TokenSums& sums_;
  const Kernels& kernels_;
  const Index lanes_;
  float* const memory_;
  const float* value_ = nullptr;
};

}  // namespace

Status TokenSums::run() const noexcept {
  const Kernels* kernels = nullptr;
  QKV_TRY(active_kernels(kernels));
  const Index bands = ceil_div(outputs, panel_block);
  const int workers = workers_for(static_cast<double>(entries * outputs) *
                                  static_cast<double>(tokens) * static_cast<double>(width));
  const Index floats = SumBand::floats(*this, *kernels);
  Buffer<float> scratch;
  QKV_TRY(scratch.reserve(workers * floats));
  parallel_for(entries * bands, workers, [&](Index item, int worker) {
    SumBand(*this, *kernels, scratch.data() + worker * floats)
        .run(item / bands, item % bands * panel_block);
  });
  return {};
}

Status check_weight(const char* name, const ConstTensorView& weight, Index inputs,
                    const ConstTensorView& x) {
  if (weight.shape.rank() != 2 || weight.shape[1] != inputs) {
    return shape_error(name, ": expected [outputs, ", inputs, "] for x of shape ", x.shape,
                       ", saw ", weight.shape);
  }
  return check_view(name, weight, 2);
}

Status check_optional(const char* name, const ConstTensorView& vector, Index size) {
  if (!is_given(vector)) return {};
  return check_shape(name, vector, {size});
}

Status check_epsilon(float epsilon) {
  if (std::isfinite(epsilon) && epsilon >= 0) return {};
  return argument_error("epsilon: expected a number of 0 or more, saw ", epsilon);
}

ConstTensorView entry_of(const ConstTensorView& view, Index entry) noexcept {
  const int axes = view.shape.rank() - 2;
  return {view.data + offset_of(entry, view.shape, view.strides, axes),
          Shape(view.shape.begin() + axes, 2), Shape(view.strides.begin() + axes, 2)};
}

TensorView entry_of(const TensorView& view, Index entry) noexcept {
  const ConstTensorView there = entry_of(ConstTensorView(view), entry);
  return {const_cast<float*>(there.data), there.shape, there.strides};
}

void add(const ConstTensorView& a, const ConstTensorView& b, const TensorView& result) noexcept {
  for (Index i = 0; i < a.shape[0]; ++i) {
    const float* left = a.data + i * a.strides[0];
    const float* right = b.data + i * b.strides[0];
    float* to = result.data + i * result.strides[0];
    for (Index d = 0; d < a.shape[1]; ++d) {
      to[d * result.strides[1]] = left[d * a.strides[1]] + right[d * b.strides[1]];
    }
  }
}

}  // namespace qkv::mlp
