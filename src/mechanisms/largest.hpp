// The largest scores of a row.
#pragma once

#include <cstdint>

#include "qkv/index.hpp"

namespace qkv {

// The k largest of a row of scores in the order of the row; of equal ones the earlier. -infinity
// and NaN are never among them.
class Largest {
 public:
  // k is 1 or more unless the row is empty. Scores, places and spare have room for a whole row.
  Largest(Index k, float* scores, std::int32_t* places, float* spare) noexcept
      : k_(k), scores_(scores), places_(places), spare_(spare) {}

  // False when there is a NaN among the scores.
  bool choose(const float* row, Index count) noexcept;

  Index count() const noexcept { return count_; }

 private:
  void append(const float* row, Index first, Index last, float limit) noexcept;
  void cut() noexcept;
  float kth_largest(float* numbers, Index count) const noexcept;

  const Index k_;
  float* scores_;
  std::int32_t* places_;
  float* spare_;
  Index count_ = 0;
};

}  // namespace qkv
