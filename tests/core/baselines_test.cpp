// Convolution and recurrence against float64, and the proof that attention by offsets is convolution.
#include <gtest/gtest.h>

#include <limits>

#include "mechanisms/catalogue.hpp"
#include "qkv/baselines.hpp"
#include "qkv/linear.hpp"
#include "support/agree.hpp"
#include "support/numbers.hpp"
#include "support/placed.hpp"
#include "support/threads.hpp"

namespace qkv::test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// Sizes of one convolution.
struct Sizes {
  Index length, inputs, outputs, kernel;
};

std::vector<double> conv64(const std::vector<float>& x, const std::vector<float>& weight,
                           const std::vector<float>& bias, Index entries, const Sizes& s, Index left) {
  std::vector<double> result;
  for (Index entry = 0; entry < entries; ++entry) {
    for (Index i = 0; i < s.length; ++i) {
      for (Index o = 0; o < s.outputs; ++o) {
        double sum = bias.empty() ? 0 : bias[static_cast<std::size_t>(o)];
        for (Index t = 0; t < s.kernel; ++t) {
          const Index j = i + t - left;
          if (j < 0 || j >= s.length) continue;
          for (Index c = 0; c < s.inputs; ++c) {
            sum += static_cast<double>(weight[(o * s.inputs + c) * s.kernel + t]) *
                   x[(entry * s.length + j) * s.inputs + c];
          }
        }
        result.push_back(sum);
      }
    }
  }
  return result;
}

constexpr Sizes conv_sizes[] = {{0, 2, 3, 3}, {1, 1, 1, 1}, {1, 3, 2, 5}, {7, 2, 3, 3},  {7, 0, 2, 3},
                                {7, 3, 0, 2}, {9, 4, 5, 4}, {64, 3, 8, 3}, {65, 8, 70, 2}, {6, 3, 2, 11}};

// Products of such numbers are exact in any order, so every bit must be right.
TEST(Conv1d, FollowsItsDefinition) {
  Numbers numbers(1);
  int round = 0;
  for (const Sizes& s : conv_sizes) {
    for (const Index left : {Index{0}, (s.kernel - 1) / 2, s.kernel - 1}) {
      const std::vector<float> x = numbers.grid(2 * s.length * s.inputs);
      const std::vector<float> weight = numbers.grid(s.outputs * s.inputs * s.kernel);
      const std::vector<float> bias = numbers.grid(s.outputs);
      const bool with_bias = ++round % 3 != 0;
      const auto want = conv64(x, weight, with_bias ? bias : std::vector<float>(), 2, s, left);
      for (const Layout layout : layouts) {
        const Placed from({2, s.length, s.inputs}, x, layout);
        const Placed kernel({s.outputs, s.inputs, s.kernel}, weight, layout);
        const Placed added({s.outputs}, bias, layout);
        Placed result({2, s.length, s.outputs}, layout, 9);
        ASSERT_TRUE(ok(try_conv1d(from.view(), kernel.view(),
                                  with_bias ? added.view() : ConstTensorView(), result.view(), left)));
        EXPECT_TRUE(agree(result.values(), want, {0, 0})) << s.length << " " << s.kernel;
        EXPECT_TRUE(result.gaps_untouched());
      }
    }
  }
}

TEST(Conv1d, IsCentredUnlessToldAndNotFlipped) {
  const float x[] = {1, 10, 100, 1000}, weight[] = {1, 2, 3};
  Made result(Shape{4, 1});
  ASSERT_TRUE(ok(try_conv1d({x, {4, 1}}, {weight, {1, 1, 3}}, {}, result)));
  EXPECT_TRUE(same_bits(elements(result), {32, 321, 3210, 2100}));
  ASSERT_TRUE(ok(try_conv1d({x, {4, 1}}, {weight, {1, 1, 3}}, {}, result, 2)));
  EXPECT_TRUE(same_bits(elements(result), {3, 32, 321, 3210}));
  // An even kernel has the shorter side before the token.
  ASSERT_TRUE(ok(try_conv1d({x, {4, 1}}, {weight, {1, 1, 2}}, {}, result)));
  EXPECT_TRUE(same_bits(elements(result), {21, 210, 2100, 1000}));
}

