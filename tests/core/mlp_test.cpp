// GELU, layer norm, sums over tokens, MLP-Mixer and gMLP against their definitions in double
// precision.
#include <gtest/gtest.h>

#include <cmath>

#include "mechanisms/catalogue.hpp"
#include "mechanisms/mlp.hpp"
#include "support/agree.hpp"
#include "support/floats.hpp"
#include "support/numbers.hpp"
#include "support/placed.hpp"
#include "support/settings.hpp"
#include "support/threads.hpp"

namespace qkv::test {
namespace {

using Doubles = std::vector<double>;
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

double gelu(double x, Gelu kind) {
  if (kind == Gelu::exact) return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

Doubles wide(const std::vector<float>& values) { return {values.begin(), values.end()}; }

// a [rows, inner] times b^T, b [columns, inner], plus bias[columns].
Doubles linear(const Doubles& a, const std::vector<float>& b, const std::vector<float>& bias,
               Index rows, Index inner, Index columns) {
  Doubles result;
  for (Index i = 0; i < rows; ++i) {
    for (Index o = 0; o < columns; ++o) {
      double sum = bias.empty() ? 0 : bias[o];
      for (Index d = 0; d < inner; ++d) sum += a[i * inner + d] * b[o * inner + d];
      result.push_back(sum);
    }
  }
  return result;
}

Doubles transposed(const Doubles& a, Index rows, Index columns) {
  Doubles result;
  for (Index c = 0; c < columns; ++c) {
    for (Index r = 0; r < rows; ++r) result.push_back(a[r * columns + c]);
  }
  return result;
}

Doubles norm(Doubles x, Index width, const std::vector<float>& weight,
             const std::vector<float>& bias, double epsilon) {
  for (std::size_t first = 0; first < x.size(); first += static_cast<std::size_t>(width)) {
    double mean = 0, variance = 0;
    for (Index d = 0; d < width; ++d) mean += x[first + d] / static_cast<double>(width);
    for (Index d = 0; d < width; ++d) {
      variance += (x[first + d] - mean) * (x[first + d] - mean) / static_cast<double>(width);
    }
    for (Index d = 0; d < width; ++d) {
      x[first + d] = (x[first + d] - mean) / std::sqrt(variance + epsilon) *
                         (weight.empty() ? 1.0 : weight[d]) +
                     (bias.empty() ? 0.0 : bias[d]);
    }
  }
  return x;
}

TEST(Gelu, KnownValues) {
  float x[] = {1, -1, 0, 2, -3};
  ASSERT_TRUE(ok(mlp::apply_gelu(Gelu::exact, x, 5)));
  EXPECT_NEAR(x[0], 0.841344746, 1e-7);
  EXPECT_NEAR(x[1], -0.158655254, 1e-7);
  EXPECT_EQ(x[2], 0);
  EXPECT_NEAR(x[3], 1.954499736, 2e-7);
  EXPECT_NEAR(x[4], -0.004049694, 1e-8);
  float y[] = {1, -1};
  ASSERT_TRUE(ok(mlp::apply_gelu(Gelu::tanh, y, 2)));
  EXPECT_NEAR(y[0], 0.841191990, 1e-7);
  EXPECT_NEAR(y[1], -0.158808010, 1e-7);
}

// Every backend, over all sizes of number; far below 0 the result is as small as the exponential,
// whose argument is a rounded square.
TEST(Gelu, EverywhereOnEveryBackend) {
  const KeepBackend keep;
  const std::vector<float> x = floats_up_to(20, 40009);
  for (const Gelu kind : {Gelu::exact, Gelu::tanh}) {
    Doubles want;
    for (const float value : x) want.push_back(gelu(value, kind));
    for (const std::string_view name : backends()) {
      ASSERT_TRUE(ok(try_set_backend(name)));
      std::vector<float> got = x;
      ASSERT_TRUE(ok(mlp::apply_gelu(kind, got.data(), static_cast<Index>(got.size()))));
      EXPECT_TRUE(agree(got, want, {3e-7, 1e-7})) << name;
    }
  }
}

TEST(Gelu, ExtremesAndRests) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const Gelu kind : {Gelu::exact, Gelu::tanh}) {
    float x[] = {nan, infinity, 3e38f, -3e38f, 100, -100};
    ASSERT_TRUE(ok(mlp::apply_gelu(kind, x, 6)));
    EXPECT_TRUE(std::isnan(x[0]));
    EXPECT_EQ(x[1], infinity);
    EXPECT_EQ(x[2], 3e38f);
    EXPECT_EQ(x[3], 0);
    EXPECT_EQ(x[4], 100);
    EXPECT_EQ(x[5], 0);
    // A block of 1,024 and what is left; the number behind stays.
    for (const Index n : {0, 1, 3, 4, 5, 1023, 1024, 1025, 1030}) {
      std::vector<float> y(static_cast<std::size_t>(n) + 1, 1.0f);
      ASSERT_TRUE(ok(mlp::apply_gelu(kind, y.data(), n)));
      for (Index i = 0; i < n; ++i) ASSERT_NEAR(y[i], gelu(1, kind), 1e-7);
      EXPECT_EQ(y[n], 1);
    }
  }
}

TEST(LayerNorm, AgreesAndRunsInPlace) {
  Numbers numbers(1);
  for (const Index width : {1, 2, 3, 4, 7, 64, 65}) {
    const Index count = 70;
    std::vector<float> x = numbers.list(count * width, 10, 13);
    const std::vector<float> weight = numbers.list(width), bias = numbers.list(width);
    const ConstTensorView scale(weight.data(), {width}), shift(bias.data(), {width});
    const Doubles want = norm(wide(x), width, weight, bias, 1e-5);
    mlp::LayerNorm(scale, shift, 1e-5f).apply({x.data(), width}, {x.data(), width}, count, width);
    EXPECT_TRUE(agree(x, want)) << width;
  }
}

// Weights, more of them than are used, at every size around panels, tiles and bands.
TEST(TokenSums, EveryBackendAndSize) {
  const KeepBackend keep;
  Numbers numbers(2);
  int round = 0;
  for (const Index tokens : {0, 1, 3, 8, 16, 17, 63, 64, 65, 130, 200}) {
    for (const Index width : {0, 1, 5, 16, 33}) {
      const bool causal = ++round % 2 == 0, multiplies = round % 3 == 0;
      const Index outputs = causal ? tokens : tokens + round % 5, entries = 2;
      // Sums of such products are exact in any order.
      const std::vector<float> weight = numbers.grid(outputs * tokens), bias = numbers.grid(outputs);
      const std::vector<float> value = numbers.grid(entries * tokens * width);
      const std::vector<float> before = numbers.grid(entries * outputs * width);
      Doubles want;
      for (Index e = 0; e < entries; ++e) {
        for (Index i = 0; i < outputs; ++i) {
          for (Index d = 0; d < width; ++d) {
            double sum = bias[i];
            for (Index j = 0; j < (causal ? i + 1 : tokens); ++j) {
              sum += static_cast<double>(weight[i * tokens + j]) * value[(e * tokens + j) * width + d];
            }
            want.push_back(multiplies ? sum * before[(e * outputs + i) * width + d] : sum);
          }
        }
      }
      const Placed weights({outputs, tokens}, weight, layouts[round % 5]);
      const Placed added({outputs}, bias);
      for (const std::string_view name : backends()) {
        ASSERT_TRUE(ok(try_set_backend(name)));
        std::vector<float> result = before, values = value;
        mlp::TokenSums sums;
        sums.weight = weights.view();
        sums.bias = added.view();
        sums.outputs = outputs;
        sums.tokens = tokens;
        sums.width = width;
        sums.entries = entries;
        sums.value = {values.data(), width};
        sums.result = {result.data(), width};
        sums.value_entry = tokens * width;
        sums.result_entry = outputs * width;
        sums.causal = causal;
        sums.multiplies = multiplies;
        ASSERT_TRUE(ok(sums.run()));
        ASSERT_TRUE(agree(result, want)) << name << " " << tokens << " " << width;
      }
    }
  }
}

struct MixerCase {
  Index batch, n, d, token_hidden, channel_hidden;
  Gelu kind = Gelu::exact;
  bool plain = false;  // without biases and without the weights of the norms
  std::vector<float> x, norm_1[2], norm_2[2], token[4], channel[4];

