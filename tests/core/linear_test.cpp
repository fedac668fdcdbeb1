// The projection: every backend against sums in double precision, any strides, and what it refuses.
#include <gtest/gtest.h>

#include "qkv/linear.hpp"
#include "support/agree.hpp"
#include "support/numbers.hpp"
#include "support/placed.hpp"
#include "support/settings.hpp"

namespace qkv::test {
namespace {

std::vector<double> product(const std::vector<float>& x, const std::vector<float>& weight,
                            const std::vector<float>& bias, Index rows, Index inputs, Index outputs) {
  std::vector<double> result;
  for (Index i = 0; i < rows; ++i) {
    for (Index o = 0; o < outputs; ++o) {
      double sum = bias.empty() ? 0 : bias[static_cast<std::size_t>(o)];
      for (Index d = 0; d < inputs; ++d) {
        sum += static_cast<double>(x[i * inputs + d]) * weight[o * inputs + d];
      }
      result.push_back(sum);
    }
  }
  return result;
}

TEST(Linear, EveryBackendOverSizesAndStrides) {
  const KeepBackend keep;
  constexpr Index sizes[] = {0, 1, 2, 5, 7, 8, 9, 16, 17, 33, 63, 64, 65, 130};
  Numbers numbers(1);
  int round = 0;
  for (const Index length : sizes) {
    for (const Index inputs : sizes) {
      for (const Index outputs : {1, 3, 64, 65, 70}) {
        // Sums of such products are exact in any order: every bit must be right.
        const std::vector<float> x = numbers.grid(2 * length * inputs);
        const std::vector<float> weight = numbers.grid(outputs * inputs);
        const std::vector<float> bias = ++round % 2 == 0 ? numbers.grid(outputs) : std::vector<float>();
        const std::vector<double> want = product(x, weight, bias, 2 * length, inputs, outputs);
        const Layout layout = layouts[round % 5];
        const Placed x_placed({2, length, inputs}, x, layout);
        const Placed weight_placed({outputs, inputs}, weight, layouts[round / 5 % 5]);
        const Placed bias_placed({outputs}, bias.empty() ? std::vector<float>(outputs) : bias, layout);
        for (const std::string_view name : backends()) {
          ASSERT_TRUE(ok(try_set_backend(name)));
          Placed result({2, length, outputs}, layouts[round / 3 % 5], 9);
          ASSERT_TRUE(ok(try_linear(x_placed.view(), weight_placed.view(),
                                    bias.empty() ? ConstTensorView() : bias_placed.view(),
                                    result.view())));
          ASSERT_TRUE(agree(result.values(), want, {0, 0}))
              << name << " " << length << " " << inputs << " " << outputs;
          ASSERT_TRUE(result.gaps_untouched());
        }
      }
    }
  }
}

TEST(Linear, RefusesWhatDoesNotFit) {
  const float numbers[64] = {};
  Placed result(Shape{3, 2}, Layout::row_major, 9);
  const ConstTensorView x(numbers, {3, 4}), weight(numbers, {2, 4}), bias(numbers, {2});
  const ErrorCode shape = ErrorCode::shape, argument = ErrorCode::argument;
  EXPECT_TRUE(refused(try_linear(x, {numbers, {2, 5}}, bias, result.view()), shape,
                      {"weight", "4", "[2, 5]", "[3, 4]"}));
  EXPECT_TRUE(refused(try_linear(x, {numbers, {1, 2, 4}}, bias, result.view()), shape, {"weight"}));
  EXPECT_TRUE(refused(try_linear(x, {numbers, {4}}, bias, result.view()), shape, {"weight", "rank 1"}));
  EXPECT_TRUE(refused(try_linear({numbers, {4}}, weight, bias, result.view()), shape, {"x", "rank 1"}));
  EXPECT_TRUE(refused(try_linear(x, weight, {numbers, {3}}, result.view()), shape, {"bias", "[2]", "[3]"}));
  EXPECT_TRUE(refused(try_linear(x, weight, bias, {result.view().data, {2, 3}}), shape,
                      {"result", "[3, 2]", "[2, 3]"}));
  EXPECT_TRUE(refused(try_linear({nullptr, {3, 4}}, weight, bias, result.view()), argument, {"x", "data"}));
  EXPECT_TRUE(refused(try_linear(x, {nullptr, {2, 4}}, bias, result.view()), argument, {"weight", "data"}));
  EXPECT_TRUE(refused(try_linear(x, weight, bias, {nullptr, {3, 2}}), argument, {"result", "data"}));
  EXPECT_TRUE(result.untouched());
  EXPECT_TRUE(ok(try_linear(x, weight, bias, result.view())));
}

// Not even a row of zeros hides a NaN of the weights, and it stays in its column.
TEST(Linear, NanStaysInItsColumn) {
  const std::vector<float> x(12, 0.0f);
  std::vector<float> weight(20, 1.0f);
  weight[7] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> result(15);
  ASSERT_TRUE(ok(try_linear({x.data(), {3, 4}}, {weight.data(), {5, 4}}, {}, {result.data(), {3, 5}})));
  for (std::size_t n = 0; n < result.size(); ++n) EXPECT_EQ(std::isnan(result[n]), n % 5 == 1) << n;
}

}  // namespace
}  // namespace qkv::test
