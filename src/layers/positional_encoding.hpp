// The positional encoding layer as a function of its table.
#pragma once

#include "qkv/layers.hpp"

namespace qkv {

// Errors: argument, memory.
Status create_position_table(const PositionalEncodingConfig& config, Tensor& table);

// `p` is the dropout in force: 0 outside training. Errors: shape, argument.
Status add_positions(const ConstTensorView& x, const ConstTensorView& table, float p,
                     std::uint64_t seed, const TensorView& result);

}  // namespace qkv