  MixerCase(Index batch, Index n, Index d, Index token_hidden, Index channel_hidden,
            std::uint64_t seed)
      : batch(batch), n(n), d(d), token_hidden(token_hidden), channel_hidden(channel_hidden) {
    Numbers numbers(seed);
    x = numbers.list(batch * n * d);
    for (auto* part : {norm_1, norm_2}) {
      for (int i = 0; i < 2; ++i) part[i] = numbers.list(d);
    }
    const float token_bound = 1 / std::sqrt(static_cast<float>(n) + 1);
    token[0] = numbers.list(token_hidden * n, -token_bound, token_bound);
    token[1] = numbers.list(token_hidden);
    token[2] = numbers.list(n * token_hidden, -0.3f, 0.3f);
    token[3] = numbers.list(n);
    channel[0] = numbers.list(channel_hidden * d, -0.5f, 0.5f);
    channel[1] = numbers.list(channel_hidden);
    channel[2] = numbers.list(d * channel_hidden, -0.3f, 0.3f);
    channel[3] = numbers.list(d);
  }

  Doubles reference() const {
    Doubles result;
    const std::vector<float> none;
    const auto of = [&](const std::vector<float>& part) { return plain ? none : part; };
    for (Index b = 0; b < batch; ++b) {
      Doubles state(x.begin() + b * n * d, x.begin() + (b + 1) * n * d);
      Doubles y = transposed(norm(state, d, of(norm_1[0]), of(norm_1[1]), 1e-5), n, d);
      y = linear(y, token[0], of(token[1]), d, n, token_hidden);
      for (double& value : y) value = gelu(value, kind);
      y = transposed(linear(y, token[2], of(token[3]), d, token_hidden, n), d, n);
      for (std::size_t i = 0; i < state.size(); ++i) state[i] += y[i];
      y = linear(norm(state, d, of(norm_2[0]), of(norm_2[1]), 1e-5), channel[0], of(channel[1]), n, d,
                 channel_hidden);
      for (double& value : y) value = gelu(value, kind);
      y = linear(y, channel[2], of(channel[3]), n, channel_hidden, d);
      for (std::size_t i = 0; i < state.size(); ++i) result.push_back(state[i] + y[i]);
    }
    return result;
  }

