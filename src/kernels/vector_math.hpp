// Vector exp and tanh. Included by per-architecture files only: everything is a template over the
// batch type, always inlined, so that no symbol compiled for one instruction set can be shared.
#pragma once

#include <cstdint>
#include <limits>
#include <xsimd/xsimd.hpp>

#define QKV_INLINE [[gnu::always_inline]] inline

namespace qkv::kernels {

// a * b + c, fused where the hardware is.
template <class Batch>
QKV_INLINE Batch multiply_add(const Batch& a, const Batch& b, const Batch& c) noexcept {
#if defined(__wasm_relaxed_simd__)
  return Batch(__builtin_wasm_relaxed_madd_f32x4(a, b, c));  // xsimd knows no relaxed SIMD
#else
  return xsimd::fma(a, b, c);
#endif
}

// e^x within 2 units in the last place. Below the smallest normal number the result is 0, above the
// largest it is infinity; NaN stays NaN. x = n ln 2 + r, |r| <= ln(2) / 2; e^r by a polynomial whose
// coefficients minimise the relative error (3e-9); 2^n by adding n to the exponent.
template <class Batch>
QKV_INLINE Batch exp(const Batch& x) noexcept {
  using Integers = xsimd::as_integer_t<Batch>;
  // Adding 1.5 * 2^23 leaves round(x / ln 2) in the low bits.
  const Batch shifted = multiply_add(x, Batch(1.44269504088896341f), Batch(12582912.0f));
  const Batch n = shifted - Batch(12582912.0f);
  Batch r = multiply_add(n, Batch(-0.693145751953125f), x);  // ln 2 in two parts, the first exact
  r = multiply_add(n, Batch(-1.42860682030941723212e-6f), r);
  Batch p = multiply_add(Batch(0.0013814540579915047f), r, Batch(0.00836874540620514f));
  p = multiply_add(p, r, Batch(0.04166838899254799f));
  p = multiply_add(p, r, Batch(0.1666652113199234f));
  p = multiply_add(p, r, Batch(0.4999999403953552f));
  p = multiply_add(p * r, r, r) + Batch(1.0f);
  const Integers exponent = xsimd::bitwise_cast<std::int32_t>(shifted) << 23;
  const Batch scaled = xsimd::bitwise_cast<float>(xsimd::bitwise_cast<std::int32_t>(p) + exponent);
  // The first and the last float whose power is a normal number: beyond them the exponent would run
  // into that of the subnormal numbers, or of NaN.
  const Batch low = xsimd::select(x < Batch(-87.3365402f), Batch(0.0f), scaled);
  const Batch high = xsimd::select(x > Batch(88.7228317f),
                                   Batch(std::numeric_limits<float>::infinity()), low);
  return xsimd::select(x == x, high, x);
}

// Below 0.625 an odd polynomial (relative error 4e-9), above it 1 - 2 / (e^(2|x|) + 1).
template <class Batch>
QKV_INLINE Batch tanh(const Batch& x) noexcept {
  const Batch size = xsimd::abs(x);
  const Batch far = Batch(1.0f) - Batch(2.0f) / (kernels::exp(size + size) + Batch(1.0f));
  const Batch z = x * x;
  Batch p = multiply_add(Batch(-0.005704987328499556f), z, Batch(0.0206390880048275f));
  p = multiply_add(p, z, Batch(-0.05373971536755562f));
  p = multiply_add(p, z, Batch(0.13331441581249237f));
  p = multiply_add(p, z, Batch(-0.3333328068256378f));
  const Batch near = multiply_add(p * z, x, x);
  return xsimd::select(size < Batch(0.625f), near, xsimd::copysign(far, x));
}

}  // namespace qkv::kernels
