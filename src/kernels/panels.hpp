// Kernels that work on panels of queries: the two matrix products of attention and what happens to
// the scores between them.
#pragma once

#include "kernels/registers.hpp"

namespace qkv::kernels {

// A panel is `Vectors` registers wide and packed keys come in groups of `Rows`: Rows * Vectors
// accumulators, Vectors operands and one splat must fit the register file.
template <class Arch, std::size_t Vectors, std::size_t Rows>
struct Panels : Registers<Arch> {
  using typename Registers<Arch>::Batch;
  using Registers<Arch>::load;
  using Registers<Arch>::width;
  static constexpr Index lanes = width * static_cast<Index>(Vectors);
  static constexpr std::make_index_sequence<Vectors> vectors{};

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
    Batch largest[Vectors], origin[Vectors], added[Vectors];
    unrolled(vectors, [&](auto v) { largest[v] = load(maximum + v * width); });
    for (Index j = 0; j < keys; ++j) {
      unrolled(vectors, [&](auto v) {
        largest[v] = xsimd::max(largest[v], load(scores + j * lanes + v * width));
      });
    }
    unrolled(vectors, [&](auto v) {
      // Before the first allowed key the maximum is -infinity: not to be taken from itself.
      origin[v] = xsimd::select(largest[v] == Batch(-infinity), Batch(0.0f), largest[v]);
      added[v] = Batch(0.0f);
    });
    for (Index j = 0; j < keys; ++j) {
      unrolled(vectors, [&](auto v) {
        float* at = scores + j * lanes + v * width;
        const Batch weight = exp_below_zero(load(at) - origin[v]);
        weight.store_unaligned(at);
        added[v] += weight;
      });
    }
    unrolled(vectors, [&](auto v) {
      const Batch scale = exp_below_zero(load(maximum + v * width) - origin[v]);
      scale.store_unaligned(factor + v * width);
      largest[v].store_unaligned(maximum + v * width);
      multiply_add(load(sum + v * width), scale, added[v]).store_unaligned(sum + v * width);
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
};

}  // namespace qkv::kernels
