// Feature maps of linear attention, applied to tokens in the layouts of the kernels.
#pragma once

#include "kernels/table.hpp"
#include "memory.hpp"
#include "packed_weight.hpp"
#include "qkv/linear_attention.hpp"

namespace qkv {

// Neighbouring tokens of one head.
struct TokenRows {
  const float* data;
  Index row_step;
  Index step;

  TokenRows from(Index row) const noexcept { return {data + row * row_step, row_step, step}; }
};

class Features {
 public:
  // Checks the map for tokens of `width` features, and draws and packs the weights that it has.
  // Errors: shape, argument, memory.
  Status prepare(const Kernels& kernels, const FeatureMap& map, Index width);

  // Features that the map makes of a token.
  Index count() const noexcept { return count_; }
  // Multiplications and additions for a token.
  Index cost() const noexcept { return projections_ * width_; }
  bool is_identity() const noexcept { return kind_ == Kind::identity; }
  bool is_softmax() const noexcept { return kind_ == Kind::softmax; }
  bool is_favor() const noexcept { return kind_ == Kind::favor; }
  bool is_fourier() const noexcept { return kind_ == Kind::fourier; }

  // Floats of working memory for what follows.
  Index scratch_floats() const noexcept;

  // Up to 64 keys to rows[tokens][count()]. Softmax: `shift` is taken off each feature first.
  // Favor: a row holds exp(-log) times the features, so that its largest is 1; the logarithms go to
  // `logs`.
  void keys(const TokenRows& x, Index tokens, const float* shift, float* rows, float* logs,
            float* scratch) const noexcept;

  // Up to `lanes` queries to panel[count()][lanes]; lanes without a query hold anything. Softmax:
  // the features are to be divided by divisor[lanes]. Favor: scaled for each query by itself.
  void queries(const TokenRows& x, Index tokens, float* panel, float* divisor,
               float* scratch) const noexcept;

 private:
  enum class Kind { elu, relu, softmax, identity, favor, fourier };  // as in FeatureMap

  bool projects() const noexcept { return projections_ > 0; }
  Status prepare_projection(const FeatureMap& map);
  void apply(float* x, Index n, float* scratch) const noexcept;
  void project_keys(const TokenRows& x, Index tokens, float* rows, float* logs,
                    float* scratch) const noexcept;
  void project_queries(const TokenRows& x, Index tokens, float* panel,
                       float* scratch) const noexcept;
  float token_term(const TokenRows& x, Index row) const noexcept;
  void to_waves(float* sine, float* cosine, Index n) const noexcept;

  const Kernels* kernels_ = nullptr;
  Kind kind_ = Kind::elu;
  Index width_ = 0;        // of a token
  Index projections_ = 0;  // rows of the projection; 0 where there is none
  Index count_ = 0;
  float sigma_ = 1;
  PackedWeight weight_;    // against panels of queries
  Buffer<float> panels_;   // the same [width][lanes] by lanes of rows, against packed keys
};

}  // namespace qkv
