#include "qkv/tensor.hpp"

#include <cstring>
#include <utility>

#include "check.hpp"
#include "memory.hpp"
#include "strided.hpp"
#include "text.hpp"

namespace qkv {

Shape::Shape(const Index* sizes, std::size_t rank) noexcept : rank_(static_cast<int>(rank)) {
  for (std::size_t axis = 0; axis < rank && axis < max_rank; ++axis) sizes_[axis] = sizes[axis];
}

bool operator==(const Shape& a, const Shape& b) noexcept {
  if (a.rank_ != b.rank_) return false;
  for (int axis = 0; axis < a.rank_ && axis < Shape::max_rank; ++axis) {
    if (a.sizes_[axis] != b.sizes_[axis]) return false;
  }
  return true;
}

Index Shape::elements() const noexcept {
  if (rank_ > max_rank) return -1;
  Index product = 1;
  bool empty = false;
  for (const Index size : *this) {
    if (size < 0) return -1;
    if (size == 0) {
      empty = true;
    } else if (product > INT64_MAX / 8 / size) {
      return -1;  // 8: room for the bytes of the widest element
    } else {
      product *= size;
    }
  }
  return empty ? 0 : product;
}

std::string Shape::to_string() const {
  std::string result = "[";
  for (int axis = 0; axis < rank_; ++axis) {
    if (axis > 0) result += ", ";
    result += axis < max_rank ? std::to_string(sizes_[axis]) : "...";
    if (axis >= max_rank) break;
  }
  return result + "]";
}

Strides row_major(const Shape& shape) noexcept {
  Strides strides = shape;
  Index step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (axis >= Shape::max_rank) continue;
    strides[axis] = step;
    // Sizes too large to multiply are refused by the operation before a stride is used.
    if (shape[axis] > 0 && step <= INT64_MAX / shape[axis]) step *= shape[axis];
  }
  return strides;
}

Tensor::Tensor(Tensor&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), shape_(std::exchange(other.shape_, Shape{0})) {}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(shape_, other.shape_);
  return *this;
}

Tensor::~Tensor() { deallocate(data_); }

Status Tensor::create(const Shape& shape, Tensor& result) noexcept {
  return guarded([&]() -> Status {
    const Index size = shape.elements();
    if (size < 0) return shape_error("a tensor of shape ", shape, " is not possible");
    Tensor tensor;
    const Index bytes = size * static_cast<Index>(sizeof(float));
    // An empty tensor has memory too, so that a null pointer always means "not given".
    tensor.data_ = static_cast<float*>(allocate(bytes == 0 ? 1 : bytes));
    if (tensor.data_ == nullptr) return out_of_memory(bytes);
    std::memset(tensor.data_, 0, static_cast<std::size_t>(bytes));
    tensor.shape_ = shape;
    result = std::move(tensor);
    return {};
  });
}

Status Tensor::copy(const ConstTensorView& source, Tensor& result) noexcept {
  return guarded([&]() -> Status {
    QKV_TRY(check_view("source", source, 0));
    QKV_TRY(create(source.shape, result));
    copy_elements(source, TensorView(result));
    return {};
  });
}

float* Tensor::detach() noexcept {
  shape_ = Shape{0};
  return std::exchange(data_, nullptr);
}

void release(float* data) noexcept { deallocate(data); }

}  // namespace qkv
