#include "mechanisms/features.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "check.hpp"
#include "exact_math.hpp"
#include "layout.hpp"
#include "mechanisms/call.hpp"
#include "mechanisms/random_projection.hpp"
#include "sums.hpp"
#include "text.hpp"

namespace qkv {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr Index most_features = INT32_MAX;  // so that products of sizes stay small

// What the two maps with a projection have in common.
struct Projection {
  const char* name = nullptr;
  Index features = 0;
  std::uint64_t seed = 0;
  const ConstTensorView* given = nullptr;
};

Projection projection_of(const FeatureMap& map) noexcept {
  if (const auto* favor = std::get_if<feature::Favor>(&map)) {
    return {"favor", favor->features, favor->seed, &favor->projection};
  }
  if (const auto* fourier = std::get_if<feature::Fourier>(&map)) {
    return {"fourier", fourier->features, fourier->seed, &fourier->projection};
  }
  return {};
}

// Rows of the projection: what was asked for, those of the one given, or the default.
Status count_projections(const FeatureMap& map, Index width, Index& rows) {
  const Projection projection = projection_of(map);
  rows = 0;
  if (projection.name == nullptr) return {};
  const ConstTensorView& given = *projection.given;
  if (projection.features < 0 || projection.features > most_features) {
    return argument_error("featureMap.", projection.name, ".features: expected 1 to ",
                          most_features, " (0 for the default), saw ", projection.features);
  }
  rows = projection.features;
  if (is_given(given)) {
    const std::string name = text("featureMap.", projection.name, ".projection");
    QKV_TRY(check_view(name.c_str(), given, 2));
    if (rows == 0) rows = given.shape[0];
    QKV_TRY(check_shape(name.c_str(), given, {rows, width}));
    if (rows == 0) return shape_error(name, ": expected 1 row or more, saw ", given.shape);
  } else if (rows == 0) {
    const auto d = static_cast<double>(width);
    const bool favor = std::holds_alternative<feature::Favor>(map);
    const double many = favor && width > 0 ? std::floor(d * exact_log(d) + 0.5) : d;
    rows = static_cast<Index>(std::clamp(many, 1.0, static_cast<double>(most_features)));
  }
  if (const auto* fourier = std::get_if<feature::Fourier>(&map)) {
    if (!(fourier->sigma > 0 && std::isfinite(fourier->sigma))) {
      return argument_error("featureMap.fourier.sigma: expected a number above 0, saw ",
                            fourier->sigma);
    }
  }
  return {};
}

// |x|^2; in double precision, so that large features do not overflow.
double squares(const TokenRows& x, Index row, Index width) noexcept {
  const float* at = x.data + row * x.row_step;
  return sum_of(width, [&](Index d) {
    const double feature = at[d * x.step];
    return feature * feature;
  });
}

}  // namespace

Status feature_count(const FeatureMap& map, Index d, Index& features) noexcept {
  return guarded([&]() -> Status {
    if (d < 0) return argument_error("feature_count: a width is 0 or more; saw ", d);
    Index rows = 0;
    QKV_TRY(count_projections(map, d, rows));
    features = rows == 0 ? d : std::holds_alternative<feature::Fourier>(map) ? 2 * rows : rows;
    return {};
  });
}

Status Features::prepare(const Kernels& kernels, const FeatureMap& map, Index width) {
  kernels_ = &kernels;
  kind_ = static_cast<Kind>(map.index());
  width_ = width;
  QKV_TRY(count_projections(map, width, projections_));
  QKV_TRY(feature_count(map, width, count_));
  return projects() ? prepare_projection(map) : Status();
}

