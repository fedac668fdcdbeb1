// Places in a map: spatial transformer and glimpse.
#include <algorithm>
#include <cmath>
#include <limits>

#include "backend.hpp"
#include "mechanisms/catalogue.hpp"
#include "mechanisms/heads.hpp"
#include "qkv/picking.hpp"
#include "strided.hpp"
#include "text.hpp"
#include "threads/pool.hpp"

namespace qkv {
namespace {

// x [..., H, W, C] and what says where, [..., own axes of `wanted`]; gives the result's shape.
Status check_places(const ConstTensorView& x, const char* name, const ConstTensorView& where,
                    const Shape& wanted, Index height, Index width, Heads& heads, Shape& shape) {
  QKV_TRY(heads.add("x", x, 3));
  const int own = wanted.rank();
  QKV_TRY(heads.add(name, where, own));
  if (!(Shape(where.shape.end() - own, static_cast<std::size_t>(own)) == wanted)) {
    return shape_error(name, ": expected ", wanted, " as its last axes, saw shape ", where.shape);
  }
  const int axes = heads.leading().rank();
  if (axes + 3 > Shape::max_rank) {
    return shape_error(name, ": shape ", where.shape, " leaves no axis for x of shape ", x.shape);
  }
  shape = Shape(heads.leading().begin(), static_cast<std::size_t>(axes) + 3);
  shape[axes] = height;
  shape[axes + 1] = width;
  shape[axes + 2] = x.shape.back(0);
  if (shape.elements() < 0) return shape_error("a result of shape ", shape, " is not possible");
  return {};
}

// Checks the result by its own height and width.
Status check_map(const TensorView& result, const ConstTensorView& x, const char* name,
                 const ConstTensorView& where, const Shape& wanted, Heads& heads) {
  QKV_TRY(check_operand("result", result, 3));
  Shape expected;
  QKV_TRY(check_places(x, name, where, wanted, result.shape.back(2), result.shape.back(1), heads,
                       expected));
  return check_result(result, expected);
}

// --- spatial transformer -------------------------------------------------------------------------

// The cells that a place on one axis lies between, and how much each counts. None outside.
struct Taps {
  int count = 0;
  Index cell[2] = {};
  double weight[2] = {};

  void add(Index at, double by) noexcept {
    cell[count] = at;
    weight[count++] = by;
  }
};

// `place` is from -1 to 1, the centres of the outer cells.
Taps taps(double place, Index size) noexcept {
  double at = (place + 1) * static_cast<double>(size - 1) / 2;
  // A place that is a cell but for rounding reads that cell alone.
  const double whole = std::floor(at + 0.5);
  if (std::fabs(at - whole) <= 1e-12 * static_cast<double>(size)) at = whole;
  Taps found;
  if (!(at > -1 && at < static_cast<double>(size))) return found;
  const double low = std::floor(at), part = at - low;
  const auto cell = static_cast<Index>(low);
  if (cell >= 0) found.add(cell, 1 - part);
  if (part > 0 && cell + 1 < size) found.add(cell + 1, part);
  return found;
}

// Where cell `at` of `size` lies between -1 and 1.
double place_of(Index at, Index size) noexcept {
  if (size <= 1) return 0;
  return static_cast<double>(2 * at - (size - 1)) / static_cast<double>(size - 1);
}

class Transform {
 public:
  Transform(const Kernels& kernels, const Heads& heads, const ConstTensorView& x,
            const ConstTensorView& theta, const TensorView& result) noexcept
      : kernels_(kernels),
        heads_(heads),
        x_(x),
        theta_(theta),
        result_(result),
        height_(x.shape.back(2)),
        width_(x.shape.back(1)),
        channels_(x.shape.back(0)) {}

