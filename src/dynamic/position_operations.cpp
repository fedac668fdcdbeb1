#include "dynamic/call.hpp"
#include "memory.hpp"
#include "qkv/position.hpp"
#include "text.hpp"

namespace qkv::dynamic {
namespace {

Status give_output(Call& call, Tensor output) {
  call.give("output", std::move(output));
  return {};
}

Status sinusoidal(Call& call) {
  position::SinusoidalOptions options;
  const CustomReader layout([&](std::string_view name, Value value) -> Status {
    int choice = 0;
    QKV_TRY(read_word(name, value, {"interleaved", "concatenated"}, choice));
    options.layout = static_cast<position::SinusoidLayout>(choice);
    return {};
  });
  QKV_TRY(call.options(0, {{"length", &options.length, true},
                           {"dim", &options.dim, true},
                           {"base", &options.base},
                           {"layout", &layout},
                           {"offset", &options.offset}}));
  Tensor output;
  QKV_TRY(Tensor::create({options.length, options.dim}, output));
  QKV_TRY(position::try_sinusoidal(options, output));
  return give_output(call, std::move(output));
}

Status learned(Call& call) {
  Index length = 0, dim = 0;
  std::uint64_t seed = 0;
  QKV_TRY(call.options(0, {{"length", &length, true}, {"dim", &dim, true}, {"seed", &seed, true}}));
  Tensor output;
  QKV_TRY(Tensor::create({length, dim}, output));
  QKV_TRY(position::try_learned(seed, output));
  return give_output(call, std::move(output));
}

Status rotary(Call& call) {
  ConstTensorView x;
  QKV_TRY(call.tensor(0, "x", x));
  position::RotaryOptions options;
  std::optional<Index> offset;
  const CustomReader layout([&](std::string_view name, Value value) -> Status {
    int choice = 0;
    QKV_TRY(read_word(name, value, {"half", "interleaved"}, choice));
    options.layout = static_cast<position::RotaryLayout>(choice);
    return {};
  });
  QKV_TRY(call.options(1, {{"positions", &options.positions},
                           {"offset", &offset},
                           {"base", &options.base},
                           {"layout", &layout},
                           {"dims", &options.dims}}));
  if (offset && !options.positions.empty()) {
    return argument_error("rotary takes positions or an offset, saw both");
  }
  options.offset = offset.value_or(0);
  Tensor output;
  QKV_TRY(Tensor::create(x.shape, output));
  QKV_TRY(position::try_rotary(x, options, output));
  return give_output(call, std::move(output));
}

Status rotation(Call& call) {
  double delta = 0, base = 10000;
  Index dim = 0;
  QKV_TRY(call.options(0, {{"delta", &delta, true}, {"dim", &dim, true}, {"base", &base}}));
  Tensor output;
  QKV_TRY(Tensor::create({dim, dim}, output));
  QKV_TRY(position::try_rotation(delta, dim, base, output));
  return give_output(call, std::move(output));
}

Status alibi(Call& call) {
  Index heads = 0, query_length = 0, key_length = 0;
  QKV_TRY(call.options(0, {{"heads", &heads, true},
                           {"queryLength", &query_length, true},
                           {"keyLength", &key_length, true}}));
  Tensor output;
  QKV_TRY(Tensor::create({heads, query_length, key_length}, output));
  QKV_TRY(position::try_alibi(output));
  return give_output(call, std::move(output));
}

Status alibi_slopes(Call& call) {
  Index heads = 0;
  QKV_TRY(read_integer("heads", call.argument(0), heads));
  if (heads < 1) return position::try_alibi_slopes(heads, nullptr);  // which refuses it
  Tensor output;
  QKV_TRY(Tensor::create({heads}, output));
  Buffer<double> slopes;
  QKV_TRY(slopes.reserve(heads));
  QKV_TRY(position::try_alibi_slopes(heads, slopes.data()));
  for (Index h = 0; h < heads; ++h) output[h] = static_cast<float>(slopes[h]);
  return give_output(call, std::move(output));
}

Status relative_bias(Call& call) {
  ConstTensorView table;
  QKV_TRY(call.tensor(0, "table", table));
  position::RelativeBiasOptions options;
  Index query_length = 0, key_length = 0;
  QKV_TRY(call.options(1, {{"queryLength", &query_length, true},
                           {"keyLength", &key_length, true},
                           {"bidirectional", &options.bidirectional},
                           {"buckets", &options.buckets},
                           {"maxDistance", &options.max_distance}}));
  Tensor output;
  const Index heads = table.shape.rank() == 2 ? table.shape[1] : 0;
  QKV_TRY(Tensor::create({heads, query_length, key_length}, output));
  QKV_TRY(position::try_relative_bias(table, options, output));
  return give_output(call, std::move(output));
}

Status binary(Call& call) {
  Index length = 0, bits = 0;
  QKV_TRY(call.options(0, {{"length", &length, true}, {"bits", &bits, true}}));
  Tensor output;
  QKV_TRY(Tensor::create({length, bits}, output));
  QKV_TRY(position::try_binary(output));
  return give_output(call, std::move(output));
}

constexpr NamedOperation list[] = {
    {"position.sinusoidal", sinusoidal},      {"position.learned", learned},
    {"position.rotary", rotary},              {"position.rotation", rotation},
    {"position.alibi", alibi},                {"position.alibiSlopes", alibi_slopes},
    {"position.relativeBias", relative_bias}, {"position.binary", binary},
};

}  // namespace

constinit const std::span<const NamedOperation> position_operations = list;

}  // namespace qkv::dynamic
