// The kernel tables that this processor runs, and logical matrices in and out of their layouts,
// written apart from the library's own packing.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "kernels/table.hpp"
#include "qkv/backend.hpp"
#include "support/agree.hpp"

namespace qkv::test {

inline std::vector<const Kernels*> kernel_tables() {
  const std::vector<std::string_view> names = backends();
  std::vector<const Kernels*> tables;
  for (const Kernels* table : {arch::scalar(), arch::sse2(), arch::avx2(), arch::avx512(),
                               arch::neon64(), arch::wasm()}) {
    if (table != nullptr && std::find(names.begin(), names.end(), table->name) != names.end()) {
      tables.push_back(table);
    }
  }
  return tables;
}

// A heap block of exactly these elements.
template <class T>
class Block {
 public:
  explicit Block(const std::vector<T>& values) : size_(values.size()), data_(new T[values.size()]) {
    std::copy(values.begin(), values.end(), data_.get());
  }
  explicit Block(Index size, T value = T{}) : Block(std::vector<T>(static_cast<std::size_t>(size), value)) {}

  T* data() { return data_.get(); }
  T& operator[](Index i) { return data_[static_cast<std::size_t>(i)]; }
  std::vector<T> values() const { return std::vector<T>(data_.get(), data_.get() + size_); }

 private:
  std::size_t size_;
  std::unique_ptr<T[]> data_;
};

// Queries that fill whole panels of any table, so that all tables are asked the same.
inline constexpr Index columns = 64;

// matrix[rows][64] to the panel that begins at column `first`.
inline Block<float> panel_of(const Kernels& kernels, const std::vector<float>& matrix, Index first) {
  const Index rows = static_cast<Index>(matrix.size()) / columns;
  Block<float> panel(rows * kernels.lanes);
  for (Index r = 0; r < rows; ++r) {
    for (Index i = 0; i < kernels.lanes; ++i) {
      panel[r * kernels.lanes + i] = matrix[static_cast<std::size_t>(r * columns + first + i)];
    }
  }
  return panel;
}

// And back.
inline void put_panel(const Kernels& kernels, Block<float>& panel, Index first,
                      std::vector<float>& matrix) {
  const Index rows = static_cast<Index>(matrix.size()) / columns;
  for (Index r = 0; r < rows; ++r) {
    for (Index i = 0; i < kernels.lanes; ++i) {
      matrix[static_cast<std::size_t>(r * columns + first + i)] = panel[r * kernels.lanes + i];
    }
  }
}

// keys[count][width] to groups of kernels.rows keys, each [width][keys of the group].
inline Block<float> packed_keys(const Kernels& kernels, const std::vector<float>& keys, Index count,
                                Index width) {
  std::vector<float> packed;
  for (Index first = 0; first < count; first += kernels.rows) {
    for (Index d = 0; d < width; ++d) {
      for (Index r = first; r < std::min<Index>(first + kernels.rows, count); ++r) {
        packed.push_back(keys[static_cast<std::size_t>(r * width + d)]);
      }
    }
  }
  return Block<float>(packed);
}

// Distance in units of the last place of the float that is nearest to `want`.
inline double ulps(float got, double want) {
  const float near = static_cast<float>(want);
  if (got == near || (std::isnan(got) && std::isnan(want))) return 0;
  if (!std::isfinite(got) || !std::isfinite(near)) return HUGE_VAL;
  const float size = std::fmax(std::fabs(near), std::numeric_limits<float>::min());
  return std::fabs(got - want) / (std::nextafter(size, HUGE_VALF) - static_cast<double>(size));
}

// All of: every kind of float that is special, both signs.
inline std::vector<float> special_floats() {
  using Limits = std::numeric_limits<float>;
  std::vector<float> values;
  for (const float x : {0.0f, Limits::denorm_min(), 1e-40f, Limits::min(), 1e-20f, 1e-4f, 0.5f, 1.0f,
                        20.0f, 88.0f, 89.0f, 104.0f, 1e10f, Limits::max(), Limits::infinity()}) {
    values.push_back(x);
    values.push_back(-x);
  }
  values.push_back(Limits::quiet_NaN());
  return values;
}

}  // namespace qkv::test
