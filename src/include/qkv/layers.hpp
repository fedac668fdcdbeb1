// Layers: attention with parameters, and positions added to an input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "qkv/attention.hpp"
#include "qkv/export.hpp"
#include "qkv/tensor.hpp"

namespace qkv {

// Parameters by name. A name appears once.
using StateDict = std::vector<std::pair<std::string, Tensor>>;
using StateDictView = std::vector<std::pair<std::string, ConstTensorView>>;

struct MultiHeadConfig {
  Index embed_dim = 0;     // width of queries and of the output
  Index num_heads = 0;
  Index num_kv_heads = 0;  // 0: as num_heads; fewer: grouped-query attention
  Index head_dim = 0;      // 0: embed_dim / num_heads, which must divide
  Index k_dim = 0;         // width of the keys' input; 0: embed_dim
  Index v_dim = 0;         // width of the values' input; 0: embed_dim
  bool bias = true;
  float dropout = 0;       // of the weights, in training
  std::uint64_t seed = 0;  // of the first parameters and of the dropout
};

// What a forward call may change. Score and scale stay the scaled dot product's unless given.
struct LayerOptions : AttentionOptions {
  bool training = false;              // turns the layer's dropout on, unless `dropout` is given
  std::optional<std::uint64_t> seed;  // of that dropout, instead of the layer's
};

// Multi-head attention with its four projections: concat(heads) W_o. Vaswani et al. 2017.
//
// Parameters, [out, in] as PyTorch stores them:
//   q_proj.weight [num_heads * head_dim, embed_dim]       k_proj.weight [num_kv_heads * head_dim, k_dim]
//   v_proj.weight [num_kv_heads * head_dim, v_dim]        out_proj.weight [embed_dim, num_heads * head_dim]
// and the four biases [out] if config.bias.
class QKV_API MultiHeadAttention {
 public:
  MultiHeadAttention() noexcept = default;

  // A layer with Xavier-uniform weights drawn from config.seed, and zero biases.
  // Errors: argument (the numbers that do not divide), memory.
  static Status create(const MultiHeadConfig& config, MultiHeadAttention& layer) noexcept;

#if defined(__cpp_exceptions)
  explicit MultiHeadAttention(const MultiHeadConfig& config) { raise(create(config, *this)); }
#endif

  // Replaces every parameter; on an error none. Understands the names of torch.nn.MultiheadAttention
  // (in_proj_weight or q_proj_weight ..., in_proj_bias, out_proj.*), of Hugging Face encoders
  // (q_proj/k_proj/v_proj/out_proj or query/key/value/output.dense) and of D2L (W_q, W_k, W_v, W_o).
  // Errors: shape or argument, one sentence that names every unknown, missing or misshapen entry.
  Status try_load_state_dict(const StateDictView& entries) noexcept;

  // The parameters, under the names above. Views of the layer's own memory.
  StateDictView state_dict() const;
  const MultiHeadConfig& config() const noexcept { return config_; }

  // query [..., Lq, embed_dim], key [..., Lk, k_dim], value [..., Lk, v_dim], result
  // [..., Lq, embed_dim]; leading axes (usually [batch]) are equal. options.mask and
  // options.returns see [batch, num_heads, Lq, Lk]; sinks are [num_heads].
  // Errors: shape, argument, memory.
  Status try_forward(const ConstTensorView& query, const ConstTensorView& key,
                     const ConstTensorView& value, const TensorView& result,
                     const LayerOptions& options = {}) const noexcept;

#if defined(__cpp_exceptions)
  void load_state_dict(const StateDictView& entries) { raise(try_load_state_dict(entries)); }

  Tensor forward(const ConstTensorView& query, const ConstTensorView& key,
                 const ConstTensorView& value, const LayerOptions& options = {}) const {
    Tensor result(query.shape);
    raise(try_forward(query, key, value, result, options));
    return result;
  }
  // Self-attention.
  Tensor forward(const ConstTensorView& x, const LayerOptions& options = {}) const {
    return forward(x, x, x, options);
  }
#endif

 private:
  MultiHeadConfig config_;
  StateDict parameters_;
};

enum class PositionKind { sinusoidal, learned };

struct PositionalEncodingConfig {
  Index dim = 0;
  Index max_length = 1000;
  float dropout = 0;  // of the sum, in training
  PositionKind kind = PositionKind::sinusoidal;
  std::uint64_t seed = 0;  // of a learned table and of the dropout
};

// Adds a table of positions to its input: dropout(x + P[0 .. L)).
class QKV_API PositionalEncoding {
 public:
  PositionalEncoding() noexcept = default;

  // Errors: argument, memory.
  static Status create(const PositionalEncodingConfig& config, PositionalEncoding& layer) noexcept;

#if defined(__cpp_exceptions)
  explicit PositionalEncoding(const PositionalEncodingConfig& config) {
    raise(create(config, *this));
  }
#endif

  const Tensor& table() const noexcept { return table_; }  // [max_length, dim]

  // x [..., L, dim] with L <= max_length; result as x, and it may be x. Dropout only in training;
  // `seed` replaces the layer's for this call. Errors: shape.
  Status try_forward(const ConstTensorView& x, const TensorView& result, bool training = false,
                     std::optional<std::uint64_t> seed = std::nullopt) const noexcept;

#if defined(__cpp_exceptions)
  Tensor forward(const ConstTensorView& x, bool training = false,
                 std::optional<std::uint64_t> seed = std::nullopt) const {
    Tensor result(x.shape);
    raise(try_forward(x, result, training, seed));
    return result;
  }
#endif

 private:
  PositionalEncodingConfig config_;
  Tensor table_;
};

}  // namespace qkv
