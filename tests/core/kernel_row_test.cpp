// The kernels that work element by element or on one query at a time, and the accuracy of exp and
// tanh through them.
#include <gtest/gtest.h>

#include <functional>

#include "support/floats.hpp"
#include "support/numbers.hpp"
#include "support/tables.hpp"

namespace qkv::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan_float = std::numeric_limits<float>::quiet_NaN();

constexpr Index lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 129};

class RowKernel : public testing::TestWithParam<const Kernels*> {
 protected:
  const Kernels& kernels_ = *GetParam();
};

// Applies a kernel to values in a block of exactly their size.
std::vector<float> applied(const std::vector<float>& values,
                           const std::function<void(float*, Index)>& kernel) {
  Block<float> block(values);
  kernel(block.data(), static_cast<Index>(values.size()));
  return block.values();
}

// --- functions of one number -----------------------------------------------------------------------

struct Worst {
  double ulps = 0;
  float at = 0;
  void see(float x, float got, double want) {
    const double distance = qkv::test::ulps(got, want);
    if (distance > ulps) {
      ulps = distance;
      at = x;
    }
  }
};

// e^x, as the weights of a row make it.
std::vector<float> exp_of(const Kernels& kernels, const std::vector<float>& x) {
  return applied(x, [&](float* at, Index n) { kernels.row_weights(at, n, 0, 1); });
}

std::vector<float> tanh_of(const Kernels& kernels, const std::vector<float>& x) {
  return applied(x, [&](float* at, Index n) { kernels.softcap(at, n, 1); });
}

std::vector<float> sigmoid_of(const Kernels& kernels, const std::vector<float>& x) {
  return applied(x, [&](float* at, Index n) { kernels.sigmoid(at, n); });
}

// Every 1009th float up to where exp overflows, and all floats near the bounds of its parts.
std::vector<float> exp_arguments() {
  std::vector<float> values = floats_up_to(88.8f, 1009);
  for (const float bound : {88.7228394f, 87.3365447f, 0.34657359f, 1.0397208f, 1.0f}) {
    for (const float x : floats_around(bound, 300)) {
      values.push_back(x);
      values.push_back(-x);
    }
  }
  return values;
}

TEST_P(RowKernel, ExpIsWithinTwoUlps) {
  const std::vector<float> x = exp_arguments();
  const std::vector<float> got = exp_of(kernels_, x);
  Worst worst;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double want = std::exp(static_cast<double>(x[i]));
    // Results below the smallest normal number may be 0 instead.
    if (want < std::numeric_limits<float>::min() && got[i] == 0) continue;
    worst.see(x[i], got[i], want);
  }
  EXPECT_LE(worst.ulps, 2) << "at " << testing::PrintToString(worst.at);
}

TEST_P(RowKernel, ExpOfWhatIsNotInRange) {
  const std::vector<float> x = {-infinity, infinity, nan_float, -1e30f, 1e30f, -104, 89, 0, -0.0f};
  const std::vector<double> want = {0, infinity, nan_float, 0, infinity, 0, infinity, 1, 1};
  EXPECT_TRUE(agree(exp_of(kernels_, x), want, {0, 1e-38}));
}

TEST_P(RowKernel, TanhIsWithinTwoUlps) {
  std::vector<float> x = floats_up_to(100, 1009);
  for (const float bound : {0.625f, 0.3125f, 9.0f, 44.3614197f}) {
    for (const float near : floats_around(bound, 300)) {
      x.push_back(near);
      x.push_back(-near);
    }
  }
  const std::vector<float> got = tanh_of(kernels_, x);
  Worst worst;
  for (std::size_t i = 0; i < x.size(); ++i) {
    worst.see(x[i], got[i], std::tanh(static_cast<double>(x[i])));
  }
  EXPECT_LE(worst.ulps, 2) << "at " << testing::PrintToString(worst.at);
  const std::vector<float> ends = {-infinity, infinity, nan_float, 1e30f, -1e30f};
  EXPECT_TRUE(agree(tanh_of(kernels_, ends), std::vector<double>{-1, 1, nan_float, 1, -1}, {0, 0}));
}

TEST_P(RowKernel, SigmoidIsAccurateEverywhere) {
  const std::vector<float> x = exp_arguments();
  const std::vector<float> got = sigmoid_of(kernels_, x);
  Worst worst;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double want = 1 / (1 + std::exp(-static_cast<double>(x[i])));
    if (want < std::numeric_limits<float>::min() && got[i] == 0) continue;
    worst.see(x[i], got[i], want);
  }
  EXPECT_LE(worst.ulps, 3) << "at " << testing::PrintToString(worst.at);
  const std::vector<float> ends = {-infinity, infinity, nan_float, 1e30f, -1e30f};
  EXPECT_TRUE(agree(sigmoid_of(kernels_, ends), std::vector<double>{0, 1, nan_float, 1, 0}, {0, 0}));
}

