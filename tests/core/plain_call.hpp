// One attention call with plain data: what the library and the reference both compute.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "qkv/attention.hpp"
#include "support/numbers.hpp"

namespace qkv::test {

enum class ScoreKind { scaled_dot, dot, cosine, additive, bilinear };
enum class NormalizerKind { softmax, relu, sigmoid, hard };

inline constexpr ScoreKind score_kinds[] = {ScoreKind::scaled_dot, ScoreKind::dot,
                                            ScoreKind::cosine, ScoreKind::additive,
                                            ScoreKind::bilinear};
inline constexpr NormalizerKind normalizer_kinds[] = {NormalizerKind::softmax, NormalizerKind::relu,
                                                      NormalizerKind::sigmoid, NormalizerKind::hard};

struct PlainCall {
  Index batch = 1, heads = 1, kv_heads = 1;
  Index queries = 0, keys = 0;                    // lengths
  Index width = 0, key_width = 0, value_width = 0;  // of queries, keys and values
  Index hidden = 0;                               // of the additive score

  std::vector<float> query;  // [batch, heads, queries, width]
  std::vector<float> key;    // [batch, kv_heads, keys, key_width]
  std::vector<float> value;  // [batch, kv_heads, keys, value_width]

  ScoreKind score = ScoreKind::scaled_dot;
  std::vector<float> query_weight, key_weight, vector;  // additive
  std::vector<float> weight;                            // bilinear
  std::optional<float> scale;
  float softcap = 0;
  std::vector<float> bias;            // [batch, heads, queries, keys] or empty
  std::vector<std::uint8_t> allowed;  // the same shape: the mask as the reference sees it
  Mask mask;                          // and as the library does
  NormalizerKind normalizer = NormalizerKind::softmax;
  std::vector<float> sinks;  // [heads] or empty

  Index pairs() const { return batch * heads * queries * keys; }
};

// Sizes of a call with key_width = width, one head and no batch unless they are set later.
inline PlainCall sized(Index queries, Index keys, Index width, Index value_width) {
  PlainCall call;
  call.queries = queries;
  call.keys = keys;
  call.width = call.key_width = width;
  call.value_width = value_width;
  return call;
}

// Random queries, keys, values and weights of the score, such that results are of the order of 1,
// where a tolerance of 1e-6 is meant: float32 arithmetic keeps seven digits of the largest term of a
// sum, however small the sum is.
inline void fill(PlainCall& call, std::uint64_t seed) {
  Numbers numbers(seed);
  // A quotient by a sum near 0 has few digits. Scores of relu are clearly above 0 or clearly below.
  const bool relu = call.normalizer == NormalizerKind::relu;
  const float low = relu ? 0.25f : -1;
  call.query = numbers.list(call.batch * call.heads * call.queries * call.width, low, 1);
  call.key = numbers.list(call.batch * call.kv_heads * call.keys * call.key_width, low, 1);
  call.value = numbers.list(call.batch * call.kv_heads * call.keys * call.value_width);
  if (call.score == ScoreKind::additive) {
    call.query_weight = numbers.list(call.hidden * call.width, low / 2, 0.5f);
    call.key_weight = numbers.list(call.hidden * call.key_width, low, 1);
    call.vector = numbers.list(call.hidden, low, 1);
  }
  if (call.score == ScoreKind::bilinear) {
    const float bound = 1 / std::sqrt(static_cast<float>(call.width) + 1);
    call.weight = numbers.list(call.width * call.key_width, low * bound, bound);
  }
  if (relu && call.key_width > 0) {
    for (std::size_t n = 0; n < call.key.size(); ++n) {
      if (static_cast<Index>(n) / call.key_width % 4 == 3) call.key[n] *= -4;
    }
  }
  // The weights of sigmoid do not sum to 1.
  if (call.normalizer == NormalizerKind::sigmoid && call.keys > 8) {
    for (float& value : call.value) value *= 8 / static_cast<float>(call.keys);
  }
}

inline PlainCall random_call(Index queries, Index keys, Index width, Index value_width,
                          std::uint64_t seed = 1) {
  PlainCall call = sized(queries, keys, width, value_width);
  fill(call, seed);
  return call;
}

template <class T>
struct Results {
  std::vector<T> output;       // [batch, heads, queries, value_width]
  std::vector<T> weights;      // [batch, heads, queries, keys]
  std::vector<T> scores;       // the same
  std::vector<T> log_sum_exp;  // [batch, heads, queries]; softmax only
};

}  // namespace qkv::test
