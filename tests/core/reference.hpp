// Attention in double precision, written from its definition alone: every score of every pair in
// memory, one loop after the other. Slow, and meant to be read.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "plain_call.hpp"

namespace qkv::test {

inline double reference_score(const PlainCall& call, const float* query, const float* key) {
  double dot = 0, query_square = 0, key_square = 0, sum = 0;
  switch (call.score) {
    case ScoreKind::scaled_dot:
    case ScoreKind::dot:
    case ScoreKind::cosine:
      for (Index d = 0; d < call.width; ++d) {
        dot += static_cast<double>(query[d]) * key[d];
        query_square += static_cast<double>(query[d]) * query[d];
        key_square += static_cast<double>(key[d]) * key[d];
      }
      if (call.score != ScoreKind::cosine) return dot;
      if (query_square == 0 || key_square == 0) return 0;
      return dot / (std::sqrt(query_square) * std::sqrt(key_square));
    case ScoreKind::additive:
      for (Index h = 0; h < call.hidden; ++h) {
        double inner = 0;
        for (Index d = 0; d < call.width; ++d) {
          inner += static_cast<double>(call.query_weight[h * call.width + d]) * query[d];
        }
        for (Index d = 0; d < call.key_width; ++d) {
          inner += static_cast<double>(call.key_weight[h * call.key_width + d]) * key[d];
        }
        sum += call.vector[h] * std::tanh(inner);
      }
      return sum;
    case ScoreKind::bilinear:
      for (Index a = 0; a < call.width; ++a) {
        for (Index b = 0; b < call.key_width; ++b) {
          sum += static_cast<double>(query[a]) * call.weight[a * call.key_width + b] * key[b];
        }
      }
      return sum;
  }
  return 0;
}

// Scores of one row to weights; returns the logarithm of the softmax's denominator. A score of
// -infinity is an excluded key: weight 0 whatever the normalizer.
inline double reference_normalize(const PlainCall& call, const double* sink, const double* scores,
                                  double* weights) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Index n = call.keys;
  for (Index j = 0; j < n; ++j) weights[j] = 0;
  double sum = 0, maximum = sink != nullptr ? *sink : -infinity, log_sum_exp = -infinity;
  switch (call.normalizer) {
    case NormalizerKind::softmax:
      for (Index j = 0; j < n; ++j) maximum = scores[j] > maximum ? scores[j] : maximum;
      if (sink != nullptr && maximum != -infinity) sum += std::exp(*sink - maximum);
      for (Index j = 0; j < n; ++j) {
        if (scores[j] == -infinity) continue;
        weights[j] = std::exp(scores[j] - maximum);
        sum += weights[j];
      }
      for (Index j = 0; j < n; ++j) {
        if (scores[j] != -infinity) weights[j] /= sum;
      }
      if (sum != 0) log_sum_exp = maximum + std::log(sum);
      break;
    case NormalizerKind::relu:
      for (Index j = 0; j < n; ++j) {
        weights[j] = scores[j] < 0 ? 0 : scores[j];
        sum += weights[j];
      }
      for (Index j = 0; j < n && sum != 0; ++j) weights[j] /= sum;
      break;
    case NormalizerKind::sigmoid:
      for (Index j = 0; j < n; ++j) {
        if (scores[j] != -infinity) weights[j] = 1 / (1 + std::exp(-scores[j]));
      }
      break;
    case NormalizerKind::hard: {
      Index best = -1;
      for (Index j = 0; j < n; ++j) {
        if (scores[j] != -infinity && (best < 0 || scores[j] > scores[best])) best = j;
      }
      if (best >= 0) weights[best] = 1;
      break;
    }
  }
  return log_sum_exp;
}

inline Results<double> reference(const PlainCall& call) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Results<double> results;
  const Index group = call.kv_heads > 0 ? call.heads / call.kv_heads : 1;
  double scale = 1;
  if (call.scale) {
    scale = *call.scale;
  } else if (call.score == ScoreKind::scaled_dot && call.width > 0) {
    scale = 1 / std::sqrt(static_cast<double>(call.width));
  }
  for (Index b = 0; b < call.batch; ++b) {
    for (Index h = 0; h < call.heads; ++h) {
      const Index kv = b * call.kv_heads + h / group;
      for (Index i = 0; i < call.queries; ++i) {
        const Index row = (b * call.heads + h) * call.queries + i;
        const float* query = call.query.data() + row * call.width;

        std::vector<double> scores(static_cast<std::size_t>(call.keys)), weights(scores.size());
        for (Index j = 0; j < call.keys; ++j) {
          const float* key = call.key.data() + (kv * call.keys + j) * call.key_width;
          double score = reference_score(call, query, key) * scale;
          if (call.softcap != 0) score = call.softcap * std::tanh(score / call.softcap);
          if (!call.bias.empty()) score += call.bias[row * call.keys + j];
          if (!call.allowed.empty() && call.allowed[row * call.keys + j] == 0) score = -infinity;
          scores[j] = score;
        }
        const double sink = call.sinks.empty() ? 0 : call.sinks[h];
        const double log_sum_exp = reference_normalize(call, call.sinks.empty() ? nullptr : &sink,
                                                       scores.data(), weights.data());
        for (Index d = 0; d < call.value_width; ++d) {
          double sum = 0;
          for (Index j = 0; j < call.keys; ++j) {
            if (scores[j] == -infinity) continue;  // not 0 times: the value may be NaN
            sum += weights[j] * call.value[(kv * call.keys + j) * call.value_width + d];
          }
          results.output.push_back(sum);
        }
        results.weights.insert(results.weights.end(), weights.begin(), weights.end());
        results.scores.insert(results.scores.end(), scores.begin(), scores.end());
        if (call.normalizer == NormalizerKind::softmax) results.log_sum_exp.push_back(log_sum_exp);
      }
    }
  }
  return results;
}

}  // namespace qkv::test
