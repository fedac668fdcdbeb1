// The kernels that run a few queries against consecutive keys.
#include <gtest/gtest.h>

#include "support/numbers.hpp"
#include "support/tables.hpp"

namespace qkv::test {
namespace {

constexpr float untouched = 12345;
constexpr Index key_counts[] = {0, 1, 2, 3, 4, 5, 8, 13, 64};
constexpr Index widths[] = {0, 1, 3, 4, 7, 8, 9, 16, 31, 33, 64, 67};

class FewKernel : public testing::TestWithParam<const Kernels*> {
 protected:
  const Kernels& kernels_ = *GetParam();
};

// Numbers of rows that lie `step` apart; the block ends with the last row.
Block<float> rows_of(Numbers& numbers, Index count, Index width, Index step) {
  return Block<float>(numbers.list(count > 0 ? (count - 1) * step + width : 0));
}

TEST_P(FewKernel, Scores) {
  Numbers numbers(1);
  for (Index count = 1; count <= most_few; ++count) {
    for (const Index n : key_counts) {
      for (const Index width : widths) {
        const Index query_step = width + 1, key_step = width + 2, scores_step = n + 3;
        Block<float> queries = rows_of(numbers, count, width, query_step);
        Block<float> keys = rows_of(numbers, n, width, key_step);
        Block<float> scores((count - 1) * scores_step + n, untouched);
        kernels_.few_scores(scores.data(), scores_step, queries.data(), query_step, count,
                            keys.data(), key_step, n, width);
        std::vector<double> want(static_cast<std::size_t>((count - 1) * scores_step + n), untouched);
        for (Index i = 0; i < count; ++i) {
          for (Index j = 0; j < n; ++j) {
            double sum = 0;
            for (Index d = 0; d < width; ++d) {
              sum += static_cast<double>(queries[i * query_step + d]) * keys[j * key_step + d];
            }
            want[static_cast<std::size_t>(i * scores_step + j)] = sum;
          }
        }
        ASSERT_TRUE(agree(scores.values(), want))
            << count << " queries, " << n << " keys of width " << width;
      }
    }
  }
}

TEST_P(FewKernel, Aggregate) {
  Numbers numbers(2);
  for (Index count = 1; count <= most_few; ++count) {
    for (const Index n : key_counts) {
      for (const Index width : widths) {
        const Index output_step = width + 1, weights_step = n + 2, value_step = width + 3;
        Block<float> output = rows_of(numbers, count, width, output_step);
        // As of a softmax: a row sums to about 1.
        Block<float> weights(
            numbers.list((count - 1) * weights_step + n, 0, 2 / static_cast<float>(n + 1)));
        Block<float> values = rows_of(numbers, n, width, value_step);
        Block<float> factor(numbers.list(count, 0, 1));
        std::vector<double> want;
        for (const float x : output.values()) want.push_back(x);
        for (Index i = 0; i < count; ++i) {
          for (Index d = 0; d < width; ++d) {
            double& sum = want[static_cast<std::size_t>(i * output_step + d)];
            sum *= factor[i];
            for (Index j = 0; j < n; ++j) {
              sum += static_cast<double>(weights[i * weights_step + j]) * values[j * value_step + d];
            }
          }
        }
        kernels_.few_aggregate(output.data(), output_step, weights.data(), weights_step, count,
                               values.data(), value_step, n, width, factor.data());
        ASSERT_TRUE(agree(output.values(), want))
            << count << " queries, " << n << " keys of width " << width;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, FewKernel, testing::ValuesIn(kernel_tables()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace qkv::test