// A window over everything is a fully connected layer: output i weighs input j by place j - i.
TEST(Conv1d, AsWideAsTheSequenceIsFullyConnected) {
  Numbers numbers(2);
  constexpr Index n = 9;
  const std::vector<float> x = numbers.grid(n), weight = numbers.grid(2 * n - 1);
  Made result(Shape{n, 1});
  ASSERT_TRUE(ok(try_conv1d({x.data(), {n, 1}}, {weight.data(), {1, 1, 2 * n - 1}}, {}, result)));
  for (Index i = 0; i < n; ++i) {
    double sum = 0;
    for (Index j = 0; j < n; ++j) sum += static_cast<double>(weight[j - i + n - 1]) * x[j];
    EXPECT_EQ(result[i], sum);
  }
}

TEST(Conv1d, LaterTokensDoNotReachACausalOne) {
  Numbers numbers(3);
  std::vector<float> x = numbers.list(70 * 3);
  const std::vector<float> weight = numbers.list(4 * 3 * 5);
  const auto run = [&] {
    Made result(Shape{70, 4});
    EXPECT_TRUE(ok(try_conv1d({x.data(), {70, 3}}, {weight.data(), {4, 3, 5}}, {}, result, 4)));
    return elements(result);
  };
  const std::vector<float> before = run();
  x[40 * 3 + 1] = nan;
  const std::vector<float> after = run();
  for (Index i = 0; i < 70; ++i) {
    for (Index o = 0; o < 4; ++o) {
      const float was = before[i * 4 + o], is = after[i * 4 + o];
      EXPECT_TRUE(i >= 40 && i < 45 ? std::isnan(is) : is == was) << i;
    }
  }
}

TEST(Conv1d, RefusesWhatDoesNotFit) {
  const float numbers[24] = {};
  Made result(Shape{4, 2});
  const ConstTensorView x(numbers, {4, 3});
  const ErrorCode shape = ErrorCode::shape;
  EXPECT_TRUE(refused(try_conv1d(x, {numbers, {2, 2, 3}}, {}, result), shape,
                      {"weight", "[outputs, 3", "[4, 3]", "[2, 2, 3]"}));
  EXPECT_TRUE(refused(try_conv1d(x, {numbers, {2, 3, 0}}, {}, result), shape, {"[2, 3, 0]"}));
  EXPECT_TRUE(refused(try_conv1d(x, {numbers, {2, 3}}, {}, result), shape, {"weight", "rank 2"}));
  EXPECT_TRUE(refused(try_conv1d(x, {numbers, {2, 3, 4}}, {numbers, {3}}, result), shape, {"bias"}));
  EXPECT_TRUE(refused(try_conv1d(x, {numbers, {1, 3, 4}}, {}, result), shape, {"result", "[4, 1]"}));
  for (const Index left : {-1, 4}) {
    EXPECT_TRUE(refused(try_conv1d(x, {numbers, {2, 3, 4}}, {}, result, left), ErrorCode::argument,
                        {"left", "0 to 3", std::to_string(left)}));
  }
}

// --- recurrence ----------------------------------------------------------------------------------

// One sequence, x [length, inputs].
std::vector<double> rnn64(const float* x, const std::vector<float>& input, const std::vector<float>& hidden,
                          const std::vector<float>& bias, const float* start, Index length,
                          Index inputs, Index width) {
  std::vector<double> state(static_cast<std::size_t>(width), 0), result;
  for (Index i = 0; i < width && start != nullptr; ++i) state[static_cast<std::size_t>(i)] = start[i];
  for (Index t = 0; t < length; ++t) {
    std::vector<double> next;
    for (Index i = 0; i < width; ++i) {
      double sum = bias.empty() ? 0 : bias[static_cast<std::size_t>(i)];
      for (Index c = 0; c < inputs; ++c) {
        sum += static_cast<double>(input[i * inputs + c]) * x[t * inputs + c];
      }
      for (Index j = 0; j < width; ++j) sum += hidden[i * width + j] * state[static_cast<std::size_t>(j)];
      next.push_back(std::tanh(sum));
    }
    state = next;
    result.insert(result.end(), state.begin(), state.end());
  }
  return result;
}

