#include "dynamic/call.hpp"
#include "qkv/baselines.hpp"
#include "text.hpp"

namespace qkv::dynamic {
namespace {

// A tensor that may be left out.
Status optional_tensor(Call& call, std::size_t place, const char* name, ConstTensorView& view) {
  return call.argument(place).absent() ? Status() : call.tensor(place, name, view);
}

// A result with the axes of x but as wide as a weight has outputs. What does not fit is left to the
// operation to refuse.
Status create_output(const ConstTensorView& x, const ConstTensorView& weight, Tensor& output) {
  Shape shape = x.shape;
  if (shape.rank() > 0 && weight.shape.rank() > 0) shape[shape.rank() - 1] = weight.shape[0];
  return Tensor::create(shape, output);
}

Status convolution(Call& call) {
  ConstTensorView x, weight, bias;
  QKV_TRY(call.tensor(0, "x", x));
  QKV_TRY(call.tensor(1, "weight", weight));
  QKV_TRY(optional_tensor(call, 2, "bias", bias));
  std::optional<Index> left;
  QKV_TRY(call.options(3, {{"left", &left}}));
  Tensor output;
  QKV_TRY(create_output(x, weight, output));
  QKV_TRY(try_conv1d(x, weight, bias, output, left));
  call.give("output", std::move(output));
  return {};
}

Status recurrent(Call& call) {
  ConstTensorView x, input_weight, hidden_weight, bias, start;
  QKV_TRY(call.tensor(0, "x", x));
  QKV_TRY(call.tensor(1, "inputWeight", input_weight));
  QKV_TRY(call.tensor(2, "hiddenWeight", hidden_weight));
  QKV_TRY(optional_tensor(call, 3, "bias", bias));
  QKV_TRY(call.options(4, {{"start", &start}}));
  Tensor output;
  QKV_TRY(create_output(x, input_weight, output));
  QKV_TRY(try_rnn(x, input_weight, hidden_weight, bias, output, start));
  call.give("output", std::move(output));
  return {};
}

Status offset_heads(Call& call) {
  Index length = 0, size = 0;
  std::optional<Index> left;
  QKV_TRY(call.options(0, {{"length", &length, true}, {"size", &size, true}, {"left", &left}}));
  Tensor output;
  QKV_TRY(Tensor::create({size, length, length}, output));
  QKV_TRY(try_offset_heads(output, left.value_or((size - 1) / 2)));
  call.give("output", std::move(output));
  return {};
}

constexpr NamedOperation list[] = {
    {"conv1d", convolution},
    {"rnn", recurrent},
    {"offsetHeads", offset_heads},
};

}  // namespace

constinit const std::span<const NamedOperation> baseline_operations = list;

}  // namespace qkv::dynamic
