// Tensors in heap blocks of exactly their reach, with any strides: a read or write past either end is
// a heap overflow that AddressSanitizer reports, and what lies between the elements is recognisable.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "qkv/tensor.hpp"

namespace qkv::test {

enum class Layout {
  row_major,
  padded_rows,      // three elements between rows
  spread_features,  // two elements between features, one more between rows
  transposed,       // the last two axes change places in memory
  reversed,         // the last two axes run backwards: negative strides
};

inline constexpr Layout layouts[] = {Layout::row_major, Layout::padded_rows, Layout::spread_features,
                                     Layout::transposed, Layout::reversed};

inline Strides strides_of(const Shape& shape, Layout layout) {
  Strides strides = row_major(shape);
  const int rank = shape.rank();
  if (rank == 0 || layout == Layout::row_major) return strides;
  const Index width = shape.back(0);
  const Index length = rank > 1 ? shape.back(1) : 1;
  Index feature = 1, row = width;
  if (layout == Layout::padded_rows) row = width + 3;
  if (layout == Layout::spread_features) {
    feature = 3;
    row = 3 * width + 1;
  }
  if (layout == Layout::transposed) {
    feature = length;
    row = 1;
  }
  const Index matrix = layout == Layout::transposed ? width * length : row * length;
  if (layout == Layout::reversed) {
    feature = -feature;
    row = -row;
  }
  strides[rank - 1] = feature;
  if (rank > 1) strides[rank - 2] = row;
  Index step = matrix;
  for (int axis = rank - 3; axis >= 0; --axis) {
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

class Placed {
 public:
  // Every element and every gap holds `blank` at first. NaN shows up in any result it reaches.
  explicit Placed(const Shape& shape, Layout layout = Layout::row_major,
                  float blank = std::numeric_limits<float>::quiet_NaN())
      : shape_(shape), strides_(strides_of(shape, layout)), blank_(blank) {
    Index lowest = 0, highest = 0;
    count_ = shape.elements();
    for (int axis = 0; axis < shape.rank() && count_ > 0; ++axis) {
      const Index reach = (shape[axis] - 1) * strides_[axis];
      (reach < 0 ? lowest : highest) += reach;
    }
    block_size_ = count_ > 0 ? highest - lowest + 1 : 0;
    block_.reset(new float[static_cast<std::size_t>(block_size_)]);
    std::fill_n(block_.get(), block_size_, blank);
    first_ = block_.get() - lowest;
  }
  Placed(const Shape& shape, const std::vector<float>& values, Layout layout = Layout::row_major)
      : Placed(shape, layout) {
    each([&](Index element, float& place) { place = values[static_cast<std::size_t>(element)]; });
  }

  const Shape& shape() const { return shape_; }
  TensorView view() { return {first_, shape_, strides_}; }
  ConstTensorView view() const { return {first_, shape_, strides_}; }

  // The elements in row-major order.
  std::vector<float> values() const {
    std::vector<float> values(static_cast<std::size_t>(count_));
    each([&](Index element, float& place) { values[static_cast<std::size_t>(element)] = place; });
    return values;
  }

  // Nothing was written between the elements.
  bool gaps_untouched() const {
    if (block_size_ == count_) return true;  // there are none
    std::vector<bool> used(static_cast<std::size_t>(block_size_), false);
    each([&](Index, float& place) { used[static_cast<std::size_t>(&place - block_.get())] = true; });
    for (Index i = 0; i < block_size_; ++i) {
      if (!used[static_cast<std::size_t>(i)] && !is_blank(block_[static_cast<std::size_t>(i)])) {
        return false;
      }
    }
    return true;
  }

  // Nothing was written at all.
  bool untouched() const {
    return std::all_of(block_.get(), block_.get() + block_size_,
                       [&](float x) { return is_blank(x); });
  }

 private:
  bool is_blank(float x) const { return std::memcmp(&x, &blank_, sizeof x) == 0; }
  // Calls body(number, place) for every element in row-major order.
  template <class Body>
  void each(const Body& body) const {
    const int rank = shape_.rank();
    if (count_ == 0) return;
    if (rank == 0) return body(0, *first_);
    const Index width = shape_.back(0);
    for (Index row = 0; row < count_ / width; ++row) {
      Index offset = 0, rest = row;
      for (int axis = rank - 2; axis >= 0; --axis) {
        offset += rest % shape_[axis] * strides_[axis];
        rest /= shape_[axis];
      }
      for (Index i = 0; i < width; ++i) body(row * width + i, first_[offset + i * strides_.back(0)]);
    }
  }

  Shape shape_;
  Strides strides_;
  float blank_;
  Index count_ = 0, block_size_ = 0;
  std::unique_ptr<float[]> block_;
  float* first_ = nullptr;
};

}  // namespace qkv::test