  Status run() noexcept {
    if (result_.shape.elements() == 0) return {};
    // Cells are read by their number.
    const bool in_order = (channels_ <= 1 || x_.strides.back(0) == 1) &&
                          (height_ <= 1 || x_.strides.back(2) == width_ * x_.strides.back(1));
    if (!in_order) {
      QKV_TRY(Tensor::copy(x_, copy_));
      x_ = copy_;
    }
    const Index rows = result_.shape.back(2), columns = result_.shape.back(1);
    const int workers =
        workers_for(static_cast<double>(heads_.count() * rows * columns) * (4 * channels_ + 32.0));
    QKV_TRY(scratch_.reserve(workers * channels_));
    parallel_for(heads_.count() * rows, workers, [&](Index item, int worker) {
      row(item / rows, item % rows, scratch_.data() + worker * channels_);
    });
    return {};
  }

 private:
  void row(Index head, Index r, float* sums) noexcept {
    const ConstTensorView x = heads_.at(x_, 3, head), theta = heads_.at(theta_, 2, head);
    const TensorView result = heads_.at(result_, 3, head);
    const auto factor = [&](Index i, Index j) {
      return static_cast<double>(theta.data[i * theta.strides[0] + j * theta.strides[1]]);
    };
    const double y = place_of(r, result.shape[0]);
    for (Index c = 0; c < result.shape[1]; ++c) {
      const double across = place_of(c, result.shape[1]);
      cell(x, factor(0, 0) * across + factor(0, 1) * y + factor(0, 2),
           factor(1, 0) * across + factor(1, 1) * y + factor(1, 2), sums);
      float* to = result.data + r * result.strides[0] + c * result.strides[1];
      for (Index channel = 0; channel < channels_; ++channel) {
        to[channel * result.strides[2]] = sums[channel];
      }
    }
  }

  // What lies at a place of x.
  void cell(const ConstTensorView& x, double across, double down, float* sums) noexcept {
    if (std::isnan(across) || std::isnan(down)) {
      std::fill_n(sums, channels_, std::numeric_limits<float>::quiet_NaN());
      return;
    }
    const Taps rows = taps(down, height_), columns = taps(across, width_);
    std::int32_t cells[4];
    float weights[4];
    Index count = 0;
    for (int i = 0; i < rows.count; ++i) {
      for (int j = 0; j < columns.count; ++j) {
        cells[count] = static_cast<std::int32_t>(rows.cell[i] * width_ + columns.cell[j]);
        weights[count++] = static_cast<float>(rows.weight[i] * columns.weight[j]);
      }
    }
    std::fill_n(sums, channels_, 0.0f);
    if (count == 0) return;
    kernels_.row_aggregate(sums, weights, x.data, x.strides[1], cells, count, channels_, 1);
  }

