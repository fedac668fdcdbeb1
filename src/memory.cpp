#include "memory.hpp"

#include <cstdlib>

#include "text.hpp"

namespace qkv {

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

Status out_of_memory(std::int64_t bytes) noexcept {
  return guarded([&]() -> Status {
    return {ErrorCode::memory, text("out of memory: ", bytes, " bytes were refused")};
  });
}

}  // namespace qkv
