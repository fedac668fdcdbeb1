#include "kernels/table.hpp"

// One module holds one of the two: a single relaxed opcode makes older engines refuse it whole.
#if defined(__wasm_simd128__)
#include "kernels/simd.hpp"

namespace qkv::arch {
#if defined(__wasm_relaxed_simd__)
static constexpr Kernels table = kernels::simd_table<xsimd::wasm, 2, 4>("relaxed");
#else
static constexpr Kernels table = kernels::simd_table<xsimd::wasm, 2, 4>("simd128");
#endif
const Kernels* wasm() noexcept { return &table; }
}  // namespace qkv::arch
#else
const qkv::Kernels* qkv::arch::wasm() noexcept { return nullptr; }
#endif
