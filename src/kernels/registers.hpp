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
#if defined(__AVX512F__)
    if constexpr (width == 16) return _mm512_maskz_loadu_ps(first(count), from);
#endif
    float some[width] = {};
    for (Index i = 0; i < count; ++i) some[i] = from[i];
    return load(some);
  }

  QKV_INLINE static void store_some(const Batch& x, float* to, Index count) {
    if (count >= width) return x.store_unaligned(to);
#if defined(__AVX512F__)
    if constexpr (width == 16) return _mm512_mask_storeu_ps(to, first(count), x);
#endif
    float all[width];
    x.store_unaligned(all);
    for (Index i = 0; i < count; ++i) to[i] = all[i];
  }

  // rows[i] lane j becomes rows[j] lane i.
  QKV_INLINE static void transpose(Batch* rows) {
#if defined(__AVX512F__)
    if constexpr (width == 16) return transpose_16(rows);
#endif
    xsimd::transpose(rows, rows + width);
  }

  // Applies f to n floats in place.
  template <class Function>
  QKV_INLINE static void map(float* x, Index n, const Function& f) {
    for (; n > 0; n -= width, x += width) store_some(f(load_some(x, n)), x, n);
  }

#if defined(__AVX512F__)
 private:
  // A mask of the first `count` of 16 lanes, none where there are none.
  QKV_INLINE static __mmask16 first(Index count) {
    return count <= 0 ? __mmask16{0} : static_cast<__mmask16>(0xFFFF >> (16 - count));
  }

  // xsimd has none for 16 lanes but one that takes numbers one by one through memory: pairs of rows
  // are interleaved, then pairs of those, which leaves squares of 4 x 4 to be put in their places.
  QKV_INLINE static void transpose_16(Batch* rows) {
    constexpr std::make_index_sequence<4> four{};
    __m512 from[16], to[16];
    unrolled(std::make_index_sequence<16>{}, [&](auto i) { from[i] = rows[i]; });
    unrolled(four, [&](auto i) {
      constexpr std::size_t at = 4 * i;
      const __m512d low_01 = _mm512_castps_pd(_mm512_unpacklo_ps(from[at], from[at + 1]));
      const __m512d high_01 = _mm512_castps_pd(_mm512_unpackhi_ps(from[at], from[at + 1]));
      const __m512d low_23 = _mm512_castps_pd(_mm512_unpacklo_ps(from[at + 2], from[at + 3]));
      const __m512d high_23 = _mm512_castps_pd(_mm512_unpackhi_ps(from[at + 2], from[at + 3]));
      to[at] = _mm512_castpd_ps(_mm512_unpacklo_pd(low_01, low_23));
      to[at + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low_01, low_23));
      to[at + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(high_01, high_23));
      to[at + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(high_01, high_23));
    });
    constexpr int even = 0x88, odd = 0xDD;  // quarters 0 and 2 of both, or 1 and 3
    unrolled(four, [&](auto i) {
      const __m512 even_0 = _mm512_shuffle_f32x4(to[i], to[i + 4], even);
      const __m512 odd_0 = _mm512_shuffle_f32x4(to[i], to[i + 4], odd);
      const __m512 even_8 = _mm512_shuffle_f32x4(to[i + 8], to[i + 12], even);
      const __m512 odd_8 = _mm512_shuffle_f32x4(to[i + 8], to[i + 12], odd);
      rows[i] = _mm512_shuffle_f32x4(even_0, even_8, even);
      rows[i + 4] = _mm512_shuffle_f32x4(odd_0, odd_8, even);
      rows[i + 8] = _mm512_shuffle_f32x4(even_0, even_8, odd);
      rows[i + 12] = _mm512_shuffle_f32x4(odd_0, odd_8, odd);
    });
  }
#endif
};

}  // namespace qkv::kernels
