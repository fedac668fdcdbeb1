#include "arch/detect.hpp"

#if !defined(__wasm__)
#include <xsimd/xsimd.hpp>
#endif

namespace qkv::arch {

Features detect() noexcept {
  Features features;
#if defined(__wasm__)
  features.wasm = true;  // an engine without it has refused the module
#else
  const auto available = xsimd::available_architectures();
  features.sse2 = available.has(xsimd::sse2{});
  features.avx2 = available.has(xsimd::fma3<xsimd::avx2>{});
  features.avx512 = available.has(xsimd::avx512bw{});
  features.neon64 = available.has(xsimd::neon64{});
#endif
  return features;
}

}  // namespace qkv::arch
