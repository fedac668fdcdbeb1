#include "mechanisms/heads.hpp"

#include <algorithm>

#include "check.hpp"
#include "strided.hpp"
#include "text.hpp"

namespace qkv {
namespace {

bool divides(Index a, Index b) noexcept { return a > 0 && b % a == 0; }

}  // namespace

Status Heads::add(const char* name, const ConstTensorView& view, int own) {
  QKV_TRY(check_view(name, view, own));
  const int axes = view.shape.rank() - own;
  const Shape before = leading_;
  Shape added(view.shape.begin(), static_cast<std::size_t>(axes));
  if (axes > 0 && before.rank() > 0) {
    // Grouped heads: the larger number is the result's.
    Index& mine = added[axes - 1];
    Index& all = leading_[before.rank() - 1];
    if (mine > 1 && all > 1 && mine != all) {
      if (divides(mine, all)) {
        mine = all;
      } else if (divides(all, mine)) {
        all = mine;
      }
    }
  }
  Shape together;
  if (!broadcast(leading_, added, together)) {
    return shape_error(name, ": leading axes of ", view.shape, " do not fit ", before,
                       " of the operands before it");
  }
  leading_ = together;
  return {};
}

Shape Heads::with(Index rows, Index columns) const noexcept {
  Shape shape(leading_.begin(), static_cast<std::size_t>(leading_.rank()) + 2);
  shape[leading_.rank()] = rows;
  shape[leading_.rank() + 1] = columns;
  return shape;
}

Index Heads::offset(const Shape& shape, const Strides& strides, int own,
                    Index head) const noexcept {
  Index offset = 0;
  int axis = shape.rank() - own - 1;
  for (int all = leading_.rank() - 1; all >= 0; --all, --axis) {
    const Index size = leading_[all], place = head % size;
    head /= size;
    // Consecutive heads share one where there are fewer; all share the only one.
    if (axis >= 0) offset += place * shape[axis] / size * strides[axis];
  }
  return offset;
}

ConstTensorView Heads::at(const ConstTensorView& view, int own, Index head) const noexcept {
  const auto axes = static_cast<std::size_t>(own);
  return {view.data + offset(view.shape, view.strides, own, head),
          Shape(view.shape.begin() + (view.shape.rank() - own), axes),
          Shape(view.strides.begin() + (view.shape.rank() - own), axes)};
}

TensorView Heads::at(const TensorView& view, int own, Index head) const noexcept {
  const ConstTensorView there = at(ConstTensorView(view), own, head);
  return {const_cast<float*>(there.data), there.shape, there.strides};
}

Status side_by_side(const ConstTensorView& view, Buffer<float>& memory, const float*& rows,
                    Index& row_step) noexcept {
  const Index count = view.shape[0], width = view.shape[1];
  if (view.strides[1] == 1 || width <= 1) {
    rows = view.data;
    row_step = view.strides[0];
    return {};
  }
  QKV_TRY(memory.reserve(count * width));
  copy_elements(view, {memory.data(), {count, width}});
  rows = memory.data();
  row_step = width;
  return {};
}

Status check_operand(const char* name, const ConstTensorView& view, int least) {
  return check_view(name, view, least);
}

Status check_result(const TensorView& result, const Shape& expected) {
  return check_shape("result", result, expected);
}

}  // namespace qkv
