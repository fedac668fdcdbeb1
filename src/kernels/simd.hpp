// The kernels of table.hpp for one instruction set. `Arch` is an xsimd architecture; a panel is
// `Vectors` registers wide and packed keys come in groups of `Rows`: Rows * Vectors accumulators,
// Vectors operands and one splat must fit the register file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <xsimd/xsimd.hpp>

#include "kernels/vector_math.hpp"
#include "kernels/table.hpp"

namespace qkv::kernels {

// Calls body(0), body(1), ... with compile-time numbers: arrays of registers stay in registers only
// where every index is a constant.
template <std::size_t... I, class Body>
QKV_INLINE void unrolled(std::index_sequence<I...>, const Body& body) {
  (body(std::integral_constant<std::size_t, I>{}), ...);
}

template <class Arch, std::size_t Vectors, std::size_t Rows>
struct Simd {
  using Batch = xsimd::batch<float, Arch>;
  static constexpr Index width = Batch::size;  // floats of a register
  static constexpr Index lanes = width * static_cast<Index>(Vectors);
  static constexpr float infinity = std::numeric_limits<float>::infinity();
  static constexpr std::make_index_sequence<Vectors> vectors{};

  QKV_INLINE static Batch load(const float* from) { return Batch::load_unaligned(from); }

  // Applies f to n floats in place; the last few go through a register of their own.
  template <class Function>
  QKV_INLINE static void map(float* x, Index n, const Function& f) {
    Index i = 0;
    for (; i + width <= n; i += width) f(load(x + i)).store_unaligned(x + i);
    if (i < n) {
      float rest[width] = {};
      for (Index k = 0; i + k < n; ++k) rest[k] = x[i + k];
      f(load(rest)).store_unaligned(rest);
      for (Index k = 0; i + k < n; ++k) x[i + k] = rest[k];
    }
  }

  // c[Count][lanes] (+)= sum over k of a[k * a_step + row] * b[k][lanes]: the register tile of both
  // matrix products. With a factor, c is scaled by it and added to; without, c is only written.
  template <std::size_t Count>
  QKV_INLINE static void multiply(float* c, const float* a, Index a_step, const float* b, Index k,
                                  const float* factor) {
    constexpr std::make_index_sequence<Count> rows{};
    Batch sum[Count][Vectors];
    unrolled(rows, [&](auto r) {
      unrolled(vectors, [&](auto v) {
        sum[r][v] = factor == nullptr
                        ? Batch(0.0f)
                        : load(c + r * lanes + v * width) * load(factor + v * width);
      });
    });
    for (; k > 0; --k) {
      Batch column[Vectors];
      unrolled(vectors, [&](auto v) { column[v] = load(b + v * width); });
      unrolled(rows, [&](auto r) {
        const Batch splat = Batch::broadcast(a[r]);
        unrolled(vectors, [&](auto v) { sum[r][v] = multiply_add(splat, column[v], sum[r][v]); });
      });
      a += a_step;
      b += lanes;
    }
    unrolled(rows, [&](auto r) {
      unrolled(vectors, [&](auto v) { sum[r][v].store_unaligned(c + r * lanes + v * width); });
    });
  }

  // The same for a number of rows known only now, fewer than Rows.
  static void multiply_rest(std::size_t rows, float* c, const float* a, Index a_step,
                            const float* b, Index k, const float* factor) {
    unrolled(std::make_index_sequence<Rows - 1>{}, [&](auto count) {
      if (rows == count + 1) multiply<count + 1>(c, a, a_step, b, k, factor);
    });
  }

  static void scores(float* scores, const float* query, const float* packed, Index keys,
                     Index depth) {
    constexpr Index rows = Rows;
    for (; keys >= rows; keys -= rows) {
      multiply<Rows>(scores, packed, rows, query, depth, nullptr);
      scores += rows * lanes;
      packed += rows * depth;
    }
    multiply_rest(static_cast<std::size_t>(keys), scores, packed, keys, query, depth, nullptr);
  }

  static void additive_scores(float* scores, const float* query, const float* key, Index key_step,
                              const float* vector, Index keys, Index depth) {
    for (Index j = 0; j < keys; ++j) {
      Batch sum[Vectors];
      unrolled(vectors, [&](auto v) { sum[v] = Batch(0.0f); });
      for (Index h = 0; h < depth; ++h) {
        const Batch hidden(key[j * key_step + h]);
        const Batch scale(vector[h]);
        unrolled(vectors, [&](auto v) {
          const Batch x = load(query + h * lanes + v * width) + hidden;
          sum[v] = multiply_add(scale, kernels::tanh(x), sum[v]);
        });
      }
      unrolled(vectors, [&](auto v) { sum[v].store_unaligned(scores + j * lanes + v * width); });
    }
  }