TEST(Rnn, FollowsItsDefinition) {
  Numbers numbers(4);
  int round = 0;
  for (const Index entries : {0, 1, 3, 6}) {
    for (const Index length : {0, 1, 7, 65}) {
      for (const auto& [inputs, width] : {std::pair<Index, Index>{1, 1}, {3, 5}, {8, 16}, {5, 65}, {0, 3}, {3, 0}}) {
        const std::vector<float> x = numbers.list(entries * length * inputs);
        const float most = width > 0 ? 1 / std::sqrt(static_cast<float>(width)) : 1;
        const std::vector<float> input = numbers.list(width * inputs);
        const std::vector<float> hidden = numbers.list(width * width, -most, most);
        const std::vector<float> bias = numbers.list(width), start = numbers.list(entries * width);
        const bool with_bias = ++round % 2 == 0, with_start = round % 3 != 0;
        std::vector<double> want;
        for (Index entry = 0; entry < entries; ++entry) {
          const auto part = rnn64(x.data() + entry * length * inputs, input, hidden,
                                  with_bias ? bias : std::vector<float>(),
                                  with_start ? start.data() + entry * width : nullptr, length, inputs,
                                  width);
          want.insert(want.end(), part.begin(), part.end());
        }
        const Layout layout = layouts[round % 5];
        const Placed from({entries, length, inputs}, x, layout), first({entries, width}, start, layout);
        const Placed in({width, inputs}, input, layout), over({width, width}, hidden, layout);
        const Placed added({width}, bias, layout);
        Placed result({entries, length, width}, layouts[round / 2 % 5], 9);
        ASSERT_TRUE(ok(try_rnn(from.view(), in.view(), over.view(),
                               with_bias ? added.view() : ConstTensorView(), result.view(),
                               with_start ? first.view() : ConstTensorView())));
        // Roundings of earlier steps come back, weakened at each.
        EXPECT_TRUE(agree(result.values(), want, {2e-6, 2e-6})) << entries << " " << length << " " << width;
        EXPECT_TRUE(result.gaps_untouched());
      }
    }
  }
}

TEST(Rnn, OneStartServesAllSequences) {
  Numbers numbers(5);
  const std::vector<float> x = numbers.list(2 * 3 * 4 * 2), input = numbers.list(6);
  const std::vector<float> hidden = numbers.list(9), start = numbers.list(3);
  Made result(Shape{2, 3, 4, 3});
  ASSERT_TRUE(ok(try_rnn({x.data(), {2, 3, 4, 2}}, {input.data(), {3, 2}}, {hidden.data(), {3, 3}}, {},
                         result, {start.data(), {3}})));
  std::vector<double> want;
  for (Index entry = 0; entry < 6; ++entry) {
    const auto part = rnn64(x.data() + entry * 8, input, hidden, {}, start.data(), 4, 2, 3);
    want.insert(want.end(), part.begin(), part.end());
  }
  EXPECT_TRUE(agree(elements(result), want));
}

TEST(Rnn, TheEndOfOnePartStartsTheNext) {
  Numbers numbers(6);
  const std::vector<float> x = numbers.list(20 * 4), input = numbers.list(5 * 4), hidden = numbers.list(25);
  const ConstTensorView in(input.data(), {5, 4}), over(hidden.data(), {5, 5});
  Made whole(Shape{20, 5}), early(Shape{12, 5}), late(Shape{8, 5});
  ASSERT_TRUE(ok(try_rnn({x.data(), {20, 4}}, in, over, {}, whole)));
  ASSERT_TRUE(ok(try_rnn({x.data(), {12, 4}}, in, over, {}, early)));
  ASSERT_TRUE(ok(try_rnn({x.data() + 48, {8, 4}}, in, over, {}, late, {early.data() + 55, {5}})));
  std::vector<float> parts = elements(early), rest = elements(late);
  parts.insert(parts.end(), rest.begin(), rest.end());
  EXPECT_TRUE(same_bits(parts, elements(whole)));
}

