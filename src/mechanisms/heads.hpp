// Operands whose leading axes broadcast together, read one head at a time.
#pragma once

#include "memory.hpp"
#include "qkv/tensor.hpp"

namespace qkv {

class Heads {
 public:
  // Takes in an operand whose last `own` axes belong to each head and whose leading ones broadcast
  // with those seen so far. The last leading axis counts heads: an operand may have fewer of them if
  // their number divides (grouped heads, as in attention). Errors: shape (which names the operand),
  // argument.
  Status add(const char* name, const ConstTensorView& view, int own);

  // The leading axes of the result.
  const Shape& leading() const noexcept { return leading_; }
  // All heads, numbered in row-major order.
  Index count() const noexcept { return leading_.elements(); }
  // Leading axes and two of the head's own.
  Shape with(Index rows, Index columns) const noexcept;

  // The own axes of an operand for one head.
  ConstTensorView at(const ConstTensorView& view, int own, Index head) const noexcept;
  TensorView at(const TensorView& view, int own, Index head) const noexcept;

 private:
  Index offset(const Shape& shape, const Strides& strides, int own, Index head) const noexcept;

  Shape leading_;
};

// Rows of features side by side: `view` [rows, width] itself where its features already lie so, else
// a copy in `memory`. Errors: memory.
Status side_by_side(const ConstTensorView& view, Buffer<float>& memory, const float*& rows,
                    Index& row_step) noexcept;

// A possible view of rank `least` or more. Errors: shape, argument.
Status check_operand(const char* name, const ConstTensorView& view, int least);

// Refuses a result of another shape. Errors: shape.
Status check_result(const TensorView& result, const Shape& expected);

}  // namespace qkv
