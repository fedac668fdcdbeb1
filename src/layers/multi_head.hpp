// Multi-head attention as a function of its parameters: what the class of the public header and the
// named interface share.
#pragma once

#include "qkv/layers.hpp"

namespace qkv {

struct Projection {
  ConstTensorView weight, bias;  // bias is absent when the layer has none
};

struct MultiHeadParameters {
  Projection q, k, v, out;
};

// Fills in what a configuration leaves open. Errors: argument.
Status resolve_config(const MultiHeadConfig& config, MultiHeadConfig& resolved);

// First parameters of a resolved configuration.
Status create_parameters(const MultiHeadConfig& config, StateDict& parameters);

// The layer's own names and shapes from any of the known families. Errors: shape, argument.
Status translate_state_dict(const MultiHeadConfig& config, const StateDictView& entries,
                            StateDict& parameters);

// Entries under the layer's own names, as create_parameters makes them, by role. Errors: as above.
Status find_parameters(const MultiHeadConfig& config, const StateDictView& entries,
                       MultiHeadParameters& parameters);

// The entries of a dictionary without their ownership.
StateDictView view_of(const StateDict& entries);

Status multi_head_forward(const MultiHeadConfig& config, const MultiHeadParameters& parameters,
                          const ConstTensorView& query, const ConstTensorView& key,
                          const ConstTensorView& value, const TensorView& result,
                          const LayerOptions& options);

}  // namespace qkv