  static void softcap(float* x, Index n, float cap) {
    map(x, n, [&](const Batch& s) { return Batch(cap) * kernels::tanh(s / Batch(cap)); });
  }

  static void add(float* x, const float* y, Index n) {
    Index i = 0;
    for (; i + width <= n; i += width) (load(x + i) + load(y + i)).store_unaligned(x + i);
    for (; i < n; ++i) x[i] += y[i];
  }

  static void select(float* scores, const std::uint64_t* allowed, int shift, Index keys) {
    using Integers = xsimd::batch<std::int32_t, Arch>;
    std::int32_t bit[width];
    for (Index i = 0; i < width; ++i) bit[i] = std::int32_t{1} << i;
    const Integers bits = Integers::load_unaligned(bit);
    for (Index j = 0; j < keys; ++j) {
      unrolled(vectors, [&](auto v) {
        float* at = scores + j * lanes + v * width;
        const auto word = static_cast<std::int32_t>(allowed[j] >> (shift + v * width));
        const auto open = xsimd::batch_bool_cast<float>((Integers(word) & bits) == bits);
        xsimd::select(open, load(at), Batch(-infinity)).store_unaligned(at);
      });
    }
  }

  static void softmax(float* scores, Index keys, float* maximum, float* sum, float* factor) {
    unrolled(vectors, [&](auto v) {
      float* column = scores + v * width;
      const Batch before = load(maximum + v * width);
      Batch largest = before;
      for (Index j = 0; j < keys; ++j) largest = xsimd::max(largest, load(column + j * lanes));
      // Before the first allowed key the maximum is -infinity: not to be taken from itself.
      const Batch origin = xsimd::select(largest == Batch(-infinity), Batch(0.0f), largest);
      Batch added(0.0f);
      for (Index j = 0; j < keys; ++j) {
        const Batch weight = kernels::exp(load(column + j * lanes) - origin);
        weight.store_unaligned(column + j * lanes);
        added += weight;
      }
      const Batch scale = kernels::exp(before - origin);
      scale.store_unaligned(factor + v * width);
      largest.store_unaligned(maximum + v * width);
      multiply_add(load(sum + v * width), scale, added).store_unaligned(sum + v * width);
    });
  }

  static void relu(float* scores, Index keys, float* sum) {
    unrolled(vectors, [&](auto v) {
      Batch total = load(sum + v * width);
      for (Index j = 0; j < keys; ++j) {
        float* at = scores + j * lanes + v * width;
        const Batch score = load(at);
        // Selected, not max: NaN compares false and stays.
        const Batch weight = xsimd::select(score < Batch(0.0f), Batch(0.0f), score);
        weight.store_unaligned(at);
        total += weight;
      }
      total.store_unaligned(sum + v * width);
    });
  }

  static void sigmoid(float* x, Index n) {
    map(x, n, [](const Batch& s) { return Batch(1.0f) / (Batch(1.0f) + kernels::exp(-s)); });
  }

  static void aggregate(float* output, const float* weights, const float* values, Index value_step,
                        Index keys, Index depth, const float* factor) {
    constexpr Index rows = Rows;
    for (; depth >= rows; depth -= rows) {
      multiply<Rows>(output, values, value_step, weights, keys, factor);
      output += rows * lanes;
      values += rows;
    }
    multiply_rest(static_cast<std::size_t>(depth), output, values, value_step, weights, keys,
                  factor);
  }

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
    map(scores, n, [&](const Batch& s) { return kernels::exp(s - Batch(origin)); });
    Batch added(0.0f);
    for (j = 0; j + width <= n; j += width) added += load(scores + j);
    float total = xsimd::reduce_add(added);
    for (; j < n; ++j) total += scores[j];
    float scale[width];
    kernels::exp(Batch(before - origin)).store_unaligned(scale);
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

  static void row_weights(float* x, Index n, float maximum, float sum) {
    map(x, n, [&](const Batch& s) {
      const Batch weight = kernels::exp(s - Batch(maximum)) / Batch(sum);
      return xsimd::select(s == Batch(-infinity), Batch(0.0f), weight);
    });
  }

  static constexpr Kernels table(const char* name) {
    return {name,           static_cast<int>(lanes), static_cast<int>(Rows),
            &scores,        &additive_scores,        &softcap,
            &add,           &select,                 &softmax,
            &relu,          &sigmoid,                &aggregate,
            &row_scores,    &row_additive_scores,    &row_softmax,
            &row_aggregate, &row_weights};
  }
};

}  // namespace qkv::kernels
