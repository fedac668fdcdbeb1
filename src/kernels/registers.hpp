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

  // As many floats as there are, zeros behind them.
  QKV_INLINE static Batch load_some(const float* from, Index count) {
    if (count >= width) return load(from);
    float some[width] = {};
    for (Index i = 0; i < count; ++i) some[i] = from[i];
    return load(some);
  }

  QKV_INLINE static void store_some(const Batch& x, float* to, Index count) {
    if (count >= width) return x.store_unaligned(to);
    float all[width];
    x.store_unaligned(all);
    for (Index i = 0; i < count; ++i) to[i] = all[i];
  }

  // Applies f to n floats in place.
  template <class Function>
  QKV_INLINE static void map(float* x, Index n, const Function& f) {
    for (; n > 0; n -= width, x += width) store_some(f(load_some(x, n)), x, n);
  }
};

}  // namespace qkv::kernels
