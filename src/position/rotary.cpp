#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "exact_math.hpp"
#include "memory.hpp"
#include "position/frequency.hpp"
#include "qkv/position.hpp"
#include "strided.hpp"
#include "text.hpp"
#include "threads/pool.hpp"

namespace qkv::position {

Status try_rotary(const ConstTensorView& x, const RotaryOptions& options,
                  const TensorView& result) noexcept {
  return guarded([&]() -> Status {
    QKV_TRY(check_view("x", x, 2));
    QKV_TRY(check_shape("result", result, x.shape));
    const Index length = x.shape.back(1), width = x.shape.back(0);
    const Index dims = options.dims.value_or(width);
    if (dims < 0 || dims > width || dims % 2 != 0) {
      return argument_error("dims: rotary turns pairs of the ", width,
                            " features, so it is an even number up to that; saw ", dims);
    }
    if (!(std::isfinite(options.base) && options.base > 0)) {
      return argument_error("base: expected a number above 0, saw ", options.base);
    }
    const auto given = static_cast<Index>(options.positions.size());
    if (given > 0 && given != length) {
      return shape_error("positions: ", given, " positions for ", length, " tokens in ", x.shape);
    }

    const Index pairs = dims / 2;
    Buffer<double> frequencies;
    QKV_TRY(frequencies.reserve(pairs));
    for (Index i = 0; i < pairs; ++i) frequencies[i] = frequency_of(i, dims, options.base);
    const int axes = x.shape.rank() - 2;
    Index entries = 1;
    for (int axis = 0; axis < axes; ++axis) entries *= x.shape[axis];
    const bool half = options.layout == RotaryLayout::half;
    const Index from_step = x.strides.back(0), to_step = result.strides.back(0);

    // A token's angles serve every entry of the leading axes.
    parallel_for(length, worker_limit(), [&](Index token, int) {
      const double position = given > 0 ? options.positions[static_cast<std::size_t>(token)]
                                        : static_cast<double>(options.offset + token);
      for (Index i = 0; i < std::max<Index>(pairs, 1); ++i) {
        const double angle = pairs > 0 ? position * frequencies[i] : 0;
        double sine = 0, cosine = 0;
        exact_sine_cosine(angle, sine, cosine);
        const Index a = half ? i : 2 * i;
        const Index b = half ? i + pairs : 2 * i + 1;
        for (Index entry = 0; entry < entries; ++entry) {
          const float* from = x.data + offset_of(entry, x.shape, x.strides, axes) +
                              token * x.strides.back(1);
          float* to = result.data + offset_of(entry, result.shape, result.strides, axes) +
                      token * result.strides.back(1);
          if (pairs > 0) {
            const double xa = from[a * from_step], xb = from[b * from_step];
            to[a * to_step] = static_cast<float>(xa * cosine - xb * sine);
            to[b * to_step] = static_cast<float>(xb * cosine + xa * sine);
          }
          if (i > 0) continue;  // features beyond `dims` pass as they are, once
          for (Index d = dims; d < width; ++d) to[d * to_step] = from[d * from_step];
        }
      }
    });
    return {};
  });
}

}  // namespace qkv::position