Status Features::prepare_projection(const FeatureMap& map) {
  if (const auto* fourier = std::get_if<feature::Fourier>(&map)) sigma_ = fourier->sigma;
  const Projection projection = projection_of(map);
  const Index lanes = kernels_->lanes, padded = ceil_div(projections_, lanes) * lanes;
  if (Shape{padded, width_}.elements() < 0) return out_of_memory(INT64_MAX);
  Buffer<float> weights;
  QKV_TRY(weights.reserve(projections_ * width_));
  QKV_TRY(panels_.reserve(padded * width_));
  // x / D^(1/4), for the weights instead of all tokens.
  const double root = std::sqrt(static_cast<double>(std::max<Index>(width_, 1)));
  const double scale = is_favor() ? 1 / std::sqrt(root) : 1;
  const ConstTensorView& given = *projection.given;
  if (given.data != nullptr) {
    for (Index r = 0; r < projections_; ++r) {
      for (Index d = 0; d < width_; ++d) {
        const float number = given.data[r * given.strides[0] + d * given.strides[1]];
        weights[r * width_ + d] = static_cast<float>(number * scale);
      }
    }
  } else {
    QKV_TRY(random::fill_projection(projection.seed, is_favor(), scale, projections_, width_,
                                    weights.data()));
  }
  for (Index first = 0; first < projections_; first += lanes) {
    pack_panel(*kernels_, panels_.data() + first * width_, weights.data() + first * width_, width_,
               1, std::min(lanes, projections_ - first), width_);
  }
  return weight_.pack(*kernels_, {weights.data(), {projections_, width_}}, 1);
}

Index Features::scratch_floats() const noexcept {
  return projects() ? panel_block * (width_ + kernels_->lanes) : panel_block * width_;
}

// The maps that take each number by itself. NaN stays NaN.
void Features::apply(float* x, Index n, float* scratch) const noexcept {
  if (kind_ == Kind::relu) {
    for (Index i = 0; i < n; ++i) x[i] = x[i] < 0 ? 0 : x[i];
  } else if (kind_ == Kind::softmax) {
    kernels_->row_weights(x, n, 0, 1);
  } else if (kind_ == Kind::elu) {
    // elu(x) + 1 = exp(min(x, 0)) + max(x, 0)
    for (Index i = 0; i < n; ++i) scratch[i] = x[i] > 0 ? x[i] : 0;
    for (Index i = 0; i < n; ++i) x[i] = x[i] > 0 ? 0 : x[i];
    kernels_->row_weights(x, n, 0, 1);
    kernels_->add(x, scratch, n);
  }
}

void Features::keys(const TokenRows& x, Index tokens, const float* shift, float* rows, float* logs,
                    float* scratch) const noexcept {
  if (projects()) return project_keys(x, tokens, rows, logs, scratch);
  for (Index j = 0; j < tokens; ++j) {
    const float* from = x.data + j * x.row_step;
    float* row = rows + j * width_;
    if (x.step == 1) {
      std::copy_n(from, width_, row);
    } else {
      for (Index d = 0; d < width_; ++d) row[d] = from[d * x.step];
    }
    if (shift == nullptr) continue;
    for (Index d = 0; d < width_; ++d) row[d] -= shift[d];
  }
  apply(rows, tokens * width_, scratch);
}

void Features::queries(const TokenRows& x, Index tokens, float* panel, float* divisor,
                       float* scratch) const noexcept {
  if (projects()) return project_queries(x, tokens, panel, scratch);
  const Index lanes = kernels_->lanes;
  pack_panel(*kernels_, panel, x.data, x.row_step, x.step, tokens, width_);
  if (!is_softmax()) return apply(panel, width_ * lanes, scratch);
  float maximum[panel_block], factor[panel_block];
  std::fill_n(maximum, lanes, -infinity);
  std::fill_n(divisor, lanes, 0.0f);
  kernels_->softmax(panel, width_, maximum, divisor, factor);
}

// What a token's own length does to its projections: taken off by Favor, a factor of Fourier.
float Features::token_term(const TokenRows& x, Index row) const noexcept {
  const double square = squares(x, row, width_);
  if (is_fourier()) return static_cast<float>(sigma_ / (std::sqrt(square) + 1e-6));
  const double root = std::sqrt(static_cast<double>(std::max<Index>(width_, 1)));
  return static_cast<float>((square / root + exact_log(static_cast<double>(projections_))) / 2);
}

