// The largest scores of a row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "mask/node.hpp"

namespace qkv {

// The k largest of a row of scores in the order of the row; of equal ones the earlier. Scores of
// -infinity are not kept.
class Largest {
 public:
  // Candidates that may be held. Room for as many again makes the cost of a cut that of the scores
  // that came since the last one; the last tile is for writing without a question.
  static Index capacity(Index k, Index scores) noexcept {
    return std::min(k < scores ? 2 * k + 4 * tile_size : scores, scores) + tile_size;
  }

  Largest(Index k, Index capacity, float* scores, std::int32_t* places, float* spare) noexcept
      : k_(k), capacity_(capacity), scores_(scores), places_(places), spare_(spare) {}

  // False when there is a NaN among the scores.
  bool choose(const float* row, Index count) noexcept {
    for (Index first = 0; first < count; first += tile_size) {
      const Index last = std::min(count, first + tile_size);
      int larger = 0, others = 0;
      for (Index j = first; j < last; ++j) {
        larger += row[j] > limit_ ? 1 : 0;
        others += row[j] <= limit_ ? 1 : 0;
      }
      if (larger + others != last - first) return false;
      if (larger == 0) continue;  // as most tiles in the end
      if (count_ + tile_size > capacity_) cut();
      append(row, first, last);
    }
    if (count_ > k_) cut();
    return true;
  }

  Index count() const noexcept { return count_; }

 private:
  // Every score is written, and stays if it is large enough: which ones are cannot be foretold, so
  // that a branch would cost more.
  void append(const float* row, Index first, Index last) noexcept {
    const float limit = limit_;
    Index count = count_;
    for (Index j = first; j < last; ++j) {
      scores_[count] = row[j];
      places_[count] = static_cast<std::int32_t>(j);
      count += row[j] > limit ? 1 : 0;
    }
    count_ = count;
  }

  // Leaves k candidates. What comes later must be larger than the smallest of them.
  void cut() noexcept {
    limit_ = kth_largest();
    Index equal = k_, kept = 0;  // how many of those that equal the limit may stay
    for (Index c = 0; c < count_; ++c) equal -= scores_[c] > limit_ ? 1 : 0;
    for (Index c = 0; c < count_; ++c) {
      const float score = scores_[c];
      const bool equals = score == limit_, stays = equals ? equal > 0 : score > limit_;
      scores_[kept] = score;
      places_[kept] = places_[c];
      equal -= equals ? 1 : 0;
      kept += stays ? 1 : 0;
    }
    count_ = kept;
  }

  // Of the candidates, of which there are k or more. Each round keeps those on one side of a number
  // from among them, picked at random: no order of scores then makes it slow. Again without
  // branches that cannot be foretold, which make std::nth_element take longer.
  float kth_largest() noexcept {
    std::copy_n(scores_, count_, spare_);
    std::uint32_t random = 1;
    for (Index k = k_, count = count_;;) {
      random = random * 1664525 + 1013904223;
      const auto place = static_cast<std::uint64_t>(count) * random >> 32;
      const float pivot = spare_[place];
      int larger = 0, smaller = 0;
      for (Index c = 0; c < count; ++c) {
        larger += spare_[c] > pivot ? 1 : 0;
        smaller += spare_[c] < pivot ? 1 : 0;
      }
      if (k > larger && k <= count - smaller) return pivot;
      const bool above = k <= larger;
      if (!above) k -= count - smaller;
      Index kept = 0;
      for (Index c = 0; c < count; ++c) {
        const float score = spare_[c];
        spare_[kept] = score;
        kept += (above ? score > pivot : score < pivot) ? 1 : 0;
      }
      count = kept;
    }
  }

  const Index k_, capacity_;
  float* scores_;
  std::int32_t* places_;
  float* spare_;
  Index count_ = 0;
  float limit_ = -std::numeric_limits<float>::infinity();
};

}  // namespace qkv
