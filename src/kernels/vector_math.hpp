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

// a / b, rounded once.
template <class Batch>
QKV_INLINE Batch divide(const Batch& a, const Batch& b) noexcept {
#if defined(__aarch64__)
  return Batch(vdivq_f32(a, b));  // xsimd's is for 32-bit processors: an estimate and two steps
#else
  return a / b;
#endif
}

// n = round(x / ln 2) and r = x - n ln 2, |r| <= ln(2) / 2, so that e^x = 2^n e^r. `power` holds n
// in its low bits, `bias` added: adding 1.5 * 2^23 rounds there.
template <class Batch>
struct Reduced {
  Batch power, r;

  QKV_INLINE Reduced(const Batch& x, float bias) noexcept {
    const Batch origin(12582912.0f + bias);
    power = multiply_add(x, Batch(1.44269504088896341f), origin);
    const Batch n = power - origin;
    r = multiply_add(n, Batch(-0.693145751953125f), x);  // ln 2 in two parts, the first exact
    r = multiply_add(n, Batch(-1.42860682030941723212e-6f), r);
  }

  // e^r - 1 by a polynomial whose coefficients minimise the relative error of e^r (3e-9).
  QKV_INLINE Batch growth() const noexcept {
    Batch p = multiply_add(Batch(0.0013814540579915047f), r, Batch(0.00836874540620514f));
    p = multiply_add(p, r, Batch(0.04166838899254799f));
    p = multiply_add(p, r, Batch(0.1666652113199234f));
    p = multiply_add(p, r, Batch(0.4999999403953552f));
    return multiply_add(p, r * r, r);
  }

  // The low bits of `power` moved to where a float keeps its exponent.
  QKV_INLINE auto exponent() const noexcept {
    return xsimd::bitwise_cast<std::int32_t>(power) << 23;
  }
};

// The first float whose power is a normal number, and the last: beyond them the exponent would run
// into that of the subnormal numbers, or of NaN.
inline constexpr float least_power = -87.3365402f;
inline constexpr float greatest_power = 88.7228317f;

// e^x within 2 units in the last place. Below the smallest normal number the result is 0, above the
// largest it is infinity; NaN stays NaN.
template <class Batch>
QKV_INLINE Batch exp(const Batch& x) noexcept {
  const Reduced<Batch> reduced(x, 0);
  // 2^n may be too large for a float where 2^n e^r is not: n is added to the exponent of e^r.
  const Batch power = reduced.growth() + Batch(1.0f);
  const Batch scaled = xsimd::bitwise_cast<float>(xsimd::bitwise_cast<std::int32_t>(power) +
                                                  reduced.exponent());
  const Batch low = xsimd::select(x < Batch(least_power), Batch(0.0f), scaled);
  const Batch high = xsimd::select(x > Batch(greatest_power),
                                   Batch(std::numeric_limits<float>::infinity()), low);
  return xsimd::select(x == x, high, x);
}

// The same for x <= 0 or NaN, with fewer instructions: the weights of a softmax.
template <class Batch>
QKV_INLINE Batch exp_below_zero(const Batch& x) noexcept {
  const Reduced<Batch> reduced(x, 127);  // makes 2^n itself
  const Batch power = xsimd::bitwise_cast<float>(reduced.exponent());
  const Batch result = multiply_add(reduced.growth(), power, power);
  return xsimd::select(x < Batch(least_power), Batch(0.0f), result);
}

// Below 0.625 an odd polynomial (relative error 4e-9), above it 1 - 2 / (e^(2|x|) + 1).
template <class Batch>
QKV_INLINE Batch tanh(const Batch& x) noexcept {
  const Batch size = xsimd::abs(x);
  const Batch far = Batch(1.0f) - divide(Batch(2.0f), kernels::exp(size + size) + Batch(1.0f));
  const Batch z = x * x;
  Batch p = multiply_add(Batch(-0.005704987328499556f), z, Batch(0.0206390880048275f));
  p = multiply_add(p, z, Batch(-0.05373971536755562f));
  p = multiply_add(p, z, Batch(0.13331441581249237f));
  p = multiply_add(p, z, Batch(-0.3333328068256378f));
  const Batch near = multiply_add(p * z, x, x);
  return xsimd::select(size < Batch(0.625f), near, xsimd::copysign(far, x));
}

}  // namespace qkv::kernels