  std::vector<float> run(Layout inputs = Layout::row_major,
                         Layout results = Layout::row_major) const {
    const Placed from({batch, n, d}, x, inputs);
    const Placed norms[] = {{{d}, norm_1[0], inputs}, {{d}, norm_1[1], inputs},
                            {{d}, norm_2[0], inputs}, {{d}, norm_2[1], inputs}};
    const Placed tokens[] = {{{token_hidden, n}, token[0], inputs}, {{token_hidden}, token[1], inputs},
                             {{n, token_hidden}, token[2], inputs}, {{n}, token[3], inputs}};
    const Placed channels[] = {{{channel_hidden, d}, channel[0], inputs},
                               {{channel_hidden}, channel[1], inputs},
                               {{d, channel_hidden}, channel[2], inputs},
                               {{d}, channel[3], inputs}};
    MixerOptions options;
    options.gelu = kind;
    options.token_weight_1 = tokens[0].view();
    options.token_weight_2 = tokens[2].view();
    options.channel_weight_1 = channels[0].view();
    options.channel_weight_2 = channels[2].view();
    if (!plain) {
      options.norm_1_weight = norms[0].view();
      options.norm_1_bias = norms[1].view();
      options.norm_2_weight = norms[2].view();
      options.norm_2_bias = norms[3].view();
      options.token_bias_1 = tokens[1].view();
      options.token_bias_2 = tokens[3].view();
      options.channel_bias_1 = channels[1].view();
      options.channel_bias_2 = channels[3].view();
    }
    Placed to({batch, n, d}, results, 9);
    EXPECT_TRUE(ok(try_mlp_mixer(from.view(), to.view(), options)));
    EXPECT_TRUE(to.gaps_untouched());
    return to.values();
  }
};

TEST(MlpMixer, Sizes) {
  std::uint64_t seed = 0;
  for (const Index n : {0, 1, 7, 63, 64, 65, 130}) {
    for (const Index d : {1, 8, 17}) {
      MixerCase made(2, n, d, n % 2 == 0 ? 5 : 20, 12, ++seed);
      made.kind = seed % 2 == 0 ? Gelu::tanh : Gelu::exact;
      made.plain = seed % 3 == 0;
      // Of one feature a norm leaves 0, and of those of the plain form nothing at all.
      EXPECT_TRUE(agree(made.run(), made.reference())) << n << " " << d;
    }
  }
}

TEST(MlpMixer, AnyStridesAndThreads) {
  const MixerCase made(3, 33, 9, 40, 14, 50);
  const Doubles want = made.reference();
  for (const Layout inputs : layouts) {
    for (const Layout results : layouts) EXPECT_TRUE(agree(made.run(inputs, results), want));
  }
  const MixerCase large(2, 150, 40, 70, 80, 51);
  expect_same_on_any_threads([&] { return large.run(); });
}

// Without weights both parts add nothing.
TEST(MlpMixer, NoHiddenUnitsLeaveTheInput) {
  MixerCase made(2, 5, 4, 0, 0, 52);
  made.plain = true;
  EXPECT_TRUE(same_bits(made.run(), made.x));
}

TEST(MlpMixer, BatchesStayApart) {
  MixerCase made(2, 20, 6, 8, 9, 53);
  const std::vector<float> before = made.run();
  made.x[0] = nan;
  const std::vector<float> after = made.run();
  for (std::size_t i = 0; i < 120; ++i) EXPECT_TRUE(std::isnan(after[i])) << i;
  EXPECT_TRUE(same_bits({before.begin() + 120, before.end()}, {after.begin() + 120, after.end()}));
}

TEST(MlpMixer, RefusesWhatDoesNotFit) {
  float numbers[100] = {}, memory[12];
  const auto view = [&](const Shape& s) { return ConstTensorView(numbers, s); };
  const ErrorCode shape = ErrorCode::shape;
  MixerOptions good;
  good.token_weight_1 = view({5, 3});
  good.token_weight_2 = view({3, 5});
  good.channel_weight_1 = view({6, 4});
  good.channel_weight_2 = view({4, 6});
  const auto call = [&](const MixerOptions& options) {
    return try_mlp_mixer(view({3, 4}), {memory, {3, 4}}, options);
  };
  EXPECT_TRUE(ok(call(good)));
  const auto with = [&](ConstTensorView MixerOptions::*part, const Shape& s) {
    MixerOptions options = good;
    options.*part = view(s);
    return call(options);
  };
  EXPECT_TRUE(refused(with(&MixerOptions::token_weight_1, {5, 4}), shape, {"tokenWeight1", "3", "[5, 4]"}));
  EXPECT_TRUE(refused(with(&MixerOptions::token_weight_2, {5, 3}), shape, {"tokenWeight2", "[3, 5]", "[5, 3]"}));
  EXPECT_TRUE(refused(with(&MixerOptions::channel_weight_1, {6, 3}), shape, {"channelWeight1", "4", "[6, 3]"}));
  EXPECT_TRUE(refused(with(&MixerOptions::channel_weight_2, {6, 4}), shape, {"channelWeight2", "[4, 6]"}));
  EXPECT_TRUE(refused(with(&MixerOptions::token_bias_1, {4}), shape, {"tokenBias1", "[5]", "[4]"}));
  EXPECT_TRUE(refused(with(&MixerOptions::token_bias_2, {5}), shape, {"tokenBias2", "[3]"}));
  EXPECT_TRUE(refused(with(&MixerOptions::channel_bias_1, {4}), shape, {"channelBias1", "[6]"}));
  EXPECT_TRUE(refused(with(&MixerOptions::channel_bias_2, {6}), shape, {"channelBias2", "[4]"}));
  EXPECT_TRUE(refused(with(&MixerOptions::norm_1_weight, {3}), shape, {"norm1Weight", "[4]"}));
  EXPECT_TRUE(refused(with(&MixerOptions::norm_1_bias, {3}), shape, {"norm1Bias", "[4]"}));
  EXPECT_TRUE(refused(with(&MixerOptions::norm_2_weight, {3}), shape, {"norm2Weight", "[4]"}));
  EXPECT_TRUE(refused(with(&MixerOptions::norm_2_bias, {3}), shape, {"norm2Bias", "[4]"}));
  MixerOptions options = good;
  options.token_weight_1 = {};
  EXPECT_TRUE(refused(call(options), shape, {"tokenWeight1", "[]"}));
  options = good;
  options.epsilon = -1;
  EXPECT_TRUE(refused(call(options), ErrorCode::argument, {"epsilon", "-1"}));
  EXPECT_TRUE(refused(try_mlp_mixer(view({3, 4}), {memory, {4, 3}}, good), shape, {"result", "[3, 4]"}));
}

struct GmlpCase {
  Index batch, n, d, inner, most;
  Gelu kind = Gelu::exact;
  bool causal = false, plain = false;
  std::vector<float> x, norm_0[2], in[2], gate[2], spatial[2], out[2];

