#include <cmath>

#include "check.hpp"
#include "exact_math.hpp"
#include "qkv/position.hpp"
#include "text.hpp"

namespace qkv::position {
namespace {

double power_of_two(double x) noexcept { return exact_exp(x * 0.693147180559945309417); }

double slope(Index heads, Index head) noexcept {
  Index power = 1;
  while (power * 2 <= heads) power *= 2;
  if (head < power) return power_of_two(-8.0 * static_cast<double>(head + 1) / static_cast<double>(power));
  // Every other slope of the series for twice as many heads, from the first on.
  const Index odd = 2 * (head - power) + 1;
  return power_of_two(-4.0 * static_cast<double>(odd) / static_cast<double>(power));
}

// Number of T5's bucket for the distance from query to key.
Index bucket_of(Index distance, const RelativeBiasOptions& options) noexcept {
  Index buckets = options.buckets;
  Index first = 0;
  if (options.bidirectional) {
    buckets /= 2;
    if (distance > 0) first = buckets;
    if (distance < 0) distance = -distance;
  } else {
    distance = distance < 0 ? -distance : 0;
  }
  // Half of the buckets hold one distance each, the others logarithmically more.
  const Index exact = buckets / 2;
  if (distance < exact) return first + distance;
  // In float, as the published models computed it: at an exact power the last bit decides.
  const float ratio = static_cast<float>(exact_log(static_cast<double>(distance) / static_cast<double>(exact))) /
                      static_cast<float>(exact_log(static_cast<double>(options.max_distance) /
                                                  static_cast<double>(exact)));
  const Index bucket = exact + static_cast<Index>(ratio * static_cast<float>(buckets - exact));
  return first + (bucket < buckets - 1 ? bucket : buckets - 1);
}

}  // namespace

Status try_alibi_slopes(Index heads, double* slopes) noexcept {
  return guarded([&]() -> Status {
    if (heads < 1) return argument_error("heads: expected 1 or more, saw ", heads);
    for (Index head = 0; head < heads; ++head) slopes[head] = slope(heads, head);
    return {};
  });
}

Status try_alibi(const TensorView& result) noexcept {
  return guarded([&]() -> Status {
    QKV_TRY(check_view("result", result, 3));
    if (result.shape.rank() != 3) return shape_error("result: expected rank 3, saw ", result.shape);
    const Index heads = result.shape[0];
    for (Index h = 0; h < heads; ++h) {
      const double down = -slope(heads, h);
      for (Index i = 0; i < result.shape[1]; ++i) {
        float* row = result.data + h * result.strides[0] + i * result.strides[1];
        for (Index j = 0; j < result.shape[2]; ++j) {
          row[j * result.strides[2]] = static_cast<float>(down * static_cast<double>(std::abs(i - j)));
        }
      }
    }
    return {};
  });
}

Status try_relative_bias(const ConstTensorView& table, const RelativeBiasOptions& options,
                         const TensorView& result) noexcept {
  return guarded([&]() -> Status {
    const Index least = options.bidirectional ? 4 : 2;
    if (options.buckets < least || (options.bidirectional && options.buckets % 2 != 0)) {
      return argument_error("buckets: expected ", options.bidirectional ? "an even number of " : "",
                            least, " or more, saw ", options.buckets);
    }
    const Index exact = options.buckets / least;
    if (options.max_distance <= exact) {
      return argument_error("maxDistance: expected more than the ", exact,
                            " distances with a bucket of their own, saw ", options.max_distance);
    }
    QKV_TRY(check_view("table", table, 2));
    if (table.shape.rank() != 2 || table.shape[0] != options.buckets) {
      return shape_error("table: expected [buckets, heads] with ", options.buckets,
                         " buckets, saw ", table.shape);
    }
    const Index heads = table.shape[1];
    QKV_TRY(check_view("result", result, 3));
    QKV_TRY(check_shape("result", result, {heads, result.shape.back(1), result.shape.back(0)}));
    for (Index i = 0; i < result.shape[1]; ++i) {
      for (Index j = 0; j < result.shape[2]; ++j) {
        const float* biases = table.data + bucket_of(j - i, options) * table.strides[0];
        for (Index h = 0; h < heads; ++h) {
          result.data[h * result.strides[0] + i * result.strides[1] + j * result.strides[2]] =
              biases[h * table.strides[1]];
        }
      }
    }
    return {};
  });
}

}  // namespace qkv::position
