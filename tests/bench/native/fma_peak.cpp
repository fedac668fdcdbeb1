// The peak of multiply-adds, from one source for the native program and for two WebAssembly
// modules. It is compiled for exactly the machine, or the variant of WebAssembly, that it is to
// measure.
#include "fma_peak.hpp"

#include <cstddef>
#include <utility>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace {

#if defined(__AVX512F__)
constexpr int bytes = 64;
#elif defined(__AVX__)
constexpr int bytes = 32;
#else
constexpr int bytes = 16;
#endif
using Vector = float __attribute__((vector_size(bytes)));
constexpr int lanes = bytes / sizeof(float);

// Two pipes, each with a latency of a multiplication and an addition one after the other where they
// are not fused: six cycles and so twelve chains. Sixteen registers hold these, the two factors and
// a product; with fourteen chains V8 keeps some in memory and halves the speed.
constexpr std::size_t chains = 12;

inline Vector multiply_add(Vector a, Vector b, Vector c) {
#if defined(__wasm_relaxed_simd__)
  return (Vector)wasm_f32x4_relaxed_madd((v128_t)a, (v128_t)b, (v128_t)c);
#else
  return a * b + c;  // -ffp-contract=fast: fused where the machine can
#endif
}

template <std::size_t... chain>
float run(int rounds, float factor, std::index_sequence<chain...>) {
  const Vector b = Vector{} + factor, c = Vector{} + (1 - factor);
  Vector sums[] = {(Vector{} + static_cast<float>(chain))...};
  for (int round = 0; round < rounds; ++round) {
    ((sums[chain] = multiply_add(sums[chain], b, c)), ...);
  }
  const Vector sum = (sums[chain] + ...);
  return sum[0];
}

// Volatile, so that no compiler knows the numbers.
volatile float factor = 0.999f;
volatile float observed;

}  // namespace

extern "C" double fma_peak(int rounds) {
  observed = run(rounds, factor, std::make_index_sequence<chains>{});
  return 2.0 * lanes * chains * rounds;
}
