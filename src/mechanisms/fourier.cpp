#include "mechanisms/fourier.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "exact_math.hpp"
#include "mechanisms/four_floats.hpp"
#include "text.hpp"

namespace qkv {
namespace {

constexpr int lanes = SmoothFourier::lanes;
constexpr int width = SmoothFourier::width;

struct Complex {
  float re, im;
};

// Four complex numbers that lie side by side.
struct FourComplex {
  Four re, im;

  static FourComplex load(const float* from) noexcept {
    return {load_four(from), load_four(from + lanes)};
  }
  void store(float* to) const noexcept {
    store_four(to, re);
    store_four(to + lanes, im);
  }
};

inline FourComplex operator+(const FourComplex& a, const FourComplex& b) noexcept {
  return {a.re + b.re, a.im + b.im};
}
inline FourComplex operator-(const FourComplex& a, const FourComplex& b) noexcept {
  return {a.re - b.re, a.im - b.im};
}
inline FourComplex operator*(const FourComplex& a, const Complex& b) noexcept {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline FourComplex operator*(const FourComplex& a, float b) noexcept {
  return {a.re * b, a.im * b};
}
// By -i: a quarter turn backwards.
inline FourComplex turned_back(const FourComplex& a) noexcept { return {a.im, -a.re}; }

// table[2 t] and [2 t + 1]: cosine and sine of t / length turns, t < count. Products in double
// precision of two short lists, whose error is far below a float's.
void fill_turns(Index length, Index count, float* table) noexcept {
  constexpr Index block = 64;
  constexpr double turn = 6.28318530717958647693;
  double cosine[block], sine[block];
  const double step = turn / static_cast<double>(length);
  for (Index t = 0; t < std::min(block, count); ++t) {
    exact_sine_cosine(step * static_cast<double>(t), sine[t], cosine[t]);
  }
  for (Index first = 0; first < count; first += block) {
    double c = 0, s = 0;
    exact_sine_cosine(step * static_cast<double>(first), s, c);
    for (Index t = 0; t < std::min(block, count - first); ++t) {
      table[2 * (first + t)] = static_cast<float>(c * cosine[t] - s * sine[t]);
      table[2 * (first + t) + 1] = static_cast<float>(s * cosine[t] + c * sine[t]);
    }
  }
}

// One step of a transform: columns q of `outer`, each of `inner` elements. Inputs of a butterfly
// lie outer * inner elements apart, and its outputs inner.
struct Stage {
  Index outer, inner;
  const float* turns;

  // exp(-2 pi i q k / (outer * factor))
  Complex turn(Index q, Index k) const noexcept {
    const float* at = turns + 2 * q * k * inner;
    return {at[0], -at[1]};
  }
};

// Calls body(q, inputs, outputs) for four lanes of every butterfly.
template <class Body>
inline void each_butterfly(const Stage& stage, int factor, const float* data, float* result,
                           const Body& body) noexcept {
  for (Index q = 0; q < stage.outer; ++q) {
    for (Index r = 0; r < stage.inner; ++r) {
      const float* from = data + (q * stage.inner + r) * width;
      float* to = result + (q * stage.inner * factor + r) * width;
      for (int lane = 0; lane < lanes; lane += 4) body(q, from + lane, to + lane);
    }
  }
}

void halve(const Stage& stage, const float* data, float* result) noexcept {
  const Index far = stage.outer * stage.inner * width, next = stage.inner * width;
  each_butterfly(stage, 2, data, result, [&](Index q, const float* from, float* to) {
    const FourComplex a = FourComplex::load(from), b = FourComplex::load(from + far);
    (a + b).store(to);
    ((a - b) * stage.turn(q, 1)).store(to + next);
  });
}

void quarter(const Stage& stage, const float* data, float* result) noexcept {
  const Index far = stage.outer * stage.inner * width, next = stage.inner * width;
  each_butterfly(stage, 4, data, result, [&](Index q, const float* from, float* to) {
    const FourComplex a = FourComplex::load(from), b = FourComplex::load(from + far);
    const FourComplex c = FourComplex::load(from + 2 * far), d = FourComplex::load(from + 3 * far);
    const FourComplex even = a + c, odd = b + d, left = a - c, right = turned_back(b - d);
    (even + odd).store(to);
    ((left + right) * stage.turn(q, 1)).store(to + next);
    ((even - odd) * stage.turn(q, 2)).store(to + 2 * next);
    ((left - right) * stage.turn(q, 3)).store(to + 3 * next);
  });
}

// Any odd factor: inputs j and factor - j meet the same cosine and opposite sines.
void split(const Stage& stage, int factor, const float* data, float* result) noexcept {
  constexpr int most_pairs = 6;
  const int pairs = factor / 2;
  const Index far = stage.outer * stage.inner * width, next = stage.inner * width;
  Complex turns[most_pairs][most_pairs];
  for (int k = 0; k < pairs; ++k) {
    for (int j = 0; j < pairs; ++j) {
      const Index turn = (k + 1) * (j + 1) % factor * stage.outer * stage.inner;
      turns[k][j] = {stage.turns[2 * turn], stage.turns[2 * turn + 1]};
    }
  }
  each_butterfly(stage, factor, data, result, [&](Index q, const float* from, float* to) {
    FourComplex sum[most_pairs], difference[most_pairs];
    const FourComplex first = FourComplex::load(from);
    FourComplex total = first;
    for (int j = 0; j < pairs; ++j) {
      const FourComplex a = FourComplex::load(from + (j + 1) * far);
      const FourComplex b = FourComplex::load(from + (factor - 1 - j) * far);
      sum[j] = a + b;
      difference[j] = a - b;
      total = total + sum[j];
    }
    total.store(to);
    for (int k = 0; k < pairs; ++k) {
      FourComplex same = first, opposite{};
      for (int j = 0; j < pairs; ++j) {
        same = same + sum[j] * turns[k][j].re;
        opposite = opposite + difference[j] * turns[k][j].im;
      }
      opposite = turned_back(opposite);
      ((same + opposite) * stage.turn(q, k + 1)).store(to + (k + 1) * next);
      ((same - opposite) * stage.turn(q, factor - 1 - k)).store(to + (factor - 1 - k) * next);
    }
  });
}

// data[n][width] times factors[n], conjugated before or afterwards if asked for.
enum class Conjugate { never, before, after };
void multiply(float* data, const float* factors, Index n, Conjugate conjugate) noexcept {
  const float before = conjugate == Conjugate::before ? -1.0f : 1.0f;
  const float after = conjugate == Conjugate::after ? -1.0f : 1.0f;
  for (Index t = 0; t < n; ++t, data += width) {
    for (float* at = data; at < data + lanes; at += 4) {
      FourComplex x = FourComplex::load(at);
      x.im *= before;
      x = x * Complex{factors[2 * t], factors[2 * t + 1]};
      x.im *= after;
      x.store(at);
    }
  }
}

// The complex transforms of pairs of real sequences to their Hartley transforms. The first of a
// pair is the part of Z[k] that is the conjugate of its mirror image, the second the rest.
void separate(float* data, Index length) noexcept {
  for (Index k = 0; 2 * k <= length; ++k) {
    float *low = data + k * width, *high = data + (k == 0 ? 0 : length - k) * width;
    for (int lane = 0; lane < lanes; lane += 4) {
      const FourComplex z = FourComplex::load(low + lane);
      const FourComplex mirrored = FourComplex::load(high + lane);
      const FourComplex sum = z + mirrored, difference = z - mirrored;
      // Where both are one, the second writes the same once more.
      (FourComplex{sum.re - difference.im, sum.im + difference.re} * 0.5f).store(low + lane);
      (FourComplex{sum.re + difference.im, sum.im - difference.re} * 0.5f).store(high + lane);
    }
  }
}

// What is left of a number without its factors up to `most`.
Index without_factors(Index number, int most) noexcept {
  for (int factor = 2; factor <= most; ++factor) {
    while (number > 1 && number % factor == 0) number /= factor;
  }
  return number;
}

}  // namespace

bool SmoothFourier::takes(Index length) noexcept {
  return without_factors(length, most_factor) == 1;
}

Index SmoothFourier::at_least(Index length) noexcept {
  while (without_factors(length, 5) != 1) ++length;
  return length;
}

Status SmoothFourier::prepare(Index length) noexcept {
  length_ = length;
  factor_count_ = 0;
  Index rest = length;
  const auto take = [&](int factor) {
    for (; rest % factor == 0; rest /= factor) factors_[factor_count_++] = factor;
  };
  take(4);
  take(2);
  for (int factor = 3; factor <= most_factor; factor += 2) take(factor);
  QKV_TRY(turns_.reserve(2 * length));
  fill_turns(length, length, turns_.data());
  return {};
}

float* SmoothFourier::run(float* data, float* other) const noexcept {
  Stage stage{length_, 1, turns_.data()};
  for (int at = 0; at < factor_count_; ++at) {
    const int factor = factors_[at];
    stage.outer /= factor;
    if (factor == 4) {
      quarter(stage, data, other);
    } else if (factor == 2) {
      halve(stage, data, other);
    } else {
      split(stage, factor, data, other);
    }
    stage.inner *= factor;
    std::swap(data, other);
  }
  return data;
}

Status Hartley::prepare(Index length) noexcept {
  length_ = length;
  direct_ = length < 1 || SmoothFourier::takes(length);
  inner_length_ = direct_ ? length : SmoothFourier::at_least(2 * length - 1);
  if (length < 1) return {};
  QKV_TRY(inner_.prepare(inner_length_));
  if (direct_) return {};

  QKV_TRY(chirp_.reserve(2 * length));
  Buffer<float> turns, memory;
  QKV_TRY(turns.reserve(4 * length));
  fill_turns(2 * length, 2 * length, turns.data());
  for (Index t = 0; t < length; ++t) {
    const Index turn = t * t % (2 * length);
    chirp_[2 * t] = turns[2 * turn];
    chirp_[2 * t + 1] = -turns[2 * turn + 1];
  }

  // The conjugated chirp over -length < t < length, wrapped around.
  QKV_TRY(memory.reserve(2 * floats()));
  std::fill_n(memory.data(), floats(), 0.0f);
  for (Index t = 0; t < length; ++t) {
    for (const Index place : {t, t == 0 ? 0 : inner_length_ - t}) {
      memory[place * width] = chirp_[2 * t];
      memory[place * width + lanes] = -chirp_[2 * t + 1];
    }
  }
  const float* transformed = inner_.run(memory.data(), memory.data() + floats());
  QKV_TRY(spectrum_.reserve(2 * inner_length_));
  for (Index k = 0; k < inner_length_; ++k) {
    spectrum_[2 * k] = transformed[k * width] / static_cast<float>(inner_length_);
    spectrum_[2 * k + 1] = transformed[k * width + lanes] / static_cast<float>(inner_length_);
  }
  return {};
}

// With 2 t k = t^2 + k^2 - (k - t)^2 the transform is a convolution with a chirp between two
// products with it.
float* Hartley::convolve(float* data, float* other) const noexcept {
  multiply(data, chirp_.data(), length_, Conjugate::never);
  std::fill(data + length_ * width, data + floats(), 0.0f);
  float* there = inner_.run(data, other);
  // Back by the same transform of the conjugate.
  multiply(there, spectrum_.data(), inner_length_, Conjugate::after);
  float* result = inner_.run(there, there == data ? other : data);
  multiply(result, chirp_.data(), length_, Conjugate::before);
  return result;
}

float* Hartley::run(float* data, float* other) const noexcept {
  if (length_ < 1) return data;
  float* result = direct_ ? inner_.run(data, other) : convolve(data, other);
  separate(result, length_);
  return result;
}

double Hartley::multiply_adds(Index length) noexcept {
  const auto smooth = [](Index n) {
    // Of a complex transform by factors of 4; half of it for each of two real sequences.
    return n > 1 ? static_cast<double>(n) * std::log2(static_cast<double>(n)) : 0.0;
  };
  if (length < 2 || SmoothFourier::takes(length)) return smooth(length);
  return 2 * smooth(SmoothFourier::at_least(2 * length - 1));
}

}  // namespace qkv
