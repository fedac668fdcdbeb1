// Where a token stands: absolute and relative positions, fixed and learned.
//
// Angles are computed in double precision from integer positions, so that position 1,000,000 is as
// accurate as position 1.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "qkv/export.hpp"
#include "qkv/tensor.hpp"

namespace qkv::position {

// Order of a sinusoidal row: sin and cos of one frequency side by side, or all sines first.
enum class SinusoidLayout { interleaved, concatenated };
// Which features a rotation pairs: i with i + D/2 (GPT-NeoX, Llama) or 2i with 2i + 1 (GPT-J).
enum class RotaryLayout { half, interleaved };

struct SinusoidalOptions {
  Index length = 0;
  Index dim = 0;  // may be odd: the last frequency then has a sine only
  double base = 10000;
  SinusoidLayout layout = SinusoidLayout::interleaved;
  Index offset = 0;  // position of the first row
};
// P[i, 2j] = sin(i base^(-2j/dim)), P[i, 2j + 1] = cos(the same). result [length, dim].
// Vaswani et al. 2017. Errors: shape, argument.
QKV_API Status try_sinusoidal(const SinusoidalOptions& options, const TensorView& result) noexcept;

// A table to be trained, drawn from normal(0, 0.02). result [length, dim]. Errors: shape.
QKV_API Status try_learned(std::uint64_t seed, const TensorView& result) noexcept;

struct RotaryOptions {
  std::vector<double> positions;  // one per token; empty: offset, offset + 1, ...
  Index offset = 0;
  double base = 10000;
  RotaryLayout layout = RotaryLayout::half;
  std::optional<Index> dims;  // rotate the first `dims` features only; even; default all
};
// Rotates each pair of features of x [..., L, D] by position * base^(-2i/dims). result as x; it may
// be x. Su et al. 2021, RoFormer. Errors: shape, argument.
QKV_API Status try_rotary(const ConstTensorView& x, const RotaryOptions& options,
                          const TensorView& result) noexcept;

// The matrix that carries row i of the interleaved sinusoidal table to row i + delta, for every i:
// P[i + delta] = R P[i]. result [dim, dim], dim even. Errors: shape, argument.
QKV_API Status try_rotation(double delta, Index dim, double base, const TensorView& result) noexcept;

// Slopes of ALiBi, one per head: 2^(-8 (h + 1) / heads) for a power of two, else those of the next
// smaller power followed by every other slope of the next larger one. Press et al. 2022.
// slopes [heads]. Errors: argument.
QKV_API Status try_alibi_slopes(Index heads, double* slopes) noexcept;

// bias[h, i, j] = -slope[h] |i - j|. result [heads, query_length, key_length]. Errors: shape.
QKV_API Status try_alibi(const TensorView& result) noexcept;

struct RelativeBiasOptions {
  bool bidirectional = true;
  Index buckets = 32;
  Index max_distance = 128;
};
// bias[h, i, j] = table[bucket(j - i), h] with T5's logarithmic buckets. Raffel et al. 2020.
// table [buckets, heads], result [heads, query_length, key_length]. Errors: shape, argument.
QKV_API Status try_relative_bias(const ConstTensorView& table, const RelativeBiasOptions& options,
                                 const TensorView& result) noexcept;

// Bit k of position i, the least significant first. result [length, bits]. Errors: shape, argument.
QKV_API Status try_binary(const TensorView& result) noexcept;

#if defined(__cpp_exceptions)

inline Tensor sinusoidal(const SinusoidalOptions& options) {
  Tensor result(Shape{options.length, options.dim});
  raise(try_sinusoidal(options, result));
  return result;
}
inline Tensor learned(Index length, Index dim, std::uint64_t seed) {
  Tensor result(Shape{length, dim});
  raise(try_learned(seed, result));
  return result;
}
inline Tensor rotary(const ConstTensorView& x, const RotaryOptions& options = {}) {
  Tensor result(x.shape);
  raise(try_rotary(x, options, result));
  return result;
}
inline Tensor rotation(double delta, Index dim, double base = 10000) {
  Tensor result(Shape{dim, dim});
  raise(try_rotation(delta, dim, base, result));
  return result;
}
inline std::vector<double> alibi_slopes(Index heads) {
  std::vector<double> slopes(heads > 0 ? static_cast<std::size_t>(heads) : 0);
  raise(try_alibi_slopes(heads, slopes.data()));
  return slopes;
}
inline Tensor alibi(Index heads, Index query_length, Index key_length) {
  Tensor result(Shape{heads, query_length, key_length});
  raise(try_alibi(result));
  return result;
}
inline Tensor relative_bias(const ConstTensorView& table, Index query_length, Index key_length,
                            const RelativeBiasOptions& options = {}) {
  Tensor result(Shape{table.shape.rank() == 2 ? table.shape[1] : 0, query_length, key_length});
  raise(try_relative_bias(table, options, result));
  return result;
}
inline Tensor binary(Index length, Index bits) {
  Tensor result(Shape{length, bits});
  raise(try_binary(result));
  return result;
}

#endif

}  // namespace qkv::position
