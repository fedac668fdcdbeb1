// Registers of one instruction set, and loops over them that a compiler cannot leave in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <xsimd/xsimd.hpp>

#include "kernels/vector_math.hpp"
#include "qkv/index.hpp"

namespace qkv::kernels {

inline constexpr float infinity = std::numeric_limits<float>::infinity();

// Calls body(0), body(1), ... with compile-time numbers: arrays of registers stay in registers only
// where every index is a constant.
template <std::size_t... I, class Body>
QKV_INLINE void unrolled(std::index_sequence<I...>, const Body& body) {
  (body(std::integral_constant<std::size_t, I>{}), ...);
}

template <class Arch>
struct Registers {
  using Batch = xsimd::batch<float, Arch>;
  static constexpr Index width = Batch::size;  // floats of a register

  QKV_INLINE static Batch load(const float* from) { return Batch::load_unaligned(from); }

  // Applies f to n floats in place; the last few go through a register of their own.
  template <class Function>
  QKV_INLINE static void map(float* x, Index n, const Function& f) {
    Index i = 0;
    for (; i + width <= n; i += width) f(load(x + i)).store_unaligned(x + i);
    if (i < n) {
      float rest[width] = {};
      for (Index k = 0; i + k < n; ++k) rest[k] = x[i + k];
      f(load(rest)).store_unaligned(rest);
      for (Index k = 0; i + k < n; ++k) x[i + k] = rest[k];
    }
  }
};

}  // namespace qkv::kernels
