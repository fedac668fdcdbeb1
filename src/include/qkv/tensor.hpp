// Shapes, views of the caller's memory, and a tensor that owns its memory.
//
// Data is float32. A shape is written [..., L, D]: L tokens of D features, any leading axes, usually
// [batch, heads]. Strides count elements, not bytes; without strides a view is row-major.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "qkv/error.hpp"
#include "qkv/export.hpp"
#include "qkv/index.hpp"

namespace qkv {

// Up to max_rank sizes held in place. A longer list is remembered by its rank only, and every
// operation refuses it by name.
class Shape {
 public:
  static constexpr int max_rank = 8;

  Shape() noexcept = default;
  Shape(std::initializer_list<Index> sizes) noexcept : Shape(sizes.begin(), sizes.size()) {}
  Shape(const std::vector<Index>& sizes) noexcept : Shape(sizes.data(), sizes.size()) {}
  QKV_API Shape(const Index* sizes, std::size_t rank) noexcept;

  int rank() const noexcept { return rank_; }
  Index operator[](int axis) const noexcept { return sizes_[axis]; }
  Index& operator[](int axis) noexcept { return sizes_[axis]; }
  // The axis counted from the end: back(0) is the last one.
  Index back(int axis) const noexcept { return sizes_[rank_ - 1 - axis]; }
  const Index* begin() const noexcept { return sizes_.data(); }
  const Index* end() const noexcept { return begin() + (rank_ < max_rank ? rank_ : max_rank); }

  // Number of elements; -1 when it does not fit in 63 bits, a size is negative or the rank too high.
  QKV_API Index elements() const noexcept;
  // As a person writes it: [2, 4, 100].
  QKV_API std::string to_string() const;

  QKV_API friend bool operator==(const Shape& a, const Shape& b) noexcept;

 private:
  int rank_ = 0;
  std::array<Index, max_rank> sizes_{};
};

using Strides = Shape;

// Strides of a row-major layout, in elements.
QKV_API Strides row_major(const Shape& shape) noexcept;

// A view does not own what it shows: the caller keeps the memory alive during the call. A view with
// a null pointer means "not given" where a parameter is optional.
template <class Element>
struct BasicView {
  Element* data = nullptr;
  Shape shape;
  Strides strides;

  BasicView() noexcept = default;
  BasicView(Element* data, const Shape& shape) noexcept
      : data(data), shape(shape), strides(row_major(shape)) {}
  BasicView(Element* data, const Shape& shape, const Strides& strides) noexcept
      : data(data), shape(shape), strides(strides) {}
  // A mutable view can be read.
  operator BasicView<const Element>() const noexcept { return {data, shape, strides}; }

  explicit operator bool() const noexcept { return data != nullptr; }
};

using TensorView = BasicView<float>;
using ConstTensorView = BasicView<const float>;
using BoolView = BasicView<const std::uint8_t>;  // one byte each, 0 is false

// Row-major float32 memory with one owner, aligned to 64 bytes.
class QKV_API Tensor {
 public:
  Tensor() noexcept = default;
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor();

  // Gives `result` zeroed memory for `shape`. Errors: shape (rank or size impossible), memory.
  static Status create(const Shape& shape, Tensor& result) noexcept;
  // As create, then copies the view's elements. Strides are honoured.
  static Status copy(const ConstTensorView& source, Tensor& result) noexcept;

#if defined(__cpp_exceptions)
  explicit Tensor(const Shape& shape) { raise(create(shape, *this)); }
  explicit Tensor(const ConstTensorView& source) { raise(copy(source, *this)); }
#endif

  const Shape& shape() const noexcept { return shape_; }
  Index size() const noexcept { return shape_.elements(); }
  float* data() noexcept { return data_; }
  const float* data() const noexcept { return data_; }
  float& operator[](Index element) noexcept { return data_[element]; }
  float operator[](Index element) const noexcept { return data_[element]; }

  // Gives the memory away; free it with qkv::release.
  float* detach() noexcept;

  operator TensorView() noexcept { return {data_, shape_}; }
  operator ConstTensorView() const noexcept { return {data_, shape_}; }

 private:
  float* data_ = nullptr;
  Shape shape_{0};
};

// Frees memory that Tensor::detach gave away.
QKV_API void release(float* data) noexcept;

}  // namespace qkv