TEST(Rnn, LaterTokensDoNotReachEarlierStates) {
  Numbers numbers(7);
  std::vector<float> x = numbers.list(3 * 10 * 4);
  const std::vector<float> input = numbers.list(16), hidden = numbers.list(16);
  const auto run = [&] {
    Made result(Shape{3, 10, 4});
    EXPECT_TRUE(ok(try_rnn({x.data(), {3, 10, 4}}, {input.data(), {4, 4}}, {hidden.data(), {4, 4}}, {},
                           result)));
    return elements(result);
  };
  const std::vector<float> before = run();
  x[(1 * 10 + 6) * 4] = nan;  // of the second sequence
  const std::vector<float> after = run();
  for (Index n = 0; n < 120; ++n) {
    const bool reached = n / 40 == 1 && n / 4 % 10 >= 6;
    EXPECT_EQ(std::isnan(after[n]), reached) << n;
    EXPECT_TRUE(reached || before[n] == after[n]) << n;
  }
}

TEST(Rnn, RefusesWhatDoesNotFit) {
  const float numbers[64] = {};
  Made result(Shape{2, 4, 3});
  const ConstTensorView x(numbers, {2, 4, 5}), in(numbers, {3, 5}), over(numbers, {3, 3});
  const ErrorCode shape = ErrorCode::shape;
  EXPECT_TRUE(refused(try_rnn(x, {numbers, {3, 4}}, over, {}, result), shape,
                      {"inputWeight", "[3, 5]", "[3, 4]"}));
  EXPECT_TRUE(refused(try_rnn(x, in, {numbers, {3, 4}}, {}, result), shape,
                      {"hiddenWeight", "[3, 3]", "[3, 4]"}));
  EXPECT_TRUE(refused(try_rnn(x, in, over, {numbers, {2}}, result), shape, {"bias", "[3]", "[2]"}));
  EXPECT_TRUE(refused(try_rnn(x, in, over, {}, result, {numbers, {4}}), shape,
                      {"start", "[4]", "[2, 3]"}));
  EXPECT_TRUE(refused(try_rnn(x, in, over, {}, result, {numbers, {2, 2, 3}}), shape, {"start"}));
  EXPECT_TRUE(refused(try_rnn({numbers, {5}}, in, over, {}, result), shape, {"x", "rank 1"}));
  Made other(Shape{2, 4, 5});
  EXPECT_TRUE(refused(try_rnn(x, in, over, {}, other), shape, {"result", "[2, 4, 3]", "[2, 4, 5]"}));
}

// --- attention as convolution --------------------------------------------------------------------

TEST(OffsetHeads, FixEachHeadOnOneOffset) {
  Made bias(Shape{3, 4, 4});
  ASSERT_TRUE(ok(try_offset_heads(bias, 1)));
  for (Index n = 0; n < bias.size(); ++n) {
    const Index head = n / 16, i = n / 4 % 4, j = n % 4;
    EXPECT_EQ(bias[n], j == i + head - 1 ? 0 : -HUGE_VALF);
  }
  EXPECT_TRUE(refused(try_offset_heads(bias, 3), ErrorCode::argument, {"left", "0 to 2", "3"}));
  Made flat(Shape{3, 4, 5}), none(Shape{0, 4, 4});
  EXPECT_TRUE(refused(try_offset_heads(flat, 0), ErrorCode::shape, {"[3, 4, 5]"}));
  EXPECT_TRUE(ok(try_offset_heads(none, 0)));
}

// k heads, each looking at one offset whatever the queries and keys are; their results side by side,
// projected once: bit for bit the convolution. A query whose offset leads outside sees nothing and
// gets the zeros that pad a convolution.
TEST(OffsetHeads, ConcatenatedAndProjectedAreAConvolution) {
  Numbers numbers(8);
  for (const Sizes& s : conv_sizes) {
    for (const Index left : {Index{0}, (s.kernel - 1) / 2, s.kernel - 1}) {
      // Queries and keys are of no account; products of the values are exact in any order.
      const std::vector<float> x = numbers.grid(s.length * s.inputs);
      const std::vector<float> query = numbers.list(s.kernel * s.length * 2);
      const std::vector<float> weight = numbers.grid(s.outputs * s.inputs * s.kernel);
      const std::vector<float> bias = numbers.grid(s.outputs);
      Made offsets(Shape{s.kernel, s.length, s.length}), heads(Shape{s.length, s.kernel * s.inputs});
      ASSERT_TRUE(ok(try_offset_heads(offsets, left)));
      AttentionOptions options;
      options.bias = offsets;
      const ConstTensorView queries(query.data(), {s.kernel, s.length, 2});
      // Written side by side: token, head, feature.
      const TensorView together(heads.data(), {s.kernel, s.length, s.inputs},
                                {s.inputs, s.kernel * s.inputs, 1});
      ASSERT_TRUE(ok(try_attention(queries, queries, {x.data(), {1, s.length, s.inputs}}, together,
                                   options)));
      // The projection of the concatenated heads: head t has the kernel's place t.
      Made projection(Shape{s.outputs, s.kernel * s.inputs});
      for (Index n = 0; n < projection.size(); ++n) {
        const Index o = n / (s.kernel * s.inputs), t = n / s.inputs % s.kernel, c = n % s.inputs;
        projection[n] = weight[static_cast<std::size_t>((o * s.inputs + c) * s.kernel + t)];
      }
      Made attended(Shape{s.length, s.outputs}), convolved(Shape{s.length, s.outputs});
      const ConstTensorView added(bias.data(), {s.outputs});
      ASSERT_TRUE(ok(try_linear(heads, projection, added, attended)));
      ASSERT_TRUE(ok(try_conv1d({x.data(), {s.length, s.inputs}},
                                {weight.data(), {s.outputs, s.inputs, s.kernel}}, added, convolved,
                                left)));
      EXPECT_TRUE(agree(elements(attended), elements(convolved), {0, 0})) << s.length << " " << s.kernel;
    }
  }
}

