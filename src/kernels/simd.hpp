// The table of kernels of one instruction set. `Arch` is an xsimd architecture; the other two are
// the register tile of the matrix products (panels.hpp).
#pragma once

#include "kernels/elements.hpp"
#include "kernels/layouts.hpp"
#include "kernels/panels.hpp"
#include "kernels/rows.hpp"
#include "kernels/table.hpp"

namespace qkv::kernels {

template <class Arch, std::size_t Vectors, std::size_t Group>
constexpr Kernels simd_table(const char* name) {
  using Panel = Panels<Arch, Vectors, Group>;
  using Layout = Layouts<Arch, Vectors, Group>;
  using Row = Rows<Arch>;
  using Element = Elements<Arch>;
  return {
      .name = name,
      .lanes = static_cast<int>(Panel::lanes),
      .rows = static_cast<int>(Group),
      .scores = &Panel::scores,
      .additive_scores = &Panel::additive_scores,
      .softcap = &Element::softcap,
      .add = &Element::add,
      .select = &Panel::select,
      .softmax = &Panel::softmax,
      .relu = &Panel::relu,
      .sigmoid = &Element::sigmoid,
      .aggregate = &Panel::aggregate,
      .row_scores = &Row::row_scores,
      .row_additive_scores = &Row::row_additive_scores,
      .row_softmax = &Row::row_softmax,
      .row_aggregate = &Row::row_aggregate,
      .row_weights = &Element::row_weights,
      .few_scores = &Row::few_scores,
      .few_aggregate = &Row::few_aggregate,
      .pack = &Layout::pack,
      .unpack = &Layout::unpack,
      .group = &Layout::group,
  };
}

}  // namespace qkv::kernels
