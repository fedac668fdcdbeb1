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

// A block for the length of a call. Small ones are kept when they are returned, so that after the
// first calls of a size nothing is allocated any more. `data` is null when memory is refused.
struct Loan {
  void* data = nullptr;
  std::int64_t bytes = 0;  // at least as many as were asked for
};
Loan borrow(std::int64_t bytes) noexcept;
void give_back(const Loan& loan) noexcept;

// Uninitialised memory for trivial elements, given back with its owner.
template <class T>
class Buffer {
 public:
  Buffer() noexcept = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept
      : loan_(std::exchange(other.loan_, {})), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(loan_, other.loan_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() { give_back(loan_); }

  // Replaces what was held.
  Status reserve(Index size) noexcept {
    give_back(std::exchange(loan_, {}));
    size_ = 0;
    if (size == 0) return {};
    const bool fits = size <= INT64_MAX / static_cast<Index>(sizeof(T));
    const Index bytes = fits ? size * static_cast<Index>(sizeof(T)) : INT64_MAX;
    loan_ = borrow(bytes);
    if (loan_.data == nullptr) return out_of_memory(bytes);
    size_ = size;
    return {};
  }

  T* data() noexcept { return static_cast<T*>(loan_.data); }
  const T* data() const noexcept { return static_cast<const T*>(loan_.data); }
  Index size() const noexcept { return size_; }
  T& operator[](Index i) noexcept { return data()[i]; }
  const T& operator[](Index i) const noexcept { return data()[i]; }

 private:
  Loan loan_;
  Index size_ = 0;
};

}  // namespace qkv
