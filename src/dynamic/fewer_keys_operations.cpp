#include "dynamic/call.hpp"
#include "qkv/fewer_keys.hpp"
#include "text.hpp"

namespace qkv::dynamic {
namespace {

// The operands of attention, and memory for the output.
struct Inputs {
  ConstTensorView query, key, value;
  Tensor output;

  Status read(Call& call) {
    QKV_TRY(call.tensor(0, "query", query));
    QKV_TRY(call.tensor(1, "key", key));
    return call.tensor(2, "value", value);
  }
  Status reserve() {
    Shape shape;
    QKV_TRY(attention_shape(query, key, value, shape));
    return Tensor::create(shape, output);
  }
};

Status linformer(Call& call) {
  Inputs inputs;
  QKV_TRY(inputs.read(call));
  LinformerOptions options;
  QKV_TRY(call.options(3, {{"keyProjection", &options.key_projection, true},
                           {"valueProjection", &options.value_projection}}));
  QKV_TRY(inputs.reserve());
  QKV_TRY(try_linformer(inputs.query, inputs.key, inputs.value, inputs.output, options));
  call.give("output", std::move(inputs.output));
  return {};
}

Status compressed_attention(Call& call) {
  Inputs inputs;
  QKV_TRY(inputs.read(call));
  CompressedOptions options;
  QKV_TRY(call.options(3, {{"stride", &options.stride, true},
                           {"kernelSize", &options.kernel_size, true},
                           {"keyKernel", &options.key_kernel, true},
                           {"valueKernel", &options.value_kernel, true},
                           {"nullKey", &options.null_key},
                           {"nullValue", &options.null_value},
                           {"causal", &options.causal}}));
  QKV_TRY(inputs.reserve());
  QKV_TRY(
      try_compressed_attention(inputs.query, inputs.key, inputs.value, inputs.output, options));
  call.give("output", std::move(inputs.output));
  return {};
}

constexpr NamedOperation list[] = {
    {"linformer", linformer},
    {"compressedAttention", compressed_attention},
};

}  // namespace

constinit const std::span<const NamedOperation> fewer_keys_operations = list;

}  // namespace qkv::dynamic
