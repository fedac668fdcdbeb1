#include "dynamic/call.hpp"
#include "qkv/picking.hpp"
#include "text.hpp"

namespace qkv::dynamic {
namespace {

Status hard_attention(Call& call) {
  ConstTensorView query, key, value;
  QKV_TRY(call.tensor(0, "query", query));
  QKV_TRY(call.tensor(1, "key", key));
  QKV_TRY(call.tensor(2, "value", value));
  AttentionOptions options;
  options.normalizer = normalizer::Hard{};
  const CustomReader sample([&](std::string_view name, Value entry) -> Status {
    normalizer::Sample draw;
    QKV_TRY(read_object(name, entry, {{"seed", &draw.seed, true}}, call.scratch()));
    options.normalizer = draw;
    return {};
  });
  const CustomReader mask([&](std::string_view name, Value entry) {
    return read_mask(name, entry, options.mask);
  });
  QKV_TRY(call.options(3, {{"sample", &sample}, {"mask", &mask}, {"scale", &options.scale}}));
  Shape shape;
  QKV_TRY(attention_shape(query, key, value, shape));
  Tensor output;
  QKV_TRY(Tensor::create(shape, output));
  QKV_TRY(try_attention(query, key, value, output, options));
  call.give("output", std::move(output));
  return {};
}

Status attention_pooling(Call& call) {
  ConstTensorView query, x;
  QKV_TRY(call.tensor(0, "query", query));
  QKV_TRY(call.tensor(1, "x", x));
  Shape shape;
  QKV_TRY(attention_shape(query, x, x, shape));
  Tensor output;
  QKV_TRY(Tensor::create(shape, output));
  QKV_TRY(try_attention_pooling(query, x, output));
  call.give("output", std::move(output));
  return {};
}

// Where to look: one of three ways, with a tensor or two and the size of the result.
struct Location {
  enum class Kind { gaussian, affine, glimpse };

  Kind kind = Kind::gaussian;
  ConstTensorView where, widths;
  Index height = 0, width = 0;
  int given = 0;

  Status read(Call& call, std::size_t place) {
    Scratch& scratch = call.scratch();
    const CustomReader gaussian([&](std::string_view name, Value entry) {
      kind = Kind::gaussian;
      ++given;
      return read_object(name, entry, {{"centers", &where, true}, {"widths", &widths, true}},
                         scratch);
    });
    const auto of_map = [&](Kind chosen, const char* what) {
      return [this, &scratch, chosen, what](std::string_view name, Value entry) {
        kind = chosen;
        ++given;
        return read_object(
            name, entry,
            {{what, &where, true}, {"height", &height, true}, {"width", &width, true}}, scratch);
      };
    };
    const CustomReader affine(of_map(Kind::affine, "theta"));
    const CustomReader glimpse(of_map(Kind::glimpse, "center"));
    QKV_TRY(call.options(place,
                         {{"gaussian", &gaussian}, {"affine", &affine}, {"glimpse", &glimpse}}));
    if (given == 1) return {};
    return argument_error("options: expected one of gaussian, affine and glimpse, saw ", given);
  }

  Status shape(const ConstTensorView& x, Shape& shape) const {
    if (kind == Kind::gaussian) return gaussian_window_shape(x, where, widths, shape);
    return kind == Kind::affine ? spatial_transform_shape(x, where, height, width, shape)
                                : glimpse_shape(x, where, height, width, shape);
  }

  Status look(const ConstTensorView& x, const TensorView& result) const {
    if (kind == Kind::gaussian) return try_gaussian_window(x, where, widths, result);
    return kind == Kind::affine ? try_spatial_transform(x, where, result)
                                : try_glimpse(x, where, result);
  }
};

Status location_attention(Call& call) {
  ConstTensorView x;
  QKV_TRY(call.tensor(0, "x", x));
  Location location;
  QKV_TRY(location.read(call, 1));
  Shape shape;
  QKV_TRY(location.shape(x, shape));
  Tensor output;
  QKV_TRY(Tensor::create(shape, output));
  QKV_TRY(location.look(x, output));
  call.give("output", std::move(output));
  return {};
}

constexpr NamedOperation list[] = {
    {"hardAttention", hard_attention},
    {"attentionPooling", attention_pooling},
    {"locationAttention", location_attention},
};

}  // namespace

constinit const std::span<const NamedOperation> picking_operations = list;

}  // namespace qkv::dynamic
