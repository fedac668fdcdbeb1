// The largest of a row against a stable sort of all of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "mechanisms/largest.hpp"
#include "support/numbers.hpp"

namespace qkv::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

struct Kept {
  std::vector<float> scores;
  std::vector<std::int32_t> places;
  bool numbers = false;
};

Kept largest(const std::vector<float>& row, Index k) {
  Kept kept{std::vector<float>(row.size()), std::vector<std::int32_t>(row.size())};
  std::vector<float> spare(row.size());
  Largest chosen(k, kept.scores.data(), kept.places.data(), spare.data());
  kept.numbers = chosen.choose(row.data(), static_cast<Index>(row.size()));
  kept.scores.resize(static_cast<std::size_t>(chosen.count()));
  kept.places.resize(static_cast<std::size_t>(chosen.count()));
  return kept;
}

std::vector<std::int32_t> sorted_out(const std::vector<float>& row, Index k) {
  std::vector<std::int32_t> places(row.size());
  std::iota(places.begin(), places.end(), 0);
  std::erase_if(places, [&](auto place) {
    return !(row[static_cast<std::size_t>(place)] > -infinity);
  });
  std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) {
    return row[static_cast<std::size_t>(a)] > row[static_cast<std::size_t>(b)];
  });
  places.resize(std::min(places.size(), static_cast<std::size_t>(k)));
  std::sort(places.begin(), places.end());
  return places;
}

void expect_largest(const std::vector<float>& row, const char* what) {
  const auto n = static_cast<Index>(row.size());
  for (const Index k : {Index{1}, Index{2}, Index{7}, Index{32}, n / 40 + 1, n / 3 + 1, n}) {
    const Kept kept = largest(row, k);
    EXPECT_EQ(kept.places, sorted_out(row, k)) << what << ": " << k << " of " << n;
    for (std::size_t i = 0; i < kept.places.size(); ++i) {
      EXPECT_EQ(kept.scores[i], row[static_cast<std::size_t>(kept.places[i])]);
    }
  }
}

TEST(Largest, OfRowsOfEveryKind) {
  Numbers numbers(5);
  EXPECT_TRUE(largest({}, 0).places.empty());
  for (const Index n : {1, 5, 15, 16, 17, 64, 100, 513, 2048, 5000}) {
    std::vector<float> row = numbers.list(n);
    expect_largest(row, "random");
    std::sort(row.begin(), row.end());
    expect_largest(row, "rising");
    std::reverse(row.begin(), row.end());
    expect_largest(row, "falling");
    for (float& score : row) score = std::round(4 * score);
    expect_largest(row, "with equal ones");
    std::fill(row.begin(), row.end(), 0.0f);
    for (std::size_t i = 0; i < row.size(); i += 2) row[i] = -0.0f;
    expect_largest(row, "all equal");
  }
}

TEST(Largest, LeavesOutWhatIsExcluded) {
  Numbers numbers(6);
  std::vector<float> row = numbers.list(700);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i % 3 != 0 || i / 64 % 2 == 0) row[i] = -infinity;
  }
  expect_largest(row, "few are left");
  row[300] = row[400] = infinity;
  expect_largest(row, "with infinity");
  std::fill(row.begin(), row.end(), -infinity);
  expect_largest(row, "none is left");
  EXPECT_TRUE(largest(row, 3).numbers);
}

TEST(Largest, TellsOfNan) {
  Numbers numbers(7);
  for (const std::size_t at : {std::size_t{0}, std::size_t{77}, std::size_t{199}}) {
    std::vector<float> row = numbers.list(200);
    EXPECT_TRUE(largest(row, 5).numbers);
    row[at] = std::numeric_limits<float>::quiet_NaN();
    const Kept kept = largest(row, 5);
    EXPECT_FALSE(kept.numbers);
    EXPECT_EQ(kept.places, sorted_out(row, 5));
  }
}

}  // namespace
}  // namespace qkv::test
