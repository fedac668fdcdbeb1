#include "kernels/table.hpp"

// The macro is set where this file is compiled for the instruction set.
#if defined(__aarch64__)
#include "kernels/simd.hpp"

namespace qkv::arch {
static constexpr Kernels table = kernels::simd_table<xsimd::neon64, 2, 8>("neon64");
const Kernels* neon64() noexcept { return &table; }
}  // namespace qkv::arch
#else
const qkv::Kernels* qkv::arch::neon64() noexcept { return nullptr; }
#endif
