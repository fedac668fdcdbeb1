// The layers as classes: shapes, parameters, training, and multi-head attention worked out in double
// precision.
#include <gtest/gtest.h>

#include "qkv/layers.hpp"
#include "qkv/position.hpp"
#include "reference.hpp"
#include "support/agree.hpp"
#include "support/placed.hpp"

namespace qkv::test {
namespace {

MultiHeadConfig config_of(Index embed, Index heads, Index kv_heads = 0, Index head_dim = 0) {
  MultiHeadConfig config;
  config.embed_dim = embed;
  config.num_heads = heads;
  config.num_kv_heads = kv_heads;
  config.head_dim = head_dim;
  config.seed = 3;
  return config;
}

MultiHeadAttention made(const MultiHeadConfig& config) {
  MultiHeadAttention layer;
  EXPECT_TRUE(ok(MultiHeadAttention::create(config, layer)));
  return layer;
}

std::vector<float> parameter(const MultiHeadAttention& layer, const std::string& name) {
  for (const auto& [entry, view] : layer.state_dict()) {
    if (entry == name) return std::vector<float>(view.data, view.data + view.shape.elements());
  }
  ADD_FAILURE() << "no parameter " << name;
  return {};
}

std::vector<float> run(const MultiHeadAttention& layer, const ConstTensorView& query,
                       const ConstTensorView& key, const ConstTensorView& value,
                       const LayerOptions& options = {}, Layout layout = Layout::row_major) {
  Placed result(query.shape, layout, 9);
  EXPECT_TRUE(ok(layer.try_forward(query, key, value, result.view(), options)));
  EXPECT_TRUE(result.gaps_untouched());
  return result.values();
}

// x [entries, length, in] through W [out, in] and b, to [entries, heads, length, out / heads].
std::vector<float> projected(const std::vector<float>& x, const std::vector<float>& weight,
                             const std::vector<float>& bias, Index entries, Index length, Index in,
                             Index heads) {
  const Index out = static_cast<Index>(weight.size()) / in, dim = out / heads;
  std::vector<float> result(static_cast<std::size_t>(entries * length * out));
  for (Index e = 0; e < entries; ++e) {
    for (Index i = 0; i < length; ++i) {
      for (Index o = 0; o < out; ++o) {
        double sum = bias.empty() ? 0 : bias[static_cast<std::size_t>(o)];
        for (Index d = 0; d < in; ++d) {
          sum += static_cast<double>(x[(e * length + i) * in + d]) * weight[o * in + d];
        }
        result[((e * heads + o / dim) * length + i) * dim + o % dim] = static_cast<float>(sum);
      }
    }
  }
  return result;
}

// The layer in double precision around the reference attention; biases as the layer has them.
std::vector<double> reference_layer(const MultiHeadAttention& layer, PlainCall call,
                                    const std::vector<float>& query, const std::vector<float>& key,
                                    const std::vector<float>& value) {
  const MultiHeadConfig& config = layer.config();
  const auto bias = [&](const char* name) {
    return config.bias ? parameter(layer, name) : std::vector<float>();
  };
  call.heads = config.num_heads;
  call.kv_heads = config.num_kv_heads;
  call.width = call.key_width = call.value_width = config.head_dim;
  call.query = projected(query, parameter(layer, "q_proj.weight"), bias("q_proj.bias"), call.batch,
                          call.queries, config.embed_dim, call.heads);
  call.key = projected(key, parameter(layer, "k_proj.weight"), bias("k_proj.bias"), call.batch,
                        call.keys, config.k_dim, call.kv_heads);
  call.value = projected(value, parameter(layer, "v_proj.weight"), bias("v_proj.bias"), call.batch,
                          call.keys, config.v_dim, call.kv_heads);
  const std::vector<double> heads = reference(call).output;
  const std::vector<float> weight = parameter(layer, "out_proj.weight"), out_bias = bias("out_proj.bias");
  std::vector<double> output;
  const Index dim = config.head_dim, width = config.num_heads * dim;
  for (Index b = 0; b < call.batch; ++b) {
    for (Index i = 0; i < call.queries; ++i) {
      for (Index o = 0; o < config.embed_dim; ++o) {
        double sum = out_bias.empty() ? 0 : out_bias[static_cast<std::size_t>(o)];
        for (Index h = 0; h < config.num_heads; ++h) {
          for (Index d = 0; d < dim; ++d) {
            sum += weight[o * width + h * dim + d] *
                   heads[((b * config.num_heads + h) * call.queries + i) * dim + d];
          }
        }
        output.push_back(sum);
      }
    }
  }
  return output;
}

TEST(MultiHead, AgreesWithItsDefinition) {
  for (const bool bias : {true, false}) {
    for (const auto& [heads, kv_heads, head_dim] :
         {std::tuple<Index, Index, Index>{1, 1, 0}, {3, 3, 0}, {6, 2, 0}, {4, 1, 5}}) {
      MultiHeadConfig config = config_of(12, heads, kv_heads, head_dim);
      config.bias = bias;
      config.k_dim = 7;
      config.v_dim = 9;
      MultiHeadAttention layer = made(config);
      Numbers numbers(static_cast<std::uint64_t>(heads));
      if (bias) {
        // Biases begin at zero; give them something to do.
        StateDict loaded;
        StateDictView entries = layer.state_dict();
        for (auto& [name, view] : entries) {
          Tensor tensor;
          ASSERT_TRUE(ok(Tensor::copy(view, tensor)));
          if (view.shape.rank() == 1) {
            for (Index i = 0; i < tensor.size(); ++i) tensor[i] = numbers.uniform();
          }
          loaded.emplace_back(name, std::move(tensor));
          view = loaded.back().second;
        }
        ASSERT_TRUE(ok(layer.try_load_state_dict(entries)));
      }
      for (const Mask& mask : {Mask(), mask::causal(1)}) {
        PlainCall call;
        call.batch = 2;
        call.queries = 5;
        call.keys = 20;
        call.mask = mask;
        for (Index n = 0; !mask.all() && n < 2 * heads * 100; ++n) {
          call.allowed.push_back(n % 20 <= n / 20 % 5 + 1 ? 1 : 0);
        }
        const std::vector<float> query = numbers.list(2 * 5 * 12), key = numbers.list(2 * 20 * 7);
        const std::vector<float> value = numbers.list(2 * 20 * 9);
        LayerOptions options;
        options.mask = mask;
        const std::vector<double> want = reference_layer(layer, call, query, key, value);
        for (const Layout layout : layouts) {
          const Placed q({2, 5, 12}, query, layout), k({2, 20, 7}, key, layout);
          const Placed v({2, 20, 9}, value, layout);
          EXPECT_TRUE(agree(run(layer, q.view(), k.view(), v.view(), options, layout), want, {2e-6, 2e-6}));
        }
      }
    }
  }
}

TEST(MultiHead, FurtherResultsHaveAHeadAxis) {
  const MultiHeadAttention layer = made(config_of(8, 4));
  const std::vector<float> x = Numbers(1).list(2 * 5 * 8);
  Placed weights({2, 4, 5, 5}), log_sum_exp({2, 4, 5});
  LayerOptions options;
  options.returns.weights = weights.view();
  options.returns.log_sum_exp = log_sum_exp.view();
  run(layer, {x.data(), {2, 5, 8}}, {x.data(), {2, 5, 8}}, {x.data(), {2, 5, 8}}, options);
  const std::vector<float> rows = weights.values();
  for (std::size_t row = 0; row < rows.size(); row += 5) {
    EXPECT_NEAR(rows[row] + rows[row + 1] + rows[row + 2] + rows[row + 3] + rows[row + 4], 1, 1e-6);
  }
  for (const float x : log_sum_exp.values()) EXPECT_TRUE(std::isfinite(x));
}

TEST(MultiHead, TakesNoBatchAndSeveral) {
  const MultiHeadAttention layer = made(config_of(8, 2));
  const std::vector<float> x = Numbers(2).list(2 * 3 * 5 * 8);
  const std::vector<float> all = run(layer, {x.data(), {2, 3, 5, 8}}, {x.data(), {2, 3, 5, 8}},
                                     {x.data(), {2, 3, 5, 8}});
  for (Index entry = 0; entry < 6; ++entry) {
    const ConstTensorView one(x.data() + entry * 40, {5, 8});
    EXPECT_TRUE(same_bits(run(layer, one, one, one),
                          std::vector<float>(all.begin() + entry * 40, all.begin() + (entry + 1) * 40)));
  }
}

TEST(MultiHead, OfNothing) {
  const MultiHeadAttention layer = made(config_of(8, 2));
  const std::vector<float> x = Numbers(3).list(5 * 8);
  const ConstTensorView some(x.data(), {1, 5, 8}), none(x.data(), {1, 0, 8});
  EXPECT_TRUE(run(layer, none, some, some).empty());
  // No keys: no head has anything to say, and only the output's bias remains, which begins at zero.
  EXPECT_TRUE(same_bits(run(layer, some, none, none), std::vector<float>(40, 0.0f)));
  const ConstTensorView no_batch(x.data(), {0, 5, 8});
  EXPECT_TRUE(run(layer, no_batch, no_batch, no_batch).empty());
}

TEST(MultiHead, ParametersHaveTheirNamesAndShapes) {
  MultiHeadConfig config = config_of(12, 6, 2, 5);
  config.k_dim = 7;
  config.v_dim = 9;
  const std::pair<const char*, const char*> want[] = {
      {"q_proj.weight", "[30, 12]"}, {"q_proj.bias", "[30]"},   {"k_proj.weight", "[10, 7]"},
      {"k_proj.bias", "[10]"},       {"v_proj.weight", "[10, 9]"}, {"v_proj.bias", "[10]"},
      {"out_proj.weight", "[12, 30]"}, {"out_proj.bias", "[12]"}};
  const MultiHeadAttention layer = made(config);
  const StateDictView entries = layer.state_dict();
  ASSERT_EQ(entries.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(entries[i].first, want[i].first);
    EXPECT_EQ(entries[i].second.shape.to_string(), want[i].second);
  }
  config.bias = false;
  EXPECT_EQ(made(config).state_dict().size(), 4u);
}

// Uniform within the bound of Glorot and Bengio, different for each projection, fixed by the seed.
TEST(MultiHead, FirstParameters) {
  MultiHeadConfig config = config_of(64, 4);
  const MultiHeadAttention layer = made(config), again = made(config);
  config.seed = 4;
  const MultiHeadAttention other = made(config);
  const double bound = std::sqrt(6.0 / 128);
  for (const char* name : {"q_proj.weight", "k_proj.weight", "v_proj.weight", "out_proj.weight"}) {
    const std::vector<float> weight = parameter(layer, name);
    EXPECT_TRUE(same_bits(weight, parameter(again, name)));
    EXPECT_FALSE(same_bits(weight, parameter(other, name)));
    double mean = 0, square = 0, most = 0;
    for (const float w : weight) {
      mean += w / 4096.0;
      square += w * w / 4096.0;
      most = std::fmax(most, std::fabs(w));
    }
    EXPECT_LT(most, bound);
    EXPECT_GT(most, 0.99 * bound);
    EXPECT_NEAR(mean, 0, 5 * bound / std::sqrt(3.0) / 64);
    EXPECT_NEAR(square, bound * bound / 3, 0.05 * bound * bound);
  }
  EXPECT_FALSE(same_bits(parameter(layer, "q_proj.weight"), parameter(layer, "k_proj.weight")));
  EXPECT_TRUE(same_bits(parameter(layer, "q_proj.bias"), std::vector<float>(64, 0.0f)));
}

TEST(MultiHead, DropsOnlyInTraining) {
  MultiHeadConfig config = config_of(8, 2);
  const std::vector<float> x = Numbers(4).list(2 * 30 * 8);
  const ConstTensorView view(x.data(), {2, 30, 8});
  const std::vector<float> plain = run(made(config), view, view, view);
  config.dropout = 0.5f;
  const MultiHeadAttention layer = made(config);
  EXPECT_TRUE(same_bits(run(layer, view, view, view), plain));
  LayerOptions training;
  training.training = true;
  const std::vector<float> dropped = run(layer, view, view, view, training);
  EXPECT_FALSE(same_bits(dropped, plain));
  EXPECT_TRUE(same_bits(dropped, run(layer, view, view, view, training)));
  training.seed = 77;
  EXPECT_FALSE(same_bits(dropped, run(layer, view, view, view, training)));
  training.seed = config.seed;
  EXPECT_TRUE(same_bits(dropped, run(layer, view, view, view, training)));
  // An explicit dropout wins over the layer's, in training or not.
  training.dropout = Dropout{0, 1};
  EXPECT_TRUE(same_bits(run(layer, view, view, view, training), plain));
  LayerOptions always;
  always.dropout = Dropout{1, 1};
  EXPECT_TRUE(same_bits(run(layer, view, view, view, always), std::vector<float>(x.size(), 0.0f)));
}

TEST(MultiHead, Moves) {
  MultiHeadAttention layer = made(config_of(8, 2));
  const std::vector<float> weight = parameter(layer, "v_proj.weight");
  const MultiHeadAttention moved = std::move(layer);
  EXPECT_TRUE(same_bits(parameter(moved, "v_proj.weight"), weight));
}

PositionalEncoding encoding(const PositionalEncodingConfig& config) {
  PositionalEncoding layer;
  EXPECT_TRUE(ok(PositionalEncoding::create(config, layer)));
  return layer;
}

TEST(PositionalEncodingLayer, AddsItsTable) {
  for (const PositionKind kind : {PositionKind::sinusoidal, PositionKind::learned}) {
    const PositionalEncoding layer = encoding({.dim = 5, .max_length = 9, .kind = kind, .seed = 2});
    Tensor table;
    ASSERT_TRUE(ok(Tensor::create({9, 5}, table)));
    ASSERT_TRUE(ok(kind == PositionKind::learned
                       ? position::try_learned(2, table)
                       : position::try_sinusoidal({.length = 9, .dim = 5}, table)));
    EXPECT_TRUE(same_bits(elements(layer.table()), elements(table)));
    const std::vector<float> x = Numbers(5).list(2 * 3 * 7 * 5);
    std::vector<float> want(x);
    for (std::size_t n = 0; n < x.size(); ++n) want[n] += table[static_cast<Index>(n) % 35];
    for (const Layout layout : layouts) {
      const Placed in({2, 3, 7, 5}, x, layout);
      Placed out({2, 3, 7, 5}, layout, 9);
      ASSERT_TRUE(ok(layer.try_forward(in.view(), out.view())));
      EXPECT_TRUE(same_bits(out.values(), want));
      EXPECT_TRUE(out.gaps_untouched());
    }
    std::vector<float> place(x);
    ASSERT_TRUE(ok(layer.try_forward({place.data(), {2, 3, 7, 5}}, {place.data(), {2, 3, 7, 5}})));
    EXPECT_TRUE(same_bits(place, want));
  }
}

TEST(PositionalEncodingLayer, DropsOnlyInTraining) {
  const PositionalEncoding layer = encoding({.dim = 10, .max_length = 50, .dropout = 0.25f, .seed = 3});
  const std::vector<float> x(4 * 50 * 10, 2.0f);
  const ConstTensorView view(x.data(), {4, 50, 10});
  const auto forward = [&](bool training, std::optional<std::uint64_t> seed = std::nullopt) {
    std::vector<float> result(x.size());
    EXPECT_TRUE(ok(layer.try_forward(view, {result.data(), view.shape}, training, seed)));
    return result;
  };
  const std::vector<float> plain = forward(false), dropped = forward(true);
  Index zeros = 0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    if (dropped[n] == 0) {
      ++zeros;
    } else {
      EXPECT_NEAR(dropped[n], plain[n] / 0.75f, 1e-6);
    }
  }
  EXPECT_NEAR(zeros / 2000.0, 0.25, 0.05);
  EXPECT_TRUE(same_bits(dropped, forward(true)));
  EXPECT_TRUE(same_bits(dropped, forward(true, 3)));
  EXPECT_FALSE(same_bits(dropped, forward(true, 4)));
  EXPECT_TRUE(same_bits(plain, forward(false, 4)));
}

}  // namespace
}  // namespace qkv::test
