// The kernels in plain loops: what the others must agree with, what runs where nothing better does,
// and the place to read what each of them means.
#include <cstdint>
#include <limits>

#include "kernels/table.hpp"
#include "exact_math.hpp"

namespace qkv::arch {
namespace {

constexpr int lanes = 8;
constexpr int group = 4;
constexpr float infinity = std::numeric_limits<float>::infinity();

// In double precision and rounded once.
float exp(float x) { return static_cast<float>(exact_exp(x)); }
float tanh(float x) { return static_cast<float>(exact_tanh(x)); }

void scores(float* scores, const float* query, const float* packed, Index keys, Index width) {
  for (Index first = 0; first < keys; first += group) {
    const Index count = keys - first < group ? keys - first : group;
    for (Index r = 0; r < count; ++r) {
      float* row = scores + (first + r) * lanes;
      for (int i = 0; i < lanes; ++i) row[i] = 0;
      for (Index d = 0; d < width; ++d) {
        const float key = packed[first * width + d * count + r];
        for (int i = 0; i < lanes; ++i) row[i] += key * query[d * lanes + i];
      }
    }
  }
}

void additive_scores(float* scores, const float* query, const float* key, Index key_step,
                     const float* vector, Index keys, Index width) {
  for (Index j = 0; j < keys; ++j) {
    for (int i = 0; i < lanes; ++i) {
      float sum = 0;
      for (Index h = 0; h < width; ++h) {
        sum += vector[h] * tanh(query[h * lanes + i] + key[j * key_step + h]);
      }
      scores[j * lanes + i] = sum;
    }
  }
}

void softcap(float* x, Index n, float cap) {
  for (Index i = 0; i < n; ++i) x[i] = cap * tanh(x[i] / cap);
}

void add(float* x, const float* y, Index n) {
  for (Index i = 0; i < n; ++i) x[i] += y[i];
}

void select(float* scores, const std::uint64_t* allowed, int shift, Index keys) {
  for (Index j = 0; j < keys; ++j) {
    for (int i = 0; i < lanes; ++i) {
      if ((allowed[j] >> (shift + i) & 1) == 0) scores[j * lanes + i] = -infinity;
    }
  }
}

// One lane or row of the online softmax; `step` apart. Before the first allowed key the maximum is
// -infinity, which must not be subtracted from itself.
float softmax_step(float* scores, Index n, Index step, float& maximum, float& sum) {
  float largest = maximum;
  for (Index j = 0; j < n; ++j) largest = scores[j * step] > largest ? scores[j * step] : largest;
  const float origin = largest == -infinity ? 0 : largest;
  const float factor = exp(maximum - origin);
  float added = 0;
  for (Index j = 0; j < n; ++j) {
    scores[j * step] = exp(scores[j * step] - origin);
    added += scores[j * step];
  }
  maximum = largest;
  sum = sum * factor + added;
  return factor;
}

void softmax(float* scores, Index keys, float* maximum, float* sum, float* factor) {
  for (int i = 0; i < lanes; ++i) {
    factor[i] = softmax_step(scores + i, keys, lanes, maximum[i], sum[i]);
  }
}

void relu(float* scores, Index keys, float* sum) {
  for (Index j = 0; j < keys; ++j) {
    for (int i = 0; i < lanes; ++i) {
      float& score = scores[j * lanes + i];
      if (score < 0) score = 0;
      sum[i] += score;
    }
  }
}

void sigmoid(float* x, Index n) {
  for (Index i = 0; i < n; ++i) x[i] = 1 / (1 + exp(-x[i]));
}

void aggregate(float* output, const float* weights, const float* values, Index value_step,
               Index keys, Index width, const float* factor) {
  for (Index d = 0; d < width; ++d) {
    for (int i = 0; i < lanes; ++i) {
      float sum = factor == nullptr ? 0 : output[d * lanes + i] * factor[i];
      for (Index j = 0; j < keys; ++j) sum += values[j * value_step + d] * weights[j * lanes + i];
      output[d * lanes + i] = sum;
    }
  }
}

void row_scores(float* scores, const float* query, const float* keys, Index key_step,
                const std::int32_t* index, Index n, Index width) {
  for (Index j = 0; j < n; ++j) {
    const float* key = keys + index[j] * key_step;
    scores[j] = 0;
    for (Index d = 0; d < width; ++d) scores[j] += query[d] * key[d];
  }
}

void row_additive_scores(float* scores, const float* query, const float* keys, Index key_step,
                         const float* vector, const std::int32_t* index, Index n, Index width) {
  for (Index j = 0; j < n; ++j) {
    const float* key = keys + index[j] * key_step;
    scores[j] = 0;
    for (Index h = 0; h < width; ++h) scores[j] += vector[h] * tanh(query[h] + key[h]);
  }
}

float row_softmax(float* scores, Index n, float* maximum, float* sum) {
  return softmax_step(scores, n, 1, *maximum, *sum);
}

void row_aggregate(float* output, const float* weights, const float* values, Index value_step,
                   const std::int32_t* index, Index n, Index width, float factor) {
  for (Index d = 0; d < width; ++d) {
    float sum = output[d] * factor;
    for (Index j = 0; j < n; ++j) sum += weights[j] * values[index[j] * value_step + d];
    output[d] = sum;
  }
}

void row_weights(float* x, Index n, float maximum, float sum) {
  for (Index j = 0; j < n; ++j) x[j] = x[j] == -infinity ? 0 : exp(x[j] - maximum) / sum;
}

void few_scores(float* scores, Index scores_step, const float* queries, Index query_step,
                Index count, const float* keys, Index key_step, Index n, Index width) {
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < n; ++j) {
      float sum = 0;
      for (Index d = 0; d < width; ++d) sum += queries[i * query_step + d] * keys[j * key_step + d];
      scores[i * scores_step + j] = sum;
    }
  }
}

