// Parameters of multi-head attention: their names, shapes and first values, and the names that
// other libraries give them.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "check.hpp"
#include "layers/multi_head.hpp"
#include "random/fill.hpp"
#include "strided.hpp"
#include "text.hpp"

namespace qkv {
namespace {

enum Role { query, key, value, out };

struct Family {
  std::array<std::string_view, 4> names;  // by role
};

// Stems of one projection each; ".weight" and ".bias" follow. The first family is our own.
constexpr Family families[] = {
    {{"q_proj", "k_proj", "v_proj", "out_proj"}},      // Hugging Face; out_proj also PyTorch
    {{"query", "key", "value", "output.dense"}},       // Hugging Face BERT
    {{"", "", "", "o_proj"}},                          // Hugging Face Llama
    {{"W_q", "W_k", "W_v", "W_o"}},                    // D2L
};

struct Parameter {
  std::string name;  // our own
  Role role;
  bool is_bias;
  Shape shape;
};

std::vector<Parameter> parameters_of(const MultiHeadConfig& config) {
  const Index q_out = config.num_heads * config.head_dim;
  const Index kv_out = config.num_kv_heads * config.head_dim;
  const Shape weights[] = {{q_out, config.embed_dim},
                           {kv_out, config.k_dim},
                           {kv_out, config.v_dim},
                           {config.embed_dim, q_out}};
  std::vector<Parameter> parameters;
  for (const Role role : {query, key, value, out}) {
    const std::string stem(families[0].names[role]);
    parameters.push_back({stem + ".weight", role, false, weights[role]});
    if (config.bias) parameters.push_back({stem + ".bias", role, true, {weights[role][0]}});
  }
  return parameters;
}

// A part of an entry that stands for a parameter.
struct Source {
  std::string name;  // the caller's
  ConstTensorView view;
  bool given = false;
  bool twice = false;
};

class Translation {
 public:
  explicit Translation(const MultiHeadConfig& config)
      : parameters_(parameters_of(config)), sources_(parameters_.size()) {}

  void take(const std::string& name, const ConstTensorView& view) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (names(parameters_[i], name)) return assign(i, name, view);
    }
    if (name == "in_proj_weight" || name == "in_proj_bias") {
      return take_fused(name, view, name == "in_proj_bias");
    }
    note(unknown_, name);
  }

  Status finish() {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const Parameter& parameter = parameters_[i];
      if (!sources_[i].given) {
        const bool in_fused = parameter.role != out && misshapen_fused_[parameter.is_bias ? 1 : 0];
        if (!in_fused) note(missing_, parameter.name);
      } else if (sources_[i].twice) {
        note(unknown_, text(sources_[i].name, " (", parameter.name, " given twice)"));
      } else if (!(sources_[i].view.shape == parameter.shape)) {
        note(misshapen_, text(sources_[i].name, " ", sources_[i].view.shape, ", expected ",
                              parameter.shape));
      }
    }
    if (unknown_.empty() && missing_.empty() && misshapen_.empty()) return {};
    std::string sentence = "state dict:";
    const auto add = [&](const char* what, const std::string& names) {
      if (names.empty()) return;
      sentence += text(sentence.back() == ':' ? " " : "; ", what, ": ", names);
    };
    add("unknown", unknown_);
    add("missing", missing_);
    add("wrong shape", misshapen_);
    const bool only_shapes = unknown_.empty() && missing_.empty();
    return {only_shapes ? ErrorCode::shape : ErrorCode::argument, sentence};
  }

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const ConstTensorView& source(std::size_t i) const { return sources_[i].view; }

 private:
  static bool names(const Parameter& parameter, const std::string& name) {
    const std::string_view suffix = parameter.is_bias ? ".bias" : ".weight";
    for (const Family& family : families) {
      const std::string_view stem = family.names[parameter.role];
      if (!stem.empty() && name == std::string(stem) + std::string(suffix)) return true;
    }
    // PyTorch's names for inputs of different widths.
    return !parameter.is_bias && parameter.role != out &&
           name == std::string(families[0].names[parameter.role]) + "_weight";
  }

  void assign(std::size_t i, const std::string& name, const ConstTensorView& view) {
    sources_[i].name = name;
    sources_[i].twice = sources_[i].given;
    sources_[i].given = true;
    sources_[i].view = view;
  }

  // PyTorch's one matrix (or vector) for queries, keys and values, one below the other.
  void take_fused(const std::string& name, const ConstTensorView& view, bool is_bias) {
    std::array<std::size_t, 3> parts{};
    Index rows = 0;
    Shape expected;
    bool wanted = false;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const Parameter& parameter = parameters_[i];
      if (parameter.is_bias != is_bias || parameter.role == out) continue;
      wanted = true;
      parts[parameter.role] = i;
      rows += parameter.shape[0];
      expected = parameter.shape;
    }
    if (!wanted) return note(unknown_, name);
    expected[0] = rows;
    if (!(view.shape == expected)) {
      misshapen_fused_[is_bias ? 1 : 0] = true;
      return note(misshapen_, text(name, " ", view.shape, ", expected ", expected));
    }
    Index first = 0;
    for (const std::size_t i : parts) {
      const Index count = parameters_[i].shape[0];
      Shape shape = view.shape;
      shape[0] = count;
      assign(i, name, {view.data + first * view.strides[0], shape, view.strides});
      first += count;
    }
  }

  static void note(std::string& list, const std::string& entry) {
    list += (list.empty() ? "" : ", ") + entry;
  }

  std::vector<Parameter> parameters_;
  std::vector<Source> sources_;
  std::string unknown_, missing_, misshapen_;
  bool misshapen_fused_[2] = {false, false};  // of the weights, of the biases
};

}  // namespace

