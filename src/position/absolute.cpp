#include <cmath>

#include "check.hpp"
#include "exact_math.hpp"
#include "position/frequency.hpp"
#include "qkv/position.hpp"
#include "random/fill.hpp"
#include "strided.hpp"
#include "text.hpp"

namespace qkv::position {
namespace {

Status check_base(double base) {
  if (std::isfinite(base) && base > 0) return {};
  return argument_error("base: expected a number above 0, saw ", base);
}

}  // namespace

Status try_sinusoidal(const SinusoidalOptions& options, const TensorView& result) noexcept {
  return guarded([&]() -> Status {
    QKV_TRY(check_base(options.base));
    QKV_TRY(check_shape("result", result, {options.length, options.dim}));
    const Index dim = options.dim;
    const Index sines = (dim + 1) / 2;
    const bool interleaved = options.layout == SinusoidLayout::interleaved;
    for (Index j = 0; j < sines; ++j) {
      const double frequency = frequency_of(j, dim, options.base);
      const Index sine_column = interleaved ? 2 * j : j;
      const Index cosine_column = interleaved ? 2 * j + 1 : sines + j;
      for (Index i = 0; i < options.length; ++i) {
        const double angle = static_cast<double>(options.offset + i) * frequency;
        float* row = result.data + i * result.strides[0];
        double sine = 0, cosine = 0;
        exact_sine_cosine(angle, sine, cosine);
        row[sine_column * result.strides[1]] = static_cast<float>(sine);
        if (j < dim / 2) row[cosine_column * result.strides[1]] = static_cast<float>(cosine);
      }
    }
    return {};
  });
}

Status try_learned(std::uint64_t seed, const TensorView& result) noexcept {
  return guarded([&]() -> Status {
    QKV_TRY(check_view("result", result, 2));
    const Index dim = result.shape.back(0);
    for_each_row(result.shape, result.strides, [&](Index row, Index offset) {
      for (Index d = 0; d < dim; ++d) {
        result.data[offset + d * result.strides.back(0)] = random::normal(seed, row * dim + d, 0.02);
      }
    });
    return {};
  });
}

Status try_rotation(double delta, Index dim, double base, const TensorView& result) noexcept {
  return guarded([&]() -> Status {
    QKV_TRY(check_base(base));
    if (!std::isfinite(delta)) {
      return argument_error("delta: expected a finite number, saw ", delta);
    }
    if (dim % 2 != 0) {
      return argument_error("dim: a rotation turns pairs of features, so dim is even; saw ", dim);
    }
    QKV_TRY(check_shape("result", result, {dim, dim}));
    const auto at = [&](Index row, Index column) -> float& {
      return result.data[row * result.strides[0] + column * result.strides[1]];
    };
    for (Index row = 0; row < dim; ++row) {
      for (Index column = 0; column < dim; ++column) at(row, column) = 0;
    }
    for (Index j = 0; j < dim; j += 2) {
      const double angle = delta * frequency_of(j / 2, dim, base);
      double sine = 0, cosine = 0;
      exact_sine_cosine(angle, sine, cosine);
      at(j, j) = at(j + 1, j + 1) = static_cast<float>(cosine);
      at(j, j + 1) = static_cast<float>(sine);
      at(j + 1, j) = static_cast<float>(-sine);
    }
    return {};
  });
}

Status try_binary(const TensorView& result) noexcept {
  return guarded([&]() -> Status {
    QKV_TRY(check_view("result", result, 2));
    if (result.shape.rank() != 2) return shape_error("result: expected rank 2, saw ", result.shape);
    for (Index i = 0; i < result.shape[0]; ++i) {
      for (Index k = 0; k < result.shape[1]; ++k) {
        const bool set = k < 63 && (i >> k & 1) != 0;
        result.data[i * result.strides[0] + k * result.strides[1]] = set ? 1.0f : 0.0f;
      }
    }
    return {};
  });
}

}  // namespace qkv::position
