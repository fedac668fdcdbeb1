// Keys and values of a call in the form the kernels read, made once per key/value head.
#pragma once

#include "attention/problem.hpp"
#include "kernels/table.hpp"
#include "memory.hpp"
#include "packed_weight.hpp"

namespace qkv {

// One key/value head.
struct Operands {
  const float* packed = nullptr;   // key groups, tile by tile: tile t begins at t * 64 * score_width
  const float* key_rows = nullptr;  // features side by side
  Index key_step = 0;
  const float* values = nullptr;  // features side by side
  Index value_step = 0;
  const std::uint64_t* unsafe = nullptr;  // one word per key tile: values that are not finite
};

class OperandStore {
 public:
  // Decides what must be made, and how many heads fit in memory at once: at least one, and no more
  // than a fixed number of bytes, so that long batches do not double their memory.
  OperandStore(const Problem& problem, const Kernels& kernels, int workers) noexcept;

  // Errors: memory.
  Status reserve() noexcept;

  // All key/value heads are numbered batch * kv_heads + head and prepared `capacity()` at a time.
  Index count() const noexcept { return problem_.batch * problem_.kv_heads; }
  Index capacity() const noexcept { return capacity_; }

  // Makes heads [first, first + heads), over all threads.
  void prepare(Index first, Index heads) noexcept;

  Operands at(Index number) const noexcept;

  // So few queries that most lanes would be idle: each is then run by itself.
  bool by_rows() const noexcept { return by_rows_; }
  bool packs() const noexcept { return packs_; }

  // Weights that turn queries into what meets the keys; null when queries meet them as they are.
  const PackedWeight* query_weight() const noexcept {
    return projects_queries_ ? &query_weight_ : nullptr;
  }
  // The vector of the additive score, features side by side; null for other scores.
  const float* additive_vector() const noexcept { return vector_.data(); }

 private:
  void prepare_tile(Index slot, Index number, Index tile, int worker) noexcept;
  void project_keys(const float* keys, Index count, float* rows, int worker) noexcept;

  const Problem& problem_;
  const Kernels& kernels_;
  const int workers_;  // for the whole call, whatever set_threads does meanwhile
  bool by_rows_ = false;
  bool packs_ = false;         // key groups
  bool copies_keys_ = false;   // key rows, transformed or brought together
  bool copies_values_ = false;
  bool scans_values_ = false;
  bool projects_queries_ = false;
  Index tiles_ = 0;
  Index capacity_ = 1;
  Index first_ = 0;
  PackedWeight query_weight_, key_weight_;
  Buffer<float> vector_, packed_, keys_, values_, panels_;
  Buffer<std::uint64_t> unsafe_;
};

// Turns a vector to unit length in double precision, where no float's square overflows or vanishes.
// The zero vector stays.
void normalize(const float* from, Index step, Index width, float* to) noexcept;

}  // namespace qkv