TEST_P(RowKernel, SoftcapScalesTanh) {
  Numbers numbers(1);
  for (const Index n : lengths) {
    const std::vector<float> x = numbers.list(n, -200, 200);
    std::vector<double> want;
    for (const float s : x) want.push_back(50 * std::tanh(static_cast<double>(s) / 50));
    const std::vector<float> got =
        applied(x, [&](float* at, Index count) { kernels_.softcap(at, count, 50); });
    ASSERT_TRUE(agree(got, want)) << n;
  }
}

TEST_P(RowKernel, ElementwiseOnesAgreeWithScalarOnEveryKindOfFloat) {
  const std::vector<float> x = special_floats();
  const Kernels& scalar = *arch::scalar();
  // Results below the smallest normal number may be 0.
  const Tolerance tolerance{1e-6, 1.2e-38};
  EXPECT_TRUE(agree(exp_of(kernels_, x), exp_of(scalar, x), tolerance));
  EXPECT_TRUE(agree(tanh_of(kernels_, x), tanh_of(scalar, x), tolerance));
  EXPECT_TRUE(agree(sigmoid_of(kernels_, x), sigmoid_of(scalar, x), tolerance));
  for (const float maximum : {-3.0f, 0.0f, 100.0f}) {
    const auto weights = [&](const Kernels& kernels) {
      return applied(x, [&](float* at, Index n) { kernels.row_weights(at, n, maximum, 2.5f); });
    };
    EXPECT_TRUE(agree(weights(kernels_), weights(scalar), tolerance)) << maximum;
  }
}

TEST_P(RowKernel, Add) {
  Numbers numbers(2);
  for (const Index n : lengths) {
    const std::vector<float> x = numbers.list(n), y = numbers.list(n);
    Block<float> other(y);
    const std::vector<float> got =
        applied(x, [&](float* at, Index count) { kernels_.add(at, other.data(), count); });
    std::vector<float> want(x);
    for (std::size_t i = 0; i < want.size(); ++i) want[i] += y[i];
    ASSERT_TRUE(same_bits(got, want)) << n;
  }
}

// --- one query -------------------------------------------------------------------------------------

// Some rows of a matrix, in no order; the last row of the block is among them.
struct Rows {
  Index count, width, step;
  std::vector<std::int32_t> index;
  std::vector<float> matrix;

  Rows(Index count, Index width, Numbers& numbers)
      : count(count), width(width), step(width + 2) {
    constexpr Index rows = 70;
    matrix = numbers.list((rows - 1) * step + width);
    for (Index j = 0; j < count; ++j) index.push_back(static_cast<std::int32_t>(numbers.below(rows)));
    if (count > 0) index[static_cast<std::size_t>(count / 2)] = rows - 1;
  }
  double at(Index j, Index d) const {
    return matrix[static_cast<std::size_t>(index[static_cast<std::size_t>(j)] * step + d)];
  }
};

