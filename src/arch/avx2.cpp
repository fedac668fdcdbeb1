#include "kernels/table.hpp"

// The macro is set where this file is compiled for the instruction set.
#if defined(__AVX2__) && defined(__FMA__)
#include "kernels/simd.hpp"

namespace qkv::arch {
static constexpr Kernels table = kernels::simd_table<xsimd::fma3<xsimd::avx2>, 2, 6>("avx2");
const Kernels* avx2() noexcept { return &table; }
}  // namespace qkv::arch
#else
const qkv::Kernels* qkv::arch::avx2() noexcept { return nullptr; }
#endif