void Features::project_keys(const TokenRows& x, Index tokens, float* rows, float* logs,
                            float* scratch) const noexcept {
  const Index lanes = kernels_->lanes;
  float* packed = scratch;
  float* products = scratch + panel_block * width_;
  float term[panel_block];
  for (Index j = 0; j < tokens; ++j) term[j] = token_term(x, j);
  pack_groups(*kernels_, packed, x.data, x.row_step, x.step, tokens, width_);
  for (Index first = 0; first < projections_; first += lanes) {
    kernels_->scores(products, panels_.data() + first * width_, packed, tokens, width_);
    const Index some = std::min(lanes, projections_ - first);
    for (Index j = 0; j < tokens; ++j) {
      const float* product = products + j * lanes;
      float* row = rows + j * count_ + first;
      if (is_favor()) {
        for (Index r = 0; r < some; ++r) row[r] = product[r] - term[j];
      } else {
        for (Index r = 0; r < some; ++r) row[r] = product[r] * term[j];
      }
    }
  }
  for (Index j = 0; j < tokens; ++j) {
    float* row = rows + j * count_;
    if (is_favor()) {
      float sum = 0;
      logs[j] = -infinity;
      kernels_->row_softmax(row, count_, &logs[j], &sum);
    } else {
      to_waves(row, row + projections_, projections_);
    }
  }
}

void Features::project_queries(const TokenRows& x, Index tokens, float* panel,
                               float* scratch) const noexcept {
  const Index lanes = kernels_->lanes;
  pack_panel(*kernels_, scratch, x.data, x.row_step, x.step, tokens, width_);
  weight_.apply(*kernels_, scratch, panel);
  float term[panel_block] = {}, sum[panel_block] = {}, factor[panel_block];
  if (is_favor()) {
    // The largest of each query is taken off, and its own length with it.
    std::fill_n(term, lanes, -infinity);
    return kernels_->softmax(panel, count_, term, sum, factor);
  }
  for (Index i = 0; i < tokens; ++i) term[i] = token_term(x, i);
  for (Index r = 0; r < projections_; ++r) {
    for (Index i = 0; i < lanes; ++i) panel[r * lanes + i] *= term[i];
  }
  to_waves(panel, panel + projections_ * lanes, projections_ * lanes);
}

// Angles in `sine` become sines and cosines over sqrt(m), within 2e-7 of them.
void Features::to_waves(float* sine, float* cosine, Index n) const noexcept {
  const float scale = static_cast<float>(1 / std::sqrt(static_cast<double>(projections_)));
  constexpr float farthest = 8192;
  int far = 0;
  for (Index i = 0; i < n; ++i) far |= std::fabs(sine[i]) > farthest ? 1 : 0;
  if (far != 0) {  // rare, and slow
    for (Index i = 0; i < n; ++i) {
      double s = 0, c = 0;
      exact_sine_cosine(sine[i], s, c);
      sine[i] = static_cast<float>(s) * scale;
      cosine[i] = static_cast<float>(c) * scale;
    }
    return;
  }
  // No branches, so that the compiler makes vectors of it.
  for (Index i = 0; i < n; ++i) {
    const float angle = sine[i];
    // Adding 1.5 * 2^23 rounds to a whole number, here of quarter turns, whose bits come last.
    const float moved = angle * 0.636619772f + 12582912.0f;
    const float turns = moved - 12582912.0f;
    const auto quarter = std::bit_cast<std::uint32_t>(moved);
    // Pi / 2 in parts of 11 bits: their products with turns, of up to 13 bits, are exact.
    float r = angle - turns * 0x1.92p+0f;
    r -= turns * 0x1.fb4p-12f;
    r -= turns * 0x1.444p-24f;
    r -= turns * 0x1.68c234p-39f;
    const float z = r * r;  // of the series, up to r^9 and r^8
    float s = z * (1.0f / 362880) - 1.0f / 5040;
    s = s * z + 1.0f / 120;
    s = s * z - 1.0f / 6;
    s = r + r * z * s;
    float c = z * (1.0f / 40320) - 1.0f / 720;
    c = c * z + 1.0f / 24;
    c = c * z - 0.5f;
    c = 1 + z * c;
    // An odd quarter exchanges them where their bits differ; the others turn signs.
    const auto sine_bits = std::bit_cast<std::uint32_t>(scale * s);
    const auto cosine_bits = std::bit_cast<std::uint32_t>(scale * c);
    const std::uint32_t exchanged = (sine_bits ^ cosine_bits) & (0u - (quarter & 1));
    sine[i] = std::bit_cast<float>(sine_bits ^ exchanged ^ (quarter & 2) << 30);
    cosine[i] = std::bit_cast<float>(cosine_bits ^ exchanged ^ ((quarter + 1) & 2) << 30);
  }
}

}  // namespace qkv
