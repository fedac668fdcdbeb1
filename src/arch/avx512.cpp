#include "kernels/table.hpp"

// The macro is set where this file is compiled for the instruction set.
#if defined(__AVX512F__) && defined(__AVX512BW__)
#include "kernels/simd.hpp"

namespace qkv::arch {
static constexpr Kernels table = kernels::simd_table<xsimd::avx512bw, 2, 12>("avx512");
const Kernels* avx512() noexcept { return &table; }
}  // namespace qkv::arch
#else
const qkv::Kernels* qkv::arch::avx512() noexcept { return nullptr; }
#endif