Status resolve_config(const MultiHeadConfig& config, MultiHeadConfig& resolved) {
  resolved = config;
  if (config.embed_dim < 1 || config.num_heads < 1) {
    return argument_error("embedDim and numHeads are 1 or more; saw ", config.embed_dim, " and ",
                          config.num_heads);
  }
  if (config.num_kv_heads < 0 || config.head_dim < 0 || config.k_dim < 0 || config.v_dim < 0) {
    return argument_error("numKvHeads, headDim, kDim and vDim are 1 or more; saw ",
                          config.num_kv_heads, ", ", config.head_dim, ", ", config.k_dim, " and ",
                          config.v_dim);
  }
  if (config.head_dim == 0) {
    if (config.embed_dim % config.num_heads != 0) {
      return argument_error("embedDim ", config.embed_dim, " is not divisible by numHeads ",
                            config.num_heads);
    }
    resolved.head_dim = config.embed_dim / config.num_heads;
  }
  if (config.num_kv_heads == 0) resolved.num_kv_heads = config.num_heads;
  if (config.num_heads % resolved.num_kv_heads != 0) {
    return argument_error("numHeads ", config.num_heads, " is not a multiple of numKvHeads ",
                          resolved.num_kv_heads);
  }
  if (config.k_dim == 0) resolved.k_dim = config.embed_dim;
  if (config.v_dim == 0) resolved.v_dim = config.embed_dim;
  if (!(config.dropout >= 0 && config.dropout <= 1)) {
    return argument_error("dropout: expected a probability from 0 to 1, saw ", config.dropout);
  }
  const Index widest = std::max({config.embed_dim, resolved.k_dim, resolved.v_dim});
  if (Shape{config.num_heads, resolved.head_dim, widest}.elements() < 0) {
    return argument_error("numHeads ", config.num_heads, " of headDim ", resolved.head_dim,
                          " and inputs of width ", widest, " make weights that no memory holds");
  }
  return {};
}

Status create_parameters(const MultiHeadConfig& config, StateDict& parameters) {
  StateDict made;
  for (const Parameter& parameter : parameters_of(config)) {
    Tensor tensor;
    QKV_TRY(Tensor::create(parameter.shape, tensor));
    if (!parameter.is_bias) {
      // Glorot and Bengio 2010: variances stay alike from layer to layer.
      const auto fans = static_cast<double>(parameter.shape[0] + parameter.shape[1]);
      random::fill_uniform(config.seed, parameter.role, static_cast<float>(std::sqrt(6 / fans)),
                           tensor);
    }
    made.emplace_back(parameter.name, std::move(tensor));
  }
  parameters = std::move(made);
  return {};
}

Status translate_state_dict(const MultiHeadConfig& config, const StateDictView& entries,
                            StateDict& parameters) {
  Translation translation(config);
  for (const auto& [name, view] : entries) translation.take(name, view);
  QKV_TRY(translation.finish());
  StateDict made;
  for (std::size_t i = 0; i < translation.parameters().size(); ++i) {
    Tensor tensor;
    QKV_TRY(Tensor::copy(translation.source(i), tensor));
    made.emplace_back(translation.parameters()[i].name, std::move(tensor));
  }
  parameters = std::move(made);
  return {};
}

Status find_parameters(const MultiHeadConfig& config, const StateDictView& entries,
                       MultiHeadParameters& parameters) {
  Translation translation(config);
  for (const auto& [name, view] : entries) translation.take(name, view);
  QKV_TRY(translation.finish());
  Projection* projections[] = {&parameters.q, &parameters.k, &parameters.v, &parameters.out};
  for (std::size_t i = 0; i < translation.parameters().size(); ++i) {
    const Parameter& parameter = translation.parameters()[i];
    Projection& projection = *projections[parameter.role];
    (parameter.is_bias ? projection.bias : projection.weight) = translation.source(i);
  }
  return {};
}

StateDictView view_of(const StateDict& entries) {
  StateDictView views;
  for (const auto& [name, tensor] : entries) views.emplace_back(name, tensor);
  return views;
}

}  // namespace qkv
