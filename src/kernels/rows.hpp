// Kernels that run one query, or a few, by themselves: for sparse masks and for decoding, where most
// lanes of a panel would be idle.
#pragma once

#include "kernels/registers.hpp"
#include "kernels/table.hpp"

namespace qkv::kernels {

template <class Arch>
struct Rows : Registers<Arch> {
  using typename Registers<Arch>::Batch;
  using Registers<Arch>::load;
  using Registers<Arch>::map;
  using Registers<Arch>::width;

  static void row_scores(float* scores, const float* query, const float* keys, Index key_step,
                         const std::int32_t* index, Index n, Index depth) {
    for (Index j = 0; j < n; ++j) {
      const float* key = keys + index[j] * key_step;
      // Four sums hide the latency of the additions.
      Batch sum[4] = {Batch(0.0f), Batch(0.0f), Batch(0.0f), Batch(0.0f)};
      Index d = 0;
      for (; d + 4 * width <= depth; d += 4 * width) {
        unrolled(std::make_index_sequence<4>{}, [&](auto u) {
          const Index at = d + static_cast<Index>(u) * width;
          sum[u] = multiply_add(load(query + at), load(key + at), sum[u]);
        });
      }
      for (; d + width <= depth; d += width) {
        sum[0] = multiply_add(load(query + d), load(key + d), sum[0]);
      }
      float total = xsimd::reduce_add((sum[0] + sum[1]) + (sum[2] + sum[3]));
      for (; d < depth; ++d) total += query[d] * key[d];
      scores[j] = total;
    }
  }

  static void row_additive_scores(float* scores, const float* query, const float* keys,
                                  Index key_step, const float* vector, const std::int32_t* index,
                                  Index n, Index depth) {
    for (Index j = 0; j < n; ++j) {
      const float* key = keys + index[j] * key_step;
      Batch sum(0.0f);
      Index h = 0;
      for (; h + width <= depth; h += width) {
        const Batch x = load(query + h) + load(key + h);
        sum = multiply_add(load(vector + h), kernels::tanh(x), sum);
      }
      float rest[width] = {};  // tanh(0) = 0: what is not there adds nothing
      for (Index k = 0; h + k < depth; ++k) rest[k] = query[h + k] + key[h + k];
      kernels::tanh(load(rest)).store_unaligned(rest);
      float total = xsimd::reduce_add(sum);
      for (Index k = 0; h + k < depth; ++k) total += vector[h + k] * rest[k];
      scores[j] = total;
    }
  }

  static float row_softmax(float* scores, Index n, float* maximum, float* sum) {
    const float before = *maximum;
    float largest = before;
    Index j = 0;
    if (n >= width) {
      Batch most = load(scores);
      for (j = width; j + width <= n; j += width) most = xsimd::max(most, load(scores + j));
      float each[width];
      most.store_unaligned(each);
      for (Index k = 0; k < width; ++k) largest = each[k] > largest ? each[k] : largest;
    }
    for (; j < n; ++j) largest = scores[j] > largest ? scores[j] : largest;
    const float origin = largest == -infinity ? 0.0f : largest;
    map(scores, n, [&](const Batch& s) { return exp_below_zero(s - Batch(origin)); });
    Batch added(0.0f);
    for (j = 0; j + width <= n; j += width) added += load(scores + j);
    float total = xsimd::reduce_add(added);
    for (; j < n; ++j) total += scores[j];
    float scale[width];
    exp_below_zero(Batch(before - origin)).store_unaligned(scale);
    *maximum = largest;
    *sum = *sum * scale[0] + total;
    return scale[0];
  }

  static void row_aggregate(float* output, const float* weights, const float* values,
                            Index value_step, const std::int32_t* index, Index n, Index depth,
                            float factor) {
    Index d = 0;
    const auto block = [&](auto count) {
      Batch sum[count];
      constexpr std::make_index_sequence<count> each{};
      unrolled(each, [&](auto u) { sum[u] = load(output + d + u * width) * Batch(factor); });
      for (Index j = 0; j < n; ++j) {
        const Batch weight(weights[j]);
        const float* value = values + index[j] * value_step + d;
        unrolled(each, [&](auto u) {
          sum[u] = multiply_add(weight, load(value + u * width), sum[u]);
        });
      }
      unrolled(each, [&](auto u) { sum[u].store_unaligned(output + d + u * width); });
      d += static_cast<Index>(count) * width;
    };
    while (d + 4 * width <= depth) block(std::integral_constant<std::size_t, 4>{});
    while (d + width <= depth) block(std::integral_constant<std::size_t, 1>{});
    for (; d < depth; ++d) {
      float sum = output[d] * factor;
      for (Index j = 0; j < n; ++j) sum += weights[j] * values[index[j] * value_step + d];
      output[d] = sum;
    }
  }

  // Keys and values come from memory, one after the other, and are read once; so many rows ahead they
  // are asked for, which the processor does not do by itself from one page to the next.
  static constexpr Index ahead = 16;
  QKV_INLINE static void prefetch(const float* at) { __builtin_prefetch(at); }

