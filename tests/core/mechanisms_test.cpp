// The catalogue: every entry runs, at every length, with the same bits on any number of threads, and
// tells what it costs.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "qkv/backend.hpp"
#include "qkv/mechanism.hpp"
#include "support/agree.hpp"
#include "support/numbers.hpp"
#include "support/threads.hpp"

namespace qkv::test {
namespace {

std::vector<float> run(const Mechanism& mechanism, const Shape& shape, std::uint32_t seed,
                       std::vector<double> parameters = {}) {
  Made x(shape);
  std::uint32_t state = seed;
  for (Index i = 0; i < x.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    x[i] = static_cast<float>(state >> 8) / 8388608.0f - 1;
  }
  Made result(result_shape(mechanism, shape, parameters));
  EXPECT_TRUE(ok(try_run(mechanism, x, parameters, result))) << mechanism.name;
  return elements(result);
}

class Catalogue : public testing::TestWithParam<const Mechanism*> {};

TEST_P(Catalogue, SaysWhatItIs) {
  const Mechanism& entry = *GetParam();
  for (const char* text : {entry.name, entry.title, entry.paper, entry.time, entry.memory, entry.trap}) {
    ASSERT_NE(text, nullptr);
    EXPECT_NE(std::string(text), "");
    // The texts travel as JSON without anything to escape.
    EXPECT_EQ(std::string(text).find_first_of("\"\\\n"), std::string::npos) << text;
  }
  EXPECT_GE(entry.year, 1950);
  EXPECT_EQ(find_mechanism(entry.name), &entry);
  EXPECT_LE(entry.parameters.size(), 8u);
  for (const MechanismParameter& parameter : entry.parameters) {
    EXPECT_GE(parameter.value, parameter.least) << parameter.name;
  }
}

TEST_P(Catalogue, RunsAtEveryLength) {
  const Mechanism& entry = *GetParam();
  for (const Index n : {0, 1, 2, 3, 7, 63, 64, 65, 100, 130, 257}) {
    for (const Index d : {1, 3, 8, 17}) {
      for (const float x : run(entry, {n, d}, 7)) {
        ASSERT_TRUE(std::isfinite(x)) << entry.name << " of " << n << " tokens, " << d << " features";
      }
    }
  }
}

TEST_P(Catalogue, TakesHeadsOneByOne) {
  const Mechanism& entry = *GetParam();
  const Shape both{2, 70, 8};
  const std::vector<float> together = run(entry, both, 3);
  // Weights are drawn for a head, so that heads with the same tokens give the same.
  Made same(both);
  for (Index i = 0; i < same.size(); ++i) same[i] = std::sin(static_cast<float>(i % 560));
  Made result(result_shape(entry, both, {}));
  ASSERT_TRUE(ok(try_run(entry, same, {}, result)));
  const std::vector<float> all = elements(result);
  const std::size_t half = all.size() / 2;
  EXPECT_TRUE(agree(std::vector<float>(all.begin(), all.begin() + half),
                    std::vector<float>(all.begin() + half, all.end())));
  EXPECT_EQ(together.size(), all.size());
}

TEST_P(Catalogue, DrawsItsWeightsOnce) {
  const Mechanism& entry = *GetParam();
  EXPECT_EQ(entry.weights.empty(), entry.draw == nullptr);
  std::array<Tensor, 4> drawn;
  const std::span<Tensor> weights(drawn.data(), entry.weights.size());
  for (const Index n : {0, 1, 200}) {
    ASSERT_TRUE(ok(try_draw_weights(entry, n, 8, {}, weights)));
    const std::vector<ConstTensorView> views(weights.begin(), weights.end());
    Made x({n, 8});
    for (Index i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
    Made result(result_shape(entry, {n, 8}, {}));
    ASSERT_TRUE(ok(try_run(entry, x, {}, result)));
    std::vector<float> last = elements(result);
    ASSERT_TRUE(ok(try_run(entry, x, {}, result, views)));
    EXPECT_TRUE(same_bits(elements(result), last));
    if (n != 200) continue;
    for (Tensor& weight : weights) {
      for (Index i = 0; i < weight.size(); ++i) {
        weight[i] = 0.1f * static_cast<float>(i % 3) - weight[i];
      }
      ASSERT_TRUE(ok(try_run(entry, x, {}, result, views)));
      EXPECT_FALSE(same_bits(elements(result), last)) << "each of the weights counts";
      last = elements(result);
    }
  }
}

TEST_P(Catalogue, RefusesOtherWeights) {
  const Mechanism& entry = *GetParam();
  Made x({40, 8}), result(result_shape(entry, {40, 8}, {}));
  std::array<Tensor, 4> drawn;
  const std::size_t count = entry.weights.size();
  EXPECT_TRUE(refused(try_draw_weights(entry, -3, 8, {}, {drawn.data(), count}), ErrorCode::argument,
                      {entry.name, "-3"}));
  EXPECT_TRUE(refused(try_draw_weights(entry, 40, 8, {}, {drawn.data(), count > 0 ? count - 1 : 1}),
                      ErrorCode::argument, {entry.name, std::to_string(count)}));
  const std::vector<ConstTensorView> many(count + 1, x);
  EXPECT_TRUE(refused(try_run(entry, x, {}, result, many), ErrorCode::argument,
                      {entry.name, std::to_string(count), std::to_string(count + 1)}));
  if (count == 0) return;
  // Those of other tokens, with other features.
  ASSERT_TRUE(ok(try_draw_weights(entry, 33, 7, {}, {drawn.data(), count})));
  const std::vector<ConstTensorView> wrong(drawn.begin(), drawn.begin() + static_cast<long>(count));
  EXPECT_TRUE(refused(try_run(entry, x, {}, result, wrong), ErrorCode::shape, {entry.weights[0]}));
}

TEST_P(Catalogue, GivesTheSameBitsOnAnyThreads) {
  const Mechanism& entry = *GetParam();
  expect_same_on_any_threads([&] { return run(entry, {2, 600, 32}, 5); }, {2});
}

TEST_P(Catalogue, CostsGrow) {
  const Mechanism& entry = *GetParam();
  MechanismCost shorter, longer;
  ASSERT_TRUE(ok(try_cost(entry, 1024, 64, {}, shorter)));
  ASSERT_TRUE(ok(try_cost(entry, 4096, 64, {}, longer)));
  EXPECT_GE(shorter.multiply_adds, 0);
  EXPECT_GE(longer.multiply_adds, shorter.multiply_adds);
  EXPECT_GE(longer.bytes, shorter.bytes);
  EXPECT_TRUE(refused(try_cost(entry, -1, 64, {}, shorter), ErrorCode::argument, {"-1", "64"}));
}

TEST_P(Catalogue, ShowsThePairsThatItUses) {
  const Mechanism& entry = *GetParam();
  const Index n = 80;
  Made matrix({n, n});
  if (entry.pattern == nullptr) {
    EXPECT_TRUE(refused(try_pattern(entry, n, {}, matrix), ErrorCode::argument, {entry.name}));
    return;
  }
  ASSERT_TRUE(ok(try_pattern(entry, n, {}, matrix)));
  double pairs = 0;
  for (const float x : elements(matrix)) {
    EXPECT_TRUE(x == 0 || x == 1);
    pairs += x;
  }
  EXPECT_GT(pairs, 0);
  EXPECT_TRUE(refused(try_pattern(entry, n + 1, {}, matrix), ErrorCode::shape, {"81", "80"}));
}

TEST_P(Catalogue, RefusesParametersThatItCannotUse) {
  const Mechanism& entry = *GetParam();
  Made x({4, 4}), result(result_shape(entry, {4, 4}, {}));
  std::vector<double> values;
  for (const MechanismParameter& parameter : entry.parameters) values.push_back(parameter.value);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (const double wrong :
         {entry.parameters[i].least - 1, entry.parameters[i].least + 0.5, std::nan("")}) {
      std::vector<double> given = values;
      given[i] = wrong;
      EXPECT_TRUE(refused(try_run(entry, x, given, result), ErrorCode::argument,
                          {entry.name, entry.parameters[i].name}));
    }
  }
  values.push_back(1);
  EXPECT_TRUE(refused(try_run(entry, x, values, result), ErrorCode::argument, {entry.name}));
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, Catalogue, testing::ValuesIn(mechanisms().begin(), mechanisms().end()),
                         [](const auto& info) {
                           std::string name = info.param->name;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Mechanisms, AreAllListedOnce) {
  const std::set<std::string> expected = {
      "attention", "local", "strided", "global", "sparse-transformer", "longformer", "bigbird",
      "graph", "top-k", "reformer", "routing", "clustered", "sinkhorn", "linformer", "compressed",
      "linear", "efficient", "performer", "rfa", "synthesizer-dense", "synthesizer-random",
      "synthesizer-factorized", "fnet", "mlp-mixer", "gmlp", "hard", "location-soft",
      "location-hard", "conv1d", "rnn"};
  std::set<std::string> names;
  for (const Mechanism* mechanism : mechanisms()) {
    EXPECT_TRUE(names.insert(mechanism->name).second) << mechanism->name;
  }
  EXPECT_EQ(names, expected);
  EXPECT_EQ(find_mechanism("no such"), nullptr);
}

}  // namespace
}  // namespace qkv::test
