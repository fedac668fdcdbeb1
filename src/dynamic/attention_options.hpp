// The options of attention by their names, shared by the function and the layer.
#pragma once

#include "dynamic/call.hpp"
#include "qkv/attention.hpp"

namespace qkv::dynamic {

// Reads options into `target`, with further fields of the caller's own.
class AttentionOptionReader {
 public:
  Status read(Call& call, std::size_t place, AttentionOptions& target, Fields more = {});

  // Makes memory for the output, and for the further results that were asked for, which have the
  // leading axes of `by_head`: [..., heads, Lq, anything].
  Status reserve(const Shape& shape, const Shape& by_head, Index key_length,
                 AttentionOptions& target);
  Tensor& output() noexcept { return output_; }
  // Hands output and further results to the call.
  void give(Call& call);

 private:
  bool weights_ = false, scores_ = false, log_sum_exp_ = false;
  std::optional<Index> out_;  // elements of memory that the caller will copy the output into
  Tensor output_;
  Tensor weights_memory_, scores_memory_, log_sum_exp_memory_;
};

}  // namespace qkv::dynamic