template <class Body>
void for_row_sizes(const Body& body) {
  Numbers numbers(3);
  for (const Index count : {0, 1, 2, 7, 64}) {
    for (const Index width : lengths) {
      SCOPED_TRACE(std::to_string(count) + " rows of width " + std::to_string(width));
      body(Rows(count, width, numbers), numbers);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST_P(RowKernel, RowScores) {
  for_row_sizes([&](Rows rows, Numbers& numbers) {
    const std::vector<float> query = numbers.list(rows.width);
    std::vector<double> want;
    for (Index j = 0; j < rows.count; ++j) {
      double sum = 0;
      for (Index d = 0; d < rows.width; ++d) sum += query[d] * rows.at(j, d);
      want.push_back(sum);
    }
    const auto run = [&](const Kernels& kernels) {
      Block<float> query_block(query), matrix(rows.matrix), scores(rows.count, nan_float);
      Block<std::int32_t> index(rows.index);
      kernels.row_scores(scores.data(), query_block.data(), matrix.data(), rows.step, index.data(),
                         rows.count, rows.width);
      return scores.values();
    };
    EXPECT_TRUE(agree(run(kernels_), want));
    EXPECT_TRUE(agree(run(kernels_), run(*arch::scalar())));
  });
}

TEST_P(RowKernel, RowAdditiveScores) {
  for_row_sizes([&](Rows rows, Numbers& numbers) {
    const std::vector<float> query = numbers.list(rows.width), vector = numbers.list(rows.width);
    std::vector<double> want;
    for (Index j = 0; j < rows.count; ++j) {
      double sum = 0;
      for (Index h = 0; h < rows.width; ++h) sum += vector[h] * std::tanh(query[h] + rows.at(j, h));
      want.push_back(sum);
    }
    const auto run = [&](const Kernels& kernels) {
      Block<float> query_block(query), matrix(rows.matrix), vector_block(vector);
      Block<float> scores(rows.count, nan_float);
      Block<std::int32_t> index(rows.index);
      kernels.row_additive_scores(scores.data(), query_block.data(), matrix.data(), rows.step,
                                  vector_block.data(), index.data(), rows.count, rows.width);
      return scores.values();
    };
    EXPECT_TRUE(agree(run(kernels_), want, {1e-6, 3e-6}));
    EXPECT_TRUE(agree(run(kernels_), run(*arch::scalar()), {1e-6, 3e-6}));
  });
}

TEST_P(RowKernel, RowAggregate) {
  for_row_sizes([&](Rows rows, Numbers& numbers) {
    const std::vector<float> start = numbers.list(rows.width);
    const std::vector<float> weights = numbers.list(rows.count, 0, 0.25f);
    std::vector<double> want;
    for (Index d = 0; d < rows.width; ++d) {
      double sum = start[static_cast<std::size_t>(d)] * 0.75;
      for (Index j = 0; j < rows.count; ++j) sum += weights[j] * rows.at(j, d);
      want.push_back(sum);
    }
    const auto run = [&](const Kernels& kernels) {
      Block<float> output(start), weight_block(weights), matrix(rows.matrix);
      Block<std::int32_t> index(rows.index);
      kernels.row_aggregate(output.data(), weight_block.data(), matrix.data(), rows.step,
                            index.data(), rows.count, rows.width, 0.75f);
      return output.values();
    };
    EXPECT_TRUE(agree(run(kernels_), want));
    EXPECT_TRUE(agree(run(kernels_), run(*arch::scalar())));
  });
}

TEST_P(RowKernel, RowSoftmaxInSteps) {
  Numbers numbers(4);
  for (const Index n : lengths) {
    SCOPED_TRACE(n);
    const std::vector<float> first = numbers.list(n, -5, 5), second = numbers.list(n, 0, 8);
    float maximum = -infinity, sum = 0;
    Block<float> block(first), later(second);
    const float nothing_before = kernels_.row_softmax(block.data(), n, &maximum, &sum);
    const float before = maximum;
    const float factor = kernels_.row_softmax(later.data(), n, &maximum, &sum);
    double most = -HUGE_VAL, want = 0;
    for (const float x : first) most = std::fmax(most, x);
    EXPECT_EQ(before, static_cast<float>(most));
    std::vector<double> weights;
    for (const float x : first) weights.push_back(std::exp(x - most));
    EXPECT_TRUE(agree(block.values(), weights));
    for (const float x : second) most = std::fmax(most, x);
    for (const float x : first) want += std::exp(x - most);
    for (const float x : second) want += std::exp(x - most);
    EXPECT_NEAR(sum, want, 2e-6 * want);
    if (n == 0) {
      EXPECT_EQ(maximum, -infinity);
    } else {
      EXPECT_EQ(nothing_before, 0);
      EXPECT_EQ(maximum, static_cast<float>(most));
      EXPECT_NEAR(factor, std::exp(before - most), 1e-6);
    }
  }
}

TEST_P(RowKernel, RowSoftmaxOfNanIsNan) {
  for (const Index n : {1, 3, 8, 17, 40}) {
    for (Index at = 0; at < n; ++at) {
      std::vector<float> scores(static_cast<std::size_t>(n), 1.0f);
      scores[static_cast<std::size_t>(at)] = nan_float;
      Block<float> block(scores);
      float maximum = -infinity, sum = 0;
      kernels_.row_softmax(block.data(), n, &maximum, &sum);
      ASSERT_TRUE(std::isnan(sum)) << at << " of " << n;
    }
  }
}

TEST_P(RowKernel, RowSoftmaxBeforeTheFirstAllowedKey) {
  Block<float> block(std::vector<float>(20, -infinity));
  float maximum = -infinity, sum = 0;
  kernels_.row_softmax(block.data(), 20, &maximum, &sum);
  EXPECT_EQ(sum, 0);
  EXPECT_EQ(maximum, -infinity);
  EXPECT_TRUE(agree(block.values(), std::vector<float>(20, 0.0f), {0, 0}));
}

TEST_P(RowKernel, RowWeights) {
  Numbers numbers(5);
  for (const Index n : lengths) {
    std::vector<float> scores = numbers.list(n, -20, 3);
    for (std::size_t i = 0; i < scores.size(); i += 5) scores[i] = -infinity;
    const std::vector<float> got =
        applied(scores, [&](float* at, Index count) { kernels_.row_weights(at, count, 3, 7.5f); });
    std::vector<double> want;
    for (const float s : scores) want.push_back(std::exp(static_cast<double>(s) - 3) / 7.5);
    ASSERT_TRUE(agree(got, want)) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, RowKernel, testing::ValuesIn(kernel_tables()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace qkv::test
