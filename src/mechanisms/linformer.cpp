// Linformer: softmax(Q (E K)^T / sqrt(D)) (F V).
#include <cmath>
#include <cstdint>

#include "mechanisms/call.hpp"
#include "mechanisms/catalogue.hpp"
#include "mechanisms/drawn.hpp"
#include "memory.hpp"
#include "qkv/fewer_keys.hpp"
#include "qkv/linear.hpp"
#include "text.hpp"

namespace qkv {
namespace {

Status check_projection(const char* name, const ConstTensorView& projection, Index length,
                        Heads& heads) {
  QKV_TRY(add_within(name, projection, 2, heads));
  if (projection.shape.back(0) == length) return {};
  return shape_error(name, ": expected [K, ", length, "], a column for each key, saw ",
                     projection.shape);
}

// projection x rows of every head, to [..., K, width] side by side.
Status project(const Heads& heads, const ConstTensorView& projection, const ConstTensorView& rows,
               Buffer<float>& result) {
  const Index count = projection.shape.back(1), width = rows.shape.back(0);
  QKV_TRY(result.reserve(heads.count() * count * width));
  if (result.size() == 0) return {};
  for (Index head = 0; head < heads.count(); ++head) {
    const ConstTensorView own = heads.at(rows, 2, head);
    const ConstTensorView columns(own.data, {own.shape[1], own.shape[0]},
                                  {own.strides[1], own.strides[0]});
    QKV_TRY(try_linear(heads.at(projection, 2, head), columns, {},
                       {result.data() + head * count * width, {count, width}}));
  }
  return {};
}

}  // namespace

Status try_linformer(const ConstTensorView& query, const ConstTensorView& key,
                     const ConstTensorView& value, const TensorView& result,
                     const LinformerOptions& options) noexcept {
  return guarded([&]() -> Status {
    Heads heads;
    QKV_TRY(check_call(query, key, value, result, heads));
    const Index length = key.shape.back(1);
    const ConstTensorView& for_keys = options.key_projection;
    const ConstTensorView& for_values =
        is_given(options.value_projection) ? options.value_projection : for_keys;
    QKV_TRY(check_projection("keyProjection", for_keys, length, heads));
    QKV_TRY(check_projection("valueProjection", for_values, length, heads));
    const Index count = for_keys.shape.back(1);
    if (for_values.shape.back(1) != count) {
      return shape_error("keyProjection and valueProjection differ in rows: ", count, " in ",
                         for_keys.shape, " and ", for_values.shape.back(1), " in ",
                         for_values.shape);
    }
    Buffer<float> keys, values;
    QKV_TRY(project(heads, for_keys, key, keys));
    QKV_TRY(project(heads, for_values, value, values));
    return try_attention(query, {keys.data(), heads.with(count, key.shape.back(0))},
                         {values.data(), heads.with(count, value.shape.back(0))}, result);
  });
}

namespace {

constexpr MechanismParameter parameters[] = {{"keys", 128, 1}, {"seed", 0, 0}};

MechanismCost cost(Index n, Index d, const double* p) {
  const double tokens = static_cast<double>(n);
  // The projection and what it gives; and one operand at a time in the order of the kernels.
  return {4 * tokens * p[0] * d, 4 * (p[0] * (tokens + 2 * d) + tokens * (d + 64))};
}

// One projection for keys and values: what it makes of n independent tokens is as large as a token.
constexpr const char* weight_names[] = {"keyProjection"};

Status draw(Index n, Index, const double* p, Tensor* weights) {
  return drawn::uniform(p[1], 0, {static_cast<Index>(p[0]), n}, weights[0]);
}

Status run(const ConstTensorView& x, const double*, const ConstTensorView* weights,
           const TensorView& result) {
  LinformerOptions options;
  options.key_projection = weights[0];
  return try_linformer(x, x, x, result, options);
}

}  // namespace

const Mechanism catalogue::linformer = {
    .name = "linformer",
    .title = "Linformer",
    .paper = "Wang et al. 2020, arXiv:2006.04768",
    .year = 2020,
    .family = Family::fewer_keys,
    .exact = false,
    .causal = false,
    .time = "n keys d",
    .memory = "n keys",
    .trap = "The projections are as long as the sequence they were made for, and each key is a "
            "mixture of all tokens: padding has to be zeroed beforehand, and there is no causal "
            "form.",
    .parameters = parameters,
    .weights = weight_names,
    .cost = cost,
    .draw = draw,
    .run = run,
};

}  // namespace qkv