  const Kernels& kernels_;
  const Heads& heads_;
  ConstTensorView x_;
  const ConstTensorView& theta_;
  const TensorView& result_;
  const Index height_, width_, channels_;
  Tensor copy_;
  Buffer<float> scratch_;
};

// --- glimpse -------------------------------------------------------------------------------------

Status check_centers(const ConstTensorView& center) {
  Status status;
  for_each_row(center.shape, center.strides, [&](Index, Index offset) {
    for (Index axis = 0; axis < 2 && status.ok(); ++axis) {
      const double at = center.data[offset + axis * center.strides.back(0)];
      if (!(std::floor(at) == at && std::isfinite(at))) {
        status = argument_error("center: expected whole numbers, saw ", at);
      }
    }
  });
  return status;
}

// One map: rows and columns of the result from `top` and `left` of x on.
void crop(const ConstTensorView& x, Index top, Index left, const TensorView& result) noexcept {
  for (Index r = 0; r < result.shape[0]; ++r) {
    for (Index c = 0; c < result.shape[1]; ++c) {
      const Index row = top + r, column = left + c;
      const bool inside = row >= 0 && row < x.shape[0] && column >= 0 && column < x.shape[1];
      const float* from = x.data + (inside ? row * x.strides[0] + column * x.strides[1] : 0);
      float* to = result.data + r * result.strides[0] + c * result.strides[1];
      for (Index channel = 0; channel < x.shape[2]; ++channel) {
        to[channel * result.strides[2]] = inside ? from[channel * x.strides[2]] : 0;
      }
    }
  }
}

}  // namespace

Status spatial_transform_shape(const ConstTensorView& x, const ConstTensorView& theta, Index height,
                               Index width, Shape& shape) noexcept {
  return guarded([&]() -> Status {
    Heads heads;
    return check_places(x, "theta", theta, {2, 3}, height, width, heads, shape);
  });
}

Status try_spatial_transform(const ConstTensorView& x, const ConstTensorView& theta,
                             const TensorView& result) noexcept {
  return guarded([&]() -> Status {
    const Kernels* kernels = nullptr;
    QKV_TRY(active_kernels(kernels));
    Heads heads;
    QKV_TRY(check_map(result, x, "theta", theta, {2, 3}, heads));
    if (x.shape.back(2) * x.shape.back(1) > std::numeric_limits<std::int32_t>::max()) {
      return shape_error("x: a map of ", x.shape.back(2), " x ", x.shape.back(1),
                         " cells is over the limit of 2147483647");
    }
    return Transform(*kernels, heads, x, theta, result).run();
  });
}

Status glimpse_shape(const ConstTensorView& x, const ConstTensorView& center, Index height,
                     Index width, Shape& shape) noexcept {
  return guarded([&]() -> Status {
    Heads heads;
    return check_places(x, "center", center, {2}, height, width, heads, shape);
  });
}

Status try_glimpse(const ConstTensorView& x, const ConstTensorView& center,
                   const TensorView& result) noexcept {
  return guarded([&]() -> Status {
    Heads heads;
    QKV_TRY(check_map(result, x, "center", center, {2}, heads));
    QKV_TRY(check_centers(center));
    if (result.shape.elements() == 0) return {};
    for (Index head = 0; head < heads.count(); ++head) {
      const ConstTensorView where = heads.at(center, 1, head);
      const TensorView cells = heads.at(result, 3, head);
      // A centre beyond any map sees none of it.
      const auto at = [&](Index axis) {
        const double place = where.data[axis * where.strides[0]];
        return static_cast<Index>(std::clamp(place, -0x1p52, 0x1p52));
      };
      crop(heads.at(x, 3, head), at(0) - cells.shape[0] / 2, at(1) - cells.shape[1] / 2, cells);
    }
    return {};
  });
}

namespace {

constexpr MechanismParameter glimpse_parameters[] = {{"size", 16, 1}};

Shape glimpse_of(const Shape& x, const double* parameters) {
  Shape shape = x;
  shape[shape.rank() - 2] = static_cast<Index>(parameters[0]);
  return shape;
}

// The tokens are a map of height 1, looked at in its middle.
Status run_glimpse(const ConstTensorView& x, const double* parameters, const ConstTensorView*,
                   const TensorView& result) {
  QKV_TRY(check_result(result, glimpse_of(x.shape, parameters)));
  Heads heads;
  QKV_TRY(heads.add("x", x, 2));
  const float middle[] = {0, static_cast<float>(x.shape.back(1) / 2)};
  for (Index head = 0; head < heads.count(); ++head) {
    const ConstTensorView from = heads.at(x, 2, head);
    const TensorView to = heads.at(result, 2, head);
    QKV_TRY(try_glimpse({from.data, {1, from.shape[0], from.shape[1]},
                         {0, from.strides[0], from.strides[1]}},
                        {middle, {2}},
                        {to.data, {1, to.shape[0], to.shape[1]},
                         {0, to.strides[0], to.strides[1]}}));
  }
  return {};
}

// A copied number counts as one.
MechanismCost glimpse_cost(Index, Index d, const double* parameters) {
  return {parameters[0] * static_cast<double>(d), 0};
}

}  // namespace

const Mechanism catalogue::location_hard = {
    .name = "location-hard",
    .title = "Glimpse",
    .paper = "Mnih et al. 2014, arXiv:1406.6247",
    .year = 2014,
    .family = Family::picking,
    .exact = false,
    .causal = false,
    .time = "size d",
    .memory = "1",
    .trap = "A crop of even size has no middle cell, and one at the border reads outside: which side "
            "is the longer and what lies beyond belong to the definition.",
    .parameters = glimpse_parameters,
    .cost = glimpse_cost,
    .run = run_glimpse,
    .shape = glimpse_of,
};

}  // namespace qkv