  GmlpCase(Index batch, Index n, Index d, Index inner, Index most, std::uint64_t seed)
      : batch(batch), n(n), d(d), inner(inner), most(most) {
    Numbers numbers(seed);
    x = numbers.list(batch * n * d);
    for (auto& part : norm_0) part = numbers.list(d);
    in[0] = numbers.list(2 * inner * d, -0.5f, 0.5f);
    in[1] = numbers.list(2 * inner);
    for (auto& part : gate) part = numbers.list(inner);
    const float bound = 1 / std::sqrt(static_cast<float>(most) + 1);
    spatial[0] = numbers.list(most * most, -bound, bound);
    spatial[1] = numbers.list(most);
    out[0] = numbers.list(d * inner, -0.3f, 0.3f);
    out[1] = numbers.list(d);
  }

  Doubles reference() const {
    Doubles result;
    const std::vector<float> none;
    const auto of = [&](const std::vector<float>& part) { return plain ? none : part; };
    for (Index b = 0; b < batch; ++b) {
      const Doubles tokens(x.begin() + b * n * d, x.begin() + (b + 1) * n * d);
      Doubles both = linear(norm(tokens, d, of(norm_0[0]), of(norm_0[1]), 1e-5), in[0], of(in[1]), n, d,
                            2 * inner);
      Doubles v, gated;
      for (Index i = 0; i < n; ++i) {
        for (Index f = 0; f < inner; ++f) v.push_back(gelu(both[(2 * i + 1) * inner + f], kind));
      }
      v = norm(v, inner, of(gate[0]), of(gate[1]), 1e-5);
      for (Index i = 0; i < n; ++i) {
        for (Index f = 0; f < inner; ++f) {
          double sum = plain ? 0 : spatial[1][i];
          for (Index j = 0; j < (causal ? i + 1 : n); ++j) {
            sum += spatial[0][i * most + j] * v[j * inner + f];
          }
          gated.push_back(sum * gelu(both[2 * i * inner + f], kind));
        }
      }
      const Doubles added = linear(gated, out[0], of(out[1]), n, inner, d);
      for (std::size_t i = 0; i < added.size(); ++i) result.push_back(tokens[i] + added[i]);
    }
    return result;
  }