  // `Count` queries against consecutive keys.
  template <std::size_t Count>
  QKV_INLINE static void few_scores(float* scores, Index scores_step, const float* queries,
                                    Index query_step, const float* keys, Index key_step, Index n,
                                    Index depth) {
    // Four sums at once hide the latency of the additions.
    constexpr std::size_t parts = most_few / Count;
    constexpr std::make_index_sequence<Count> each{};
    constexpr std::make_index_sequence<parts> in_parts{};
    constexpr Index step = width * static_cast<Index>(parts);
    for (Index j = 0; j < n; ++j, keys += key_step) {
      Batch sum[Count][parts];
      unrolled(each, [&](auto q) {
        unrolled(in_parts, [&](auto p) { sum[q][p] = Batch(0.0f); });
      });
      Index d = 0;
      for (; parts > 1 && d + step <= depth; d += step) {
        unrolled(in_parts, [&](auto p) {
          const Index at = d + static_cast<Index>(p) * width;
          const Batch key = load(keys + at);
          prefetch(keys + ahead * key_step + at);
          unrolled(each, [&](auto q) {
            sum[q][p] = multiply_add(load(queries + q * query_step + at), key, sum[q][p]);
          });
        });
      }
      for (; d + width <= depth; d += width) {
        prefetch(keys + ahead * key_step + d);
        const Batch key = load(keys + d);
        unrolled(each, [&](auto q) {
          sum[q][0] = multiply_add(load(queries + q * query_step + d), key, sum[q][0]);
        });
      }
      unrolled(each, [&](auto q) {
        if constexpr (parts == 4) sum[q][0] = (sum[q][0] + sum[q][1]) + (sum[q][2] + sum[q][3]);
        float total = xsimd::reduce_add(sum[q][0]);
        for (Index rest = d; rest < depth; ++rest) {
          total += queries[q * query_step + rest] * keys[rest];
        }
        scores[q * scores_step + j] = total;
      });
    }
  }

  // Adds Keys consecutive values to Count outputs.
  template <std::size_t Count, std::size_t Keys>
  QKV_INLINE static void few_add(float* output, Index output_step, const float* weights,
                                 Index weights_step, const float* values, Index value_step,
                                 Index depth) {
    constexpr std::make_index_sequence<Count> each{};
    constexpr std::make_index_sequence<Keys> keys{};
    Batch weight[Count][Keys];
    unrolled(each, [&](auto q) {
      unrolled(keys, [&](auto k) { weight[q][k] = Batch(weights[q * weights_step + k]); });
    });
    Index d = 0;
    for (; d + width <= depth; d += width) {
      Batch value[Keys];
      unrolled(keys, [&](auto k) {
        value[k] = load(values + k * value_step + d);
        prefetch(values + (ahead + k) * value_step + d);
      });
      unrolled(each, [&](auto q) {
        float* at = output + q * output_step + d;
        Batch sum = load(at);
        unrolled(keys, [&](auto k) { sum = multiply_add(weight[q][k], value[k], sum); });
        sum.store_unaligned(at);
      });
    }
    for (; d < depth; ++d) {
      unrolled(each, [&](auto q) {
        float& sum = output[q * output_step + d];
        unrolled(keys, [&](auto k) {
          sum += weights[q * weights_step + k] * values[k * value_step + d];
        });
      });
    }
  }

  template <std::size_t Count, std::size_t Keys>
  QKV_INLINE static void few_aggregate(float* output, Index output_step, const float* weights,
                                       Index weights_step, const float* values, Index value_step,
                                       Index n, Index depth, const float* factor) {
    unrolled(std::make_index_sequence<Count>{}, [&](auto q) {
      map(output + q * output_step, depth, [&](const Batch& x) { return x * Batch(factor[q]); });
    });
    for (; n >= static_cast<Index>(Keys); n -= static_cast<Index>(Keys)) {
      few_add<Count, Keys>(output, output_step, weights, weights_step, values, value_step, depth);
      weights += Keys;
      values += static_cast<Index>(Keys) * value_step;
    }
    for (; n > 0; --n) {
      few_add<Count, 1>(output, output_step, weights, weights_step, values, value_step, depth);
      ++weights;
      values += value_step;
    }
  }

  // Fewer than four are run one by one, while their keys are still near.
  static void few_scores(float* scores, Index scores_step, const float* queries, Index query_step,
                         Index count, const float* keys, Index key_step, Index n, Index depth) {
    if (count == most_few) {
      return few_scores<most_few>(scores, scores_step, queries, query_step, keys, key_step, n,
                                  depth);
    }
    for (Index q = 0; q < count; ++q) {
      few_scores<1>(scores + q * scores_step, 0, queries + q * query_step, 0, keys, key_step, n,
                    depth);
    }
  }

  static void few_aggregate(float* output, Index output_step, const float* weights,
                            Index weights_step, Index count, const float* values, Index value_step,
                            Index n, Index depth, const float* factor) {
    if (count == most_few) {
      return few_aggregate<most_few, 2>(output, output_step, weights, weights_step, values,
                                        value_step, n, depth, factor);
    }
    for (Index q = 0; q < count; ++q) {
      few_aggregate<1, 4>(output + q * output_step, 0, weights + q * weights_step, 0, values,
                          value_step, n, depth, factor + q);
    }
  }
};

}  // namespace qkv::kernels