void few_aggregate(float* output, Index output_step, const float* weights, Index weights_step,
                   Index count, const float* values, Index value_step, Index n, Index width,
                   const float* factor) {
  for (Index i = 0; i < count; ++i) {
    for (Index d = 0; d < width; ++d) {
      float sum = output[i * output_step + d] * factor[i];
      for (Index j = 0; j < n; ++j) {
        sum += weights[i * weights_step + j] * values[j * value_step + d];
      }
      output[i * output_step + d] = sum;
    }
  }
}

void pack(float* panel, const float* rows, Index row_step, Index count, Index width, float scale) {
  for (Index d = 0; d < width; ++d) {
    for (Index i = 0; i < lanes; ++i) {
      panel[d * lanes + i] = i < count ? rows[i * row_step + d] * scale : 0;
    }
  }
}

void unpack(float* rows, Index row_step, const float* panel, const float* divisor, Index count,
            Index width) {
  for (Index i = 0; i < count; ++i) {
    const float by = divisor == nullptr ? 1 : divisor[i];
    for (Index d = 0; d < width; ++d) rows[i * row_step + d] = panel[d * lanes + i] / by;
  }
}

void group_rows(float* packed, const float* rows, Index row_step, Index count, Index width) {
  for (Index first = 0; first < count; first += group) {
    const Index in_group = count - first < group ? count - first : group;
    for (Index d = 0; d < width; ++d) {
      for (Index r = 0; r < in_group; ++r) *packed++ = rows[(first + r) * row_step + d];
    }
  }
}

constexpr Kernels table = {
    .name = "scalar",
    .lanes = lanes,
    .rows = group,
    .scores = &scores,
    .additive_scores = &additive_scores,
    .softcap = &softcap,
    .add = &add,
    .select = &select,
    .softmax = &softmax,
    .relu = &relu,
    .sigmoid = &sigmoid,
    .aggregate = &aggregate,
    .row_scores = &row_scores,
    .row_additive_scores = &row_additive_scores,
    .row_softmax = &row_softmax,
    .row_aggregate = &row_aggregate,
    .row_weights = &row_weights,
    .few_scores = &few_scores,
    .few_aggregate = &few_aggregate,
    .pack = &pack,
    .unpack = &unpack,
    .group = &group_rows,
};

}  // namespace

const Kernels* scalar() noexcept { return &table; }

}  // namespace qkv::arch