  std::vector<float> run(Layout inputs = Layout::row_major,
                         Layout results = Layout::row_major) const {
    const Placed from({batch, n, d}, x, inputs);
    const Placed norms[] = {{{d}, norm_0[0], inputs}, {{d}, norm_0[1], inputs},
                            {{inner}, gate[0], inputs}, {{inner}, gate[1], inputs}};
    const Placed weights[] = {{{2 * inner, d}, in[0], inputs}, {{most, most}, spatial[0], inputs},
                              {{d, inner}, out[0], inputs}};
    const Placed biases[] = {{{2 * inner}, in[1], inputs}, {{most}, spatial[1], inputs},
                             {{d}, out[1], inputs}};
    GmlpOptions options;
    options.causal = causal;
    options.gelu = kind;
    options.in_weight = weights[0].view();
    options.spatial_weight = weights[1].view();
    options.out_weight = weights[2].view();
    if (!plain) {
      options.norm_weight = norms[0].view();
      options.norm_bias = norms[1].view();
      options.gate_norm_weight = norms[2].view();
      options.gate_norm_bias = norms[3].view();
      options.in_bias = biases[0].view();
      options.spatial_bias = biases[1].view();
      options.out_bias = biases[2].view();
    }
    Placed to({batch, n, d}, results, 9);
    EXPECT_TRUE(ok(try_gmlp(from.view(), to.view(), options)));
    EXPECT_TRUE(to.gaps_untouched());
    return to.values();
  }
};

TEST(Gmlp, Sizes) {
  std::uint64_t seed = 100;
  for (const Index n : {0, 1, 7, 63, 64, 65, 130}) {
    for (const Index d : {1, 8, 17}) {
      for (const bool causal : {false, true}) {
        GmlpCase made(2, n, d, 10, causal ? n + 9 : n, ++seed);
        made.causal = causal;
        made.kind = seed % 2 == 0 ? Gelu::tanh : Gelu::exact;
        made.plain = seed % 3 == 0;
        EXPECT_TRUE(agree(made.run(), made.reference())) << n << " " << d << " " << causal;
      }
    }
  }
}

TEST(Gmlp, AnyStridesAndThreads) {
  for (const bool causal : {false, true}) {
    GmlpCase made(3, 33, 9, 7, 33, 200);
    made.causal = causal;
    const Doubles want = made.reference();
    for (const Layout inputs : layouts) {
      for (const Layout results : layouts) EXPECT_TRUE(agree(made.run(inputs, results), want));
    }
    GmlpCase large(2, 150, 40, 70, 150, 201);
    large.causal = causal;
    expect_same_on_any_threads([&] { return large.run(); });
  }
}

TEST(Gmlp, CausalTokensDoNotSeeLaterOnes) {
  GmlpCase made(2, 150, 6, 8, 160, 202);
  made.causal = true;
  const std::vector<float> before = made.run();
  // From every place on, within a panel and at its ends.
  for (const Index first : {1, 3, 8, 16, 63, 64, 77, 149}) {
    GmlpCase changed = made;
    for (Index b = 0; b < 2; ++b) {
      for (Index at = first * 6; at < 150 * 6; ++at) changed.x[b * 900 + at] = nan;
    }
    // Neither are weights above the diagonal read.
    for (Index i = 0; i < 160; ++i) {
      for (Index j = i + 1; j < 160; ++j) changed.spatial[0][i * 160 + j] = nan;
    }
    const std::vector<float> after = changed.run();
    for (Index b = 0; b < 2; ++b) {
      EXPECT_TRUE(same_bits({before.begin() + b * 900, before.begin() + b * 900 + first * 6},
                            {after.begin() + b * 900, after.begin() + b * 900 + first * 6}))
          << first;
      EXPECT_TRUE(std::isnan(after[b * 900 + first * 6]));
    }
  }
}

TEST(Gmlp, RefusesWhatDoesNotFit) {
  float numbers[100] = {}, memory[12];
  const auto view = [&](const Shape& s) { return ConstTensorView(numbers, s); };
  const ErrorCode shape = ErrorCode::shape;
  GmlpOptions good;
  good.in_weight = view({10, 4});
  good.spatial_weight = view({3, 3});
  good.out_weight = view({4, 5});
  const auto call = [&](const GmlpOptions& options) {
    return try_gmlp(view({3, 4}), {memory, {3, 4}}, options);
  };
  EXPECT_TRUE(ok(call(good)));
  const auto with = [&](ConstTensorView GmlpOptions::*part, const Shape& s) {
    GmlpOptions options = good;
    options.*part = view(s);
    return call(options);
  };
  EXPECT_TRUE(refused(with(&GmlpOptions::in_weight, {10, 3}), shape, {"inWeight", "4", "[10, 3]"}));
  EXPECT_TRUE(refused(with(&GmlpOptions::in_weight, {9, 4}), shape, {"inWeight", "9", "[9, 4]"}));
  EXPECT_TRUE(refused(with(&GmlpOptions::in_bias, {5}), shape, {"inBias", "[10]", "[5]"}));
  EXPECT_TRUE(refused(with(&GmlpOptions::norm_weight, {5}), shape, {"normWeight", "[4]"}));
  EXPECT_TRUE(refused(with(&GmlpOptions::norm_bias, {5}), shape, {"normBias", "[4]"}));
  EXPECT_TRUE(refused(with(&GmlpOptions::gate_norm_weight, {4}), shape, {"gateNormWeight", "[5]"}));
  EXPECT_TRUE(refused(with(&GmlpOptions::gate_norm_bias, {4}), shape, {"gateNormBias", "[5]"}));
  EXPECT_TRUE(refused(with(&GmlpOptions::spatial_weight, {4, 4}), shape, {"spatialWeight", "[3, 3]", "[4, 4]"}));
  EXPECT_TRUE(refused(with(&GmlpOptions::spatial_weight, {3, 4}), shape, {"spatialWeight", "[3, 4]"}));
  EXPECT_TRUE(refused(with(&GmlpOptions::spatial_bias, {4}), shape, {"spatialBias", "[3]", "[4]"}));
  EXPECT_TRUE(refused(with(&GmlpOptions::out_weight, {5, 4}), shape, {"outWeight", "[4, 5]", "[5, 4]"}));
  EXPECT_TRUE(refused(with(&GmlpOptions::out_bias, {5}), shape, {"outBias", "[4]"}));
  GmlpOptions causal = good;
  causal.causal = true;
  causal.spatial_weight = view({2, 2});
  EXPECT_TRUE(refused(call(causal), shape, {"spatialWeight", "3", "[2, 2]"}));
  causal.spatial_weight = view({4, 4});
  causal.spatial_bias = view({4});
  EXPECT_TRUE(ok(call(causal)));
  causal.epsilon = nan;
  EXPECT_TRUE(refused(call(causal), ErrorCode::argument, {"epsilon", "NaN"}));
}

TEST(Mlp, CatalogueEntries) {
  for (const Mechanism* entry : {&catalogue::mlp_mixer, &catalogue::gmlp}) {
    std::vector<double> parameters;
    for (const MechanismParameter& parameter : entry->parameters) parameters.push_back(parameter.value);
    for (const Index n : {0, 1, 5, 64, 100}) {
      for (const Index d : {3, 8}) {
        const std::vector<float> x = Numbers(13).list(n * d);
        std::vector<float> result(x.size(), nan);
        ASSERT_TRUE(ok(try_run(*entry, {x.data(), {n, d}}, parameters, {result.data(), {n, d}})));
        for (const float value : result) EXPECT_TRUE(std::isfinite(value)) << entry->name;
        EXPECT_GE(entry->cost(n, d, parameters.data()).multiply_adds, static_cast<double>(n * d));
      }
    }
    EXPECT_EQ(entry->pattern, nullptr);
  }
}

}  // namespace
}  // namespace qkv::test
