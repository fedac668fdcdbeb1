// Memory that may be refused: no exceptions, no aborts, a null pointer instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "qkv/error.hpp"
#include "qkv/tensor.hpp"

namespace qkv {

inline constexpr std::size_t alignment = 64;  // a cache line, and the widest register

// Null when the system refuses or `bytes` does not fit in an address.
void* allocate(std::int64_t bytes) noexcept;
void deallocate(void* memory) noexcept;

// The sentence for refused memory.
Status out_of_memory(std::int64_t bytes) noexcept;

// Uninitialised memory for trivial elements, released with its owner.
template <class T>
class Buffer {
 public:
  Buffer() noexcept = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() { deallocate(data_); }

  // Replaces what was held.
  Status reserve(Index size) noexcept {
    deallocate(data_);
    data_ = nullptr;
    size_ = 0;
    if (size == 0) return {};
    const bool fits = size <= INT64_MAX / static_cast<Index>(sizeof(T));
    const Index bytes = fits ? size * static_cast<Index>(sizeof(T)) : INT64_MAX;
    data_ = static_cast<T*>(allocate(bytes));
    if (data_ == nullptr) return out_of_memory(bytes);
    size_ = size;
    return {};
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  Index size() const noexcept { return size_; }
  T& operator[](Index i) noexcept { return data_[i]; }
  const T& operator[](Index i) const noexcept { return data_[i]; }

 private:
  T* data_ = nullptr;
  Index size_ = 0;
};

}  // namespace qkv
