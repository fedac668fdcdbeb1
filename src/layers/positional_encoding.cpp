#include "layers/positional_encoding.hpp"

#include "attention/randomness.hpp"
#include "check.hpp"
#include "qkv/position.hpp"
#include "strided.hpp"
#include "text.hpp"

namespace qkv {

Status create_position_table(const PositionalEncodingConfig& config, Tensor& table) {
  if (config.dim < 1 || config.max_length < 1) {
    return argument_error("dim and maxLength are 1 or more; saw ", config.dim, " and ",
                          config.max_length);
  }
  if (!(config.dropout >= 0 && config.dropout <= 1)) {
    return argument_error("dropout: expected a probability from 0 to 1, saw ", config.dropout);
  }
  QKV_TRY(Tensor::create({config.max_length, config.dim}, table));
  if (config.kind == PositionKind::learned) return position::try_learned(config.seed, table);
  return position::try_sinusoidal({.length = config.max_length, .dim = config.dim}, table);
}

Status add_positions(const ConstTensorView& x, const ConstTensorView& table, float p,
                     std::uint64_t seed, const TensorView& result) {
  QKV_TRY(check_view("x", x, 2));
  QKV_TRY(check_shape("result", result, x.shape));
  const Index length = x.shape.back(1), dim = x.shape.back(0);
  if (dim != table.shape[1]) {
    return shape_error("x: the layer takes width ", table.shape[1], ", saw ", dim, " in ", x.shape);
  }
  if (length > table.shape[0]) {
    return shape_error("x: ", length, " tokens in ", x.shape, " are more than maxLength ",
                       table.shape[0]);
  }
  const Dropout dropout{p, seed};
  const float keep_scale = p < 1 ? 1 / (1 - p) : 0;
  for_each_row(x.shape, x.strides, [&](Index row, Index from) {
    const Index to = offset_of(row, result.shape, result.strides, x.shape.rank() - 1);
    const float* positions = table.data + row % length * table.strides[0];
    for (Index d = 0; d < dim; ++d) {
      float sum = x.data[from + d * x.strides.back(0)] + positions[d * table.strides[1]];
      if (p > 0) sum *= dropout_factor(dropout, keep_scale, static_cast<std::uint64_t>(row), d);
      result.data[to + d * result.strides.back(0)] = sum;
    }
  });
  return {};
}

Status PositionalEncoding::create(const PositionalEncodingConfig& config,
                                  PositionalEncoding& layer) noexcept {
  return guarded([&]() -> Status {
    PositionalEncoding made;
    made.config_ = config;
    QKV_TRY(create_position_table(config, made.table_));
    layer = std::move(made);
    return {};
  });
}

Status PositionalEncoding::try_forward(const ConstTensorView& x, const TensorView& result,
                                       bool training,
                                       std::optional<std::uint64_t> seed) const noexcept {
  return guarded([&]() -> Status {
    return add_positions(x, table_, training ? config_.dropout : 0, seed.value_or(config_.seed),
                         result);
  });
}

}  // namespace qkv
