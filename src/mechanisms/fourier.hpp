// Discrete Fourier and Hartley transforms of any length in O(n log n), several sequences at a time:
// sequences lie side by side, so that every step is the same for `width` numbers in a row.
#pragma once

#include "memory.hpp"
#include "qkv/index.hpp"

namespace qkv {

// Lengths without large prime factors, as Cooley and Tukey 1965, in the order of Stockham that
// needs no sorting at the end.
class SmoothFourier {
 public:
  static constexpr int lanes = 8;          // complex sequences side by side
  static constexpr int width = 2 * lanes;  // floats of an element: real parts, then imaginary ones

  // Whether the length has no prime factor above `most_factor`.
  static bool takes(Index length) noexcept;
  // The next such length with factors 2, 3 and 5 only.
  static Index at_least(Index length) noexcept;

  // Errors: memory. The length is one that it takes.
  Status prepare(Index length) noexcept;

  // X[k] = sum over t of x[t] exp(-2 pi i t k / length). data [length][width] and as much other
  // memory; returns the one of the two that holds the result.
  float* run(float* data, float* other) const noexcept;

 private:
  static constexpr int most_factor = 13;

  Index length_ = 0;
  int factor_count_ = 0;
  int factors_[64] = {};
  Buffer<float> turns_;  // cosine and sine of t / length turns, for each t
};

// The Hartley transform, H[k] = sum over t of x[t] (cos(2 pi t k / length) + sin(2 pi t k /
// length)), of `width` real sequences side by side, two of them in each complex one. Other lengths
// than those above by a convolution with a chirp, Bluestein 1970.
class Hartley {
 public:
  static constexpr int width = SmoothFourier::width;

  // Errors: memory.
  Status prepare(Index length) noexcept;

  // Floats that each of the two memories of run has room for.
  Index floats() const noexcept { return inner_length_ * width; }
  // data [length][width] at the begin of the memory; returns the memory that holds the result.
  float* run(float* data, float* other) const noexcept;

  // Multiplications with an addition for one real sequence, about.
  static double multiply_adds(Index length) noexcept;

 private:
  float* convolve(float* data, float* other) const noexcept;

  Index length_ = 0, inner_length_ = 0;
  bool direct_ = true;
  SmoothFourier inner_;
  Buffer<float> chirp_;     // exp(-pi i t t / length), real and imaginary part of each
  Buffer<float> spectrum_;  // of the conjugated chirp, divided by the inner length
};

}  // namespace qkv
