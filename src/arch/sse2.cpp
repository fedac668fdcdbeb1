#include "kernels/table.hpp"

// The macro is set where this file is compiled for the instruction set.
#if defined(__SSE2__)
#include "kernels/simd.hpp"

namespace qkv::arch {
static constexpr Kernels table = kernels::simd_table<xsimd::sse2, 2, 6>("sse2");
const Kernels* sse2() noexcept { return &table; }
}  // namespace qkv::arch
#else
const qkv::Kernels* qkv::arch::sse2() noexcept { return nullptr; }
#endif
