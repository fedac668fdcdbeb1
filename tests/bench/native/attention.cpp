// Calls of attention, and of the multi-head layer, on the shapes of shapes.mjs.
#include <stdexcept>
#include <vector>

#include "numbers.hpp"
#include "work.hpp"

namespace {

using nlohmann::json;

qkv::Shape shape_of(const json& sizes) { return sizes.get<std::vector<qkv::Index>>(); }

qkv::Mask mask_of(const json& mask) {
  const std::string kind = mask.at("kind");
  if (kind == "causal") return qkv::mask::causal(mask.at("offset"));
  if (kind == "window") {
    return qkv::mask::window(mask.at("left").get<qkv::Index>(), mask.at("right").get<qkv::Index>());
  }
  if (kind == "lengths") return qkv::mask::lengths(mask.at("key"));
  if (kind == "blocks") {
    return qkv::mask::blocks(
        mask.at("size"), mask.at("pairs").get<std::vector<std::pair<qkv::Index, qkv::Index>>>());
  }
  throw std::invalid_argument("no mask \"" + kind + "\" here");
}

class Attention : public Work {
 public:
  explicit Attention(const json& shape)
      : query_(numbers(shape_of(shape.at("query")), 1)),
        key_(numbers(shape_of(shape.at("key")), 2)),
        value_(numbers(shape_of(shape.at("value")), 3)),
        result_(query_.shape()) {
    if (shape.contains("mask")) options_.mask = mask_of(shape.at("mask"));
    if (shape.contains("bias")) {
      bias_ = numbers(shape_of(shape.at("bias")), 4);
      options_.bias = bias_;
    }
  }

  void run() override { qkv::attention(query_, key_, value_, result_, options_); }
  const qkv::Tensor* output() const override { return &result_; }

 private:
  qkv::Tensor query_, key_, value_, bias_, result_;
  qkv::AttentionOptions options_;
};

class Layer : public Work {
 public:
  explicit Layer(const json& shape)
      : x_(numbers(shape_of(shape.at("query")), 1)), result_(x_.shape()) {
    const qkv::Index embed = shape.at("layer").at("embed");
    qkv::MultiHeadConfig config;
    config.embed_dim = embed;
    config.num_heads = shape.at("layer").at("heads");
    layer_ = qkv::MultiHeadAttention(config);

    qkv::StateDict parameters;
    std::uint32_t seed = 5;
    for (const std::string name : {"q_proj", "k_proj", "v_proj", "out_proj"}) {
      parameters.emplace_back(name + ".weight", numbers({embed, embed}, seed++, 1.0f / 16));
      parameters.emplace_back(name + ".bias", numbers({embed}, seed++, 1.0f / 16));
    }
    layer_.load_state_dict({parameters.begin(), parameters.end()});
  }

  void run() override { qkv::raise(layer_.try_forward(x_, x_, x_, result_)); }
  const qkv::Tensor* output() const override { return &result_; }

 private:
  qkv::Tensor x_, result_;
  qkv::MultiHeadAttention layer_;
};

}  // namespace

std::unique_ptr<Work> make_attention(const json& shape) {
  return std::make_unique<Attention>(shape);
}

std::unique_ptr<Work> make_layer(const json& shape) { return std::make_unique<Layer>(shape); }