// --- all -----------------------------------------------------------------------------------------

TEST(Baselines, ThreadsDoNotChangeResults) {
  Numbers numbers(9);
  const std::vector<float> x = numbers.list(9 * 60 * 64), weight = numbers.list(64 * 64 * 3);
  expect_same_on_any_threads([&] {
    Made conv(Shape{9, 60, 64});
    EXPECT_TRUE(ok(try_conv1d({x.data(), {9, 60, 64}}, {weight.data(), {64, 64, 3}}, {}, conv)));
    return elements(conv);
  });
  expect_same_on_any_threads([&] {
    Made states(Shape{9, 60, 64});
    EXPECT_TRUE(ok(try_rnn({x.data(), {9, 60, 64}}, {weight.data(), {64, 64}},
                           {weight.data() + 4096, {64, 64}}, {}, states)));
    return elements(states);
  });
}

#if defined(__cpp_exceptions)
TEST(Baselines, ThrowingTwinsFindTheShape) {
  const float numbers[64] = {};
  EXPECT_EQ(conv1d({numbers, {2, 4, 3}}, {numbers, {5, 3, 2}}).shape().to_string(), "[2, 4, 5]");
  EXPECT_EQ(rnn({numbers, {2, 4, 3}}, {numbers, {5, 3}}, {numbers, {5, 5}}).shape().to_string(),
            "[2, 4, 5]");
  EXPECT_EQ(offset_heads(3, 4, 1).shape().to_string(), "[3, 4, 4]");
}
#endif

TEST(Baselines, CatalogueEntriesRun) {
  Numbers numbers(10);
  for (const Mechanism* mechanism : {&catalogue::conv1d, &catalogue::rnn}) {
    EXPECT_EQ(mechanism->pattern, nullptr);
    std::vector<double> parameters;
    for (const MechanismParameter& parameter : mechanism->parameters) {
      parameters.push_back(parameter.value);
    }
    for (const Index n : {0, 1, 5, 64, 100}) {
      for (const Index d : {3, 8}) {
        const std::vector<float> x = numbers.list(2 * n * d);
        Made result(Shape{2, n, d}), again(Shape{2, n, d});
        ASSERT_TRUE(ok(try_run(*mechanism, {x.data(), {2, n, d}}, parameters, result)));
        for (const float number : elements(result)) ASSERT_TRUE(std::isfinite(number));
        parameters.back() += 1;  // another seed
        ASSERT_TRUE(ok(try_run(*mechanism, {x.data(), {2, n, d}}, parameters, again)));
        parameters.back() -= 1;
        EXPECT_TRUE(n == 0 || elements(result) != elements(again)) << mechanism->name;
      }
    }
  }
  const double kernel[] = {5, 0};
  EXPECT_EQ(catalogue::conv1d.cost(100, 8, kernel).multiply_adds, 100 * 5 * 64);
  EXPECT_EQ(catalogue::rnn.cost(100, 8, kernel).multiply_adds, 100 * 2 * 64);
}

}  // namespace
}  // namespace qkv::test
