#include "mechanisms/largest.hpp"

#include <algorithm>
#include <limits>

#include "mechanisms/four_floats.hpp"

namespace qkv {
namespace {

constexpr Index longest = 64, lanes = 16;  // of a stretch
constexpr float lowest = std::numeric_limits<float>::lowest();

// Of a multiple of 16 scores; NaN is never larger. False when there is one.
bool largest_of(const float* scores, Index count, float& result) noexcept {
  constexpr float least = -std::numeric_limits<float>::infinity();
  Four largest[4], at[4];
  std::fill_n(largest, 4, Four{least, least, least, least});
  auto numbers = largest[0] == largest[0];
  for (Index j = 0; j < count; j += lanes) {
    for (int part = 0; part < 4; ++part) {
      at[part] = load_four(scores + j + 4 * part);
      largest[part] = at[part] > largest[part] ? at[part] : largest[part];
      numbers &= at[part] == at[part];
    }
  }
  for (int part = 1; part < 4; ++part) {
    largest[0] = largest[part] > largest[0] ? largest[part] : largest[0];
  }
  const Four& all = largest[0];
  result = std::max(std::max(all[0], all[1]), std::max(all[2], all[3]));
  return (numbers[0] & numbers[1] & numbers[2] & numbers[3]) != 0;
}

}  // namespace

bool Largest::choose(const float* row, Index count) noexcept {
  count_ = 0;
  // The largest of each stretch, in `spare`. The k-th of them is not above the k-th of the row,
  // and where there are some more stretches than k, few other scores are.
  const Index stretch = count / longest < k_ + k_ / 4 ? lanes : longest;
  const Index stretches = count / stretch;
  bool numbers = true;
  for (Index s = 0; s < stretches; ++s) {
    numbers &= largest_of(row + s * stretch, stretch, spare_[s]);
  }
  for (Index j = stretches * stretch; j < count; ++j) numbers &= row[j] == row[j];
  float limit = lowest;
  if (0 < k_ && k_ <= stretches) {
    std::copy_n(spare_, stretches, scores_);
    limit = std::max(limit, kth_largest(scores_, stretches));
  }
  for (Index s = 0; s < stretches; ++s) {
    if (spare_[s] >= limit) append(row, s * stretch, (s + 1) * stretch, limit);
  }
  append(row, stretches * stretch, count, limit);
  if (count_ > k_) cut();
  return numbers;
}

// Every score is written, and stays if it is large enough: which ones are cannot be foretold, so
// that a branch would cost more.
void Largest::append(const float* row, Index first, Index last, float limit) noexcept {
  float* scores = scores_;
  std::int32_t* places = places_;
  Index count = count_;
  for (Index j = first; j < last; ++j) {
    scores[count] = row[j];
    places[count] = static_cast<std::int32_t>(j);
    count += row[j] >= limit ? 1 : 0;
  }
  count_ = count;
}

// Leaves k candidates.
void Largest::cut() noexcept {
  std::copy_n(scores_, count_, spare_);
  const float limit = kth_largest(spare_, count_);
  Index equal = k_, kept = 0;  // how many of those that equal the limit may stay
  for (Index c = 0; c < count_; ++c) equal -= scores_[c] > limit ? 1 : 0;
  for (Index c = 0; c < count_; ++c) {
    const float score = scores_[c];
    const bool equals = score == limit, stays = equals ? equal > 0 : score > limit;
    scores_[kept] = score;
    places_[kept] = places_[c];
    equal -= equals ? 1 : 0;
    kept += stays ? 1 : 0;
  }
  count_ = kept;
}

// Of `count` numbers, k or more, which it moves. Each round keeps those on one side of a number
// from among them, picked at random: no order of scores then makes it slow. Again without
// branches that cannot be foretold, which make std::nth_element take longer.
float Largest::kth_largest(float* numbers, Index count) const noexcept {
  std::uint32_t random = 1;
  for (Index k = k_;;) {
    random = random * 1664525 + 1013904223;
    const auto place = static_cast<std::uint64_t>(count) * random >> 32;
    const float pivot = numbers[place];
    int larger = 0, smaller = 0;
    for (Index c = 0; c < count; ++c) {
      larger += numbers[c] > pivot ? 1 : 0;
      smaller += numbers[c] < pivot ? 1 : 0;
    }
    if (k > larger && k <= count - smaller) return pivot;
    const bool above = k <= larger;
    if (!above) k -= count - smaller;
    Index kept = 0;
    for (Index c = 0; c < count; ++c) {
      const float number = numbers[c];
      numbers[kept] = number;
      kept += (above ? number > pivot : number < pivot) ? 1 : 0;
    }
    count = kept;
  }
}

}  // namespace qkv
