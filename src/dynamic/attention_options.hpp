// The options of attention by their names, shared by the function and the layer.
#pragma once

#include "dynamic/call.hpp"
#include "qkv/attention.hpp"

namespace qkv::dynamic {

// Reads options into `target`, with further fields of the caller's own.
class AttentionOptionReader {
 public:
  Status read(Call& call, std::size_t place, AttentionOptions& target,
              const std::vector<Field>& more);

  // Makes memory for the further results that were asked for, shaped for an output of `shape`.
  Status reserve(const Shape& shape, Index key_length, AttentionOptions& target);
  // Hands output and further results to the call.
  void give(Call& call, Tensor output);

 private:
  bool weights_ = false, scores_ = false, log_sum_exp_ = false;
  Tensor weights_memory_, scores_memory_, log_sum_exp_memory_;
};

}  // namespace qkv::dynamic
