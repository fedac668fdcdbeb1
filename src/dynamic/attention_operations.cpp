#include "dynamic/attention_options.hpp"
#include "text.hpp"

namespace qkv::dynamic {
namespace {

Status attend(Call& call) {
  ConstTensorView query, key, value;
  QKV_TRY(call.tensor(0, "query", query));
  QKV_TRY(call.tensor(1, "key", key));
  QKV_TRY(call.tensor(2, "value", value));
  AttentionOptions options;
  AttentionOptionReader reader;
  QKV_TRY(reader.read(call, 3, options));
  Shape shape;
  QKV_TRY(attention_shape(query, key, value, shape));
  QKV_TRY(reader.reserve(shape, shape, key.shape.back(1), options));
  QKV_TRY(try_attention(query, key, value, reader.output(), options));
  reader.give(call);
  return {};
}

// A mask and the sizes it is to be read for.
struct MaskCall {
  Mask mask;
  MaskSizes sizes;
  std::optional<Index> heads, batch;

  Status read(Call& call) {
    QKV_TRY(read_mask("mask", call.argument(0), mask));
    QKV_TRY(call.options(1, {{"queryLength", &sizes.query_length, true},
                             {"keyLength", &sizes.key_length, true},
                             {"heads", &heads},
                             {"batch", &batch}}));
    sizes.heads = heads.value_or(1);
    sizes.batch = batch.value_or(1);
    return {};
  }
};

Status matrix_of_mask(Call& call) {
  MaskCall request;
  QKV_TRY(request.read(call));
  const MaskSizes& sizes = request.sizes;
  const Shape full{sizes.batch, sizes.heads, sizes.query_length, sizes.key_length};
  // Heads and batch are axes of the result where they were named.
  std::vector<Index> shape;
  if (request.batch) shape.push_back(sizes.batch);
  if (request.heads) shape.push_back(sizes.heads);
  shape.push_back(sizes.query_length);
  shape.push_back(sizes.key_length);
  Tensor matrix;
  QKV_TRY(Tensor::create(shape, matrix));
  QKV_TRY(try_mask_matrix(request.mask, sizes, {matrix.data(), full}));
  call.give("output", std::move(matrix));
  return {};
}

Status stats_of_mask(Call& call) {
  MaskCall request;
  QKV_TRY(request.read(call));
  MaskStats stats;
  QKV_TRY(try_mask_stats(request.mask, request.sizes, stats));
  call.give("pairs", static_cast<double>(stats.pairs));
  call.give("density", stats.density);
  call.give("blocks", static_cast<double>(stats.blocks));
  call.give("fullBlocks", static_cast<double>(stats.full_blocks));
  return {};
}

// A tensor of the caller's as row-major float32.
Status make_tensor(Call& call) {
  ConstTensorView view;
  QKV_TRY(call.tensor(0, "tensor", view));
  Tensor copy;
  QKV_TRY(Tensor::copy(view, copy));
  call.give("output", std::move(copy));
  return {};
}

constexpr NamedOperation list[] = {
    {"attention", attend},
    {"maskMatrix", matrix_of_mask},
    {"maskStats", stats_of_mask},
    {"tensor", make_tensor},
};

}  // namespace

constinit const std::span<const NamedOperation> attention_operations = list;

}  // namespace qkv::dynamic
