// Kernels that bring rows of features into panels and groups and back, a square of registers at a
// time.
#pragma once

#include "kernels/registers.hpp"

namespace qkv::kernels {

template <class Arch, std::size_t Vectors, std::size_t Rows>
struct Layouts : Registers<Arch> {
  using typename Registers<Arch>::Batch;
  using Registers<Arch>::load;
  using Registers<Arch>::load_some;
  using Registers<Arch>::store_some;
  using Registers<Arch>::transpose;
  using Registers<Arch>::width;
  static constexpr Index lanes = width * static_cast<Index>(Vectors);
  static constexpr std::make_index_sequence<static_cast<std::size_t>(width)> square{};

  // columns[k] = feature k of up to `width` rows; what is not there is zero.
  QKV_INLINE static void load_columns(Batch* columns, const float* rows, Index row_step,
                                      Index count, Index depth) {
    unrolled(square, [&](auto r) {
      columns[r] = static_cast<Index>(r) < count ? load_some(rows + r * row_step, depth)
                                                 : Batch(0.0f);
    });
    transpose(columns);
  }

  static void pack(float* panel, const float* rows, Index row_step, Index count, Index depth,
                   float scale) {
    for (Index first = 0; first < lanes; first += width) {
      for (Index d = 0; d < depth; d += width) {
        Batch columns[width];
        load_columns(columns, rows + first * row_step + d, row_step, count - first, depth - d);
        float* to = panel + d * lanes + first;
        unrolled(square, [&](auto k) {
          if (d + static_cast<Index>(k) < depth) {
            (columns[k] * Batch(scale)).store_unaligned(to + k * lanes);
          }
        });
      }
    }
  }

  static void unpack(float* rows, Index row_step, const float* panel, const float* divisor,
                     Index count, Index depth) {
    for (Index first = 0; first < count; first += width) {
      const Batch by = divisor == nullptr ? Batch(1.0f) : load(divisor + first);
      for (Index d = 0; d < depth; d += width) {
        Batch columns[width];
        const float* from = panel + d * lanes + first;
        unrolled(square, [&](auto k) {
          columns[k] = d + static_cast<Index>(k) < depth ? divide(load(from + k * lanes), by)
                                                         : Batch(0.0f);
        });
        transpose(columns);
        unrolled(square, [&](auto r) {
          const Index row = first + static_cast<Index>(r);
          if (row < count) store_some(columns[r], rows + row * row_step + d, depth - d);
        });
      }
    }
  }

  static void group(float* packed, const float* rows, Index row_step, Index count, Index depth) {
    constexpr Index group = Rows;
    for (; count > 0; count -= group, rows += group * row_step, packed += group * depth) {
      const Index in_group = count < group ? count : group;
      for (Index first = 0; first < in_group; first += width) {
        const Index some = in_group - first < width ? in_group - first : width;
        for (Index d = 0; d < depth; d += width) {
          Batch columns[width];
          load_columns(columns, rows + first * row_step + d, row_step, some, depth - d);
          float* to = packed + d * in_group + first;
          unrolled(square, [&](auto k) {
            const Index left = depth - d - static_cast<Index>(k);
            if (left <= 0) return;
            // What is too much of a whole register falls where the next columns will be written.
            const bool whole = in_group <= width && left * in_group >= width;
            store_some(columns[k], to + static_cast<Index>(k) * in_group, whole ? width : some);
          });
        }
      }
    }
  }
};

}  // namespace qkv::kernels
