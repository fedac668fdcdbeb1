#include "memory.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "text.hpp"

namespace qkv {
namespace {

// Blocks that wait for the next call. Any thread takes and leaves them; each holds its own size in its
// first bytes. What a sanitizer watches is allocated anew, or it would not see where it ends.
#if defined(__SANITIZE_ADDRESS__)  // GCC
constexpr bool watched = true;
#elif defined(__has_feature)  // Clang
constexpr bool watched = __has_feature(address_sanitizer);
#else
constexpr bool watched = false;
#endif
constexpr std::int64_t most_kept = watched ? 0 : 256 << 10;  // bytes of one
constexpr unsigned places = 4;
std::atomic<void*> kept[places];
std::atomic<unsigned> turn{0};  // the place whose block makes room when all are full

std::int64_t size_of(const void* block) noexcept {
  std::int64_t bytes;
  std::memcpy(&bytes, block, sizeof bytes);
  return bytes;
}

}  // namespace

void* allocate(std::int64_t bytes) noexcept {
  if (bytes < 0 || static_cast<std::uint64_t>(bytes) > SIZE_MAX / 2 - alignment) return nullptr;
  // aligned_alloc wants a multiple of the alignment.
  const std::size_t rounded =
      (static_cast<std::size_t>(bytes) + alignment - 1) / alignment * alignment;
#if defined(_WIN32)
  return _aligned_malloc(rounded, alignment);
#else
  return std::aligned_alloc(alignment, rounded);
#endif
}

void deallocate(void* memory) noexcept {
#if defined(_WIN32)
  _aligned_free(memory);
#else
  std::free(memory);
#endif
}

Loan borrow(std::int64_t bytes) noexcept {
  if (bytes > 0 && bytes <= most_kept) {
    bytes = (bytes + 1023) / 1024 * 1024;  // sizes that differ little share a block
    for (std::atomic<void*>& place : kept) {
      void* block = place.exchange(nullptr, std::memory_order_acquire);
      if (block == nullptr) continue;
      const std::int64_t size = size_of(block);
      // A much larger one is left to who needs it.
      if (size >= bytes && size / 8 <= bytes) return {block, size};
      give_back({block, size});
    }
  }
  void* block = allocate(bytes);
  return {block, block == nullptr ? 0 : bytes};
}

void give_back(const Loan& loan) noexcept {
  void* block = loan.data;
  if (block != nullptr && loan.bytes <= most_kept && loan.bytes >= 8) {
    std::memcpy(block, &loan.bytes, sizeof loan.bytes);
    for (std::atomic<void*>& place : kept) {
      void* empty = nullptr;
      if (place.compare_exchange_strong(empty, block, std::memory_order_release,
                                        std::memory_order_relaxed)) {
        return;
      }
    }
    block = kept[turn.fetch_add(1, std::memory_order_relaxed) % places].exchange(
        block, std::memory_order_acq_rel);
  }
  deallocate(block);
}

Status out_of_memory(std::int64_t bytes) noexcept {
  return guarded([&]() -> Status {
    return {ErrorCode::memory, text("out of memory: ", bytes, " bytes were refused")};
  });
}

}  // namespace qkv
