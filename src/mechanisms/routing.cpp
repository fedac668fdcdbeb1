// Routing Transformer: each centroid gathers the tokens most like it, which attend to one another.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "attention/operands.hpp"
#include "check.hpp"
#include "mechanisms/call.hpp"
#include "mechanisms/catalogue.hpp"
#include "mechanisms/drawn.hpp"
#include "mechanisms/heads.hpp"
#include "mechanisms/largest.hpp"
#include "mechanisms/over_rows.hpp"
#include "qkv/content.hpp"
#include "qkv/linear.hpp"
#include "threads/pool.hpp"

namespace qkv {
namespace {

// Bounds on what is held at once: rows gathered for attention, and similarities, whose tokens are
// read anew for every block of centroids.
constexpr Index rows_at_once = 512;  // for each thread
constexpr Index similarities_at_once = Index{1} << 22;

constexpr float infinity = std::numeric_limits<float>::infinity();

// Room for a number of every token each.
struct ChoiceMemory {
  float *scores, *spare;
  std::int32_t* tokens;
};

// The tokens of the `wanted` largest of scores[count], wanted < count, in rising order; of equal
// ones the earlier, and NaN counts as -infinity.
void choose_largest(const float* scores, Index count, Index wanted, const ChoiceMemory& memory,
                    Index* tokens) noexcept {
  Largest largest(wanted, memory.scores, memory.tokens, memory.spare);
  largest.choose(scores, count);
  std::copy_n(memory.tokens, largest.count(), tokens);
  Index missing = wanted - largest.count();
  if (missing == 0) return;
  Index kept = 0;  // all others, and as many of these
  for (Index t = 0; kept < wanted; ++t) {
    if (scores[t] > -infinity || missing-- > 0) tokens[kept++] = t;
  }
}

class Routing {
 public:
  Routing(const Heads& heads, const ConstTensorView& qk, const ConstTensorView& value,
          const TensorView& result, const RoutingOptions& options) noexcept
      : heads_(heads),
        qk_(qk),
        value_(value),
        result_(result),
        options_(options),
        length_(qk.shape.back(1)),
        width_(qk.shape.back(0)),
        value_width_(value.shape.back(0)),
        clusters_(options.centroids.shape.back(1)),
        window_(std::min(options.window_size, length_)) {}

  Status run() {
    if (length_ == 0) return {};
    QKV_TRY(reserve());
    for (Index head = 0; head < heads_.count(); ++head) QKV_TRY(run_head(head));
    return {};
  }

 private:
  Status reserve() {
    const Index most = std::max<Index>(clusters_, 1);
    block_ = std::clamp<Index>(similarities_at_once / length_, 1, most);
    group_ = std::clamp<Index>(workers_ * rows_at_once / window_, 1, block_);
    const Index rows = group_ * window_;
    QKV_TRY(unit_.reserve(length_ * width_));
    QKV_TRY(similarities_.reserve(block_ * length_));
    if (window_ < length_) {
      QKV_TRY(candidates_.reserve(workers_ * 2 * length_));
      QKV_TRY(places_.reserve(workers_ * length_));
    }
    QKV_TRY(taken_.reserve(block_ * window_));
    QKV_TRY(counts_.reserve(length_));
    QKV_TRY(queries_.reserve(rows * width_));
    QKV_TRY(keys_.reserve(rows * width_));
    QKV_TRY(values_.reserve(rows * value_width_));
    return outputs_.reserve(rows * value_width_);
  }

  Status run_head(Index head) {
    QKV_TRY(side_by_side(heads_.at(qk_, 2, head), x_memory_, x_rows_, x_step_));
    QKV_TRY(side_by_side(heads_.at(value_, 2, head), value_memory_, value_rows_, value_step_));
    output_ = heads_.at(result_, 2, head);
    over_rows(length_, width_ + value_width_, [&](Index t) { start(t); });
    const ConstTensorView centroids = heads_.at(options_.centroids, 2, head);
    for (Index first = 0; first < clusters_; first += block_) {
      const Index count = std::min(block_, clusters_ - first);
      QKV_TRY(try_linear({centroids.data + first * centroids.strides[0],
                          {count, width_},
                          centroids.strides},
                         {unit_.data(), {length_, width_}}, {},
                         {similarities_.data(), {count, length_}}));
      choose(head, first, count);
      if (output_.shape.elements() == 0) continue;
      for (Index cluster = 0; cluster < count; cluster += group_) {
        QKV_TRY(attend(cluster, std::min(group_, count - cluster)));
      }
    }
    over_rows(length_, value_width_, [&](Index t) { finish(t); });
    return {};
  }

  void start(Index token) noexcept {
    normalize(x_rows_ + token * x_step_, 1, width_, unit_.data() + token * width_);
    counts_[token] = 0;
    for (Index d = 0; d < value_width_; ++d) *element(token, d) = 0;
  }

  float* element(Index token, Index d) const noexcept {
    return output_.data + token * output_.strides[0] + d * output_.strides[1];
  }

  // The tokens of clusters [first, first + count).
  void choose(Index head, Index first, Index count) noexcept {
    parallel_for(count, workers_, [&](Index cluster, int worker) {
      Index* to = taken_.data() + cluster * window_;
      if (window_ == length_) return std::iota(to, to + window_, Index{0});
      float* scores = candidates_.data() + worker * 2 * length_;
      choose_largest(similarities_.data() + cluster * length_, length_, window_,
                     {scores, scores + length_, places_.data() + worker * length_}, to);
    });
    if (!options_.cluster_of) return;
    const TensorView to = heads_.at(options_.cluster_of, 2, head);
    for (Index cluster = 0; cluster < count; ++cluster) {
      float* row = to.data + (first + cluster) * to.strides[0];
      for (Index t = 0; t < length_; ++t) row[t * to.strides[1]] = 0;
      for (Index i = 0; i < window_; ++i) row[taken_[cluster * window_ + i] * to.strides[1]] = 1;
    }
  }

  Status attend(Index cluster, Index count) {
    const Index rows = count * window_;
    const Index* tokens = taken_.data() + cluster * window_;
    over_rows(rows, 4 * (2 * width_ + value_width_), [&](Index row) { gather(row, tokens[row]); });
    AttentionOptions attention;
    // Tokens of a cluster lie in the order of their positions.
    attention.mask = options_.causal ? mask::causal(-1) : mask::negate(mask::window(0, 0));
    QKV_TRY(try_attention({queries_.data(), {count, window_, width_}},
                          {keys_.data(), {count, window_, width_}},
                          {values_.data(), {count, window_, value_width_}},
                          {outputs_.data(), {count, window_, value_width_}}, attention));
    for (Index row = 0; row < rows; ++row) add(row, tokens[row]);
    return {};
  }

  void gather(Index row, Index token) noexcept {
    std::copy_n(x_rows_ + token * x_step_, width_, queries_.data() + row * width_);
    std::copy_n(unit_.data() + token * width_, width_, keys_.data() + row * width_);
    std::copy_n(value_rows_ + token * value_step_, value_width_,
                values_.data() + row * value_width_);
  }

  // One cluster's result for a token; its own value where it has met no other token.
  void add(Index row, Index token) noexcept {
    const bool alone = options_.causal ? row % window_ == 0 : window_ == 1;
    const float* found = alone ? value_rows_ + token * value_step_
                               : outputs_.data() + row * value_width_;
    ++counts_[token];
    for (Index d = 0; d < value_width_; ++d) *element(token, d) += found[d];
  }

  void finish(Index token) noexcept {
    if (counts_[token] < 2) return;
    const auto count = static_cast<float>(counts_[token]);
    for (Index d = 0; d < value_width_; ++d) *element(token, d) /= count;
  }

  const Heads& heads_;
  const ConstTensorView &qk_, &value_;
  const TensorView& result_;
  const RoutingOptions& options_;
  const Index length_, width_, value_width_, clusters_, window_;
  const int workers_ = workers_for(static_cast<double>(clusters_) * static_cast<double>(length_));
  Index block_ = 1;  // clusters whose tokens are chosen at once
  Index group_ = 1;  // clusters that attend at once

  // Of the head at hand.
  const float *x_rows_ = nullptr, *value_rows_ = nullptr;
  Index x_step_ = 0, value_step_ = 0;
  TensorView output_;

  Buffer<float> x_memory_, value_memory_, unit_, similarities_;
  Buffer<float> queries_, keys_, values_, outputs_, candidates_;
  Buffer<std::int32_t> places_;
  Buffer<Index> taken_, counts_;
};

Status check(const ConstTensorView& qk, const ConstTensorView& value, const TensorView& result,
             const RoutingOptions& options, Heads& heads) {
  QKV_TRY(heads.add("qk", qk, 2));
  QKV_TRY(heads.add("value", value, 2));
  const Index length = qk.shape.back(1), width = qk.shape.back(0);
  if (value.shape.back(1) != length) {
    return shape_error("qk and value differ in length: ", length, " tokens in ", qk.shape, " and ",
                       value.shape.back(1), " in ", value.shape);
  }
  QKV_TRY(add_within("centroids", options.centroids, 2, heads));
  if (options.centroids.shape.back(0) != width) {
    return shape_error("centroids: expected rows of ", width, " features for qk of shape ",
                       qk.shape, ", saw ", options.centroids.shape);
  }
  if (options.window_size < 1) {
    return argument_error("windowSize: expected 1 or more, saw ", options.window_size);
  }
  QKV_TRY(check_result(result, heads.with(length, value.shape.back(0))));
  if (!options.cluster_of) return {};
  return check_shape("cluster_of", options.cluster_of,
                     heads.with(options.centroids.shape.back(1), length));
}

// How many clusters of how many tokens a run has: 0 stands for the square root of n, and for an
// equal share of the tokens.
struct Sizes {
  Index clusters, window;

  Sizes(Index n, const double* parameters) {
    clusters = static_cast<Index>(parameters[0]);
    window = static_cast<Index>(parameters[1]);
    const double root = std::ceil(std::sqrt(static_cast<double>(n)));
    if (clusters == 0) clusters = std::max<Index>(1, static_cast<Index>(root));
    if (window == 0) window = std::max<Index>(1, ceil_div(n, clusters));
  }
};

MechanismCost cost(Index n, Index d, const double* parameters) {
  const Sizes sizes(n, parameters);
  const double tokens = static_cast<double>(n), width = static_cast<double>(d);
  const double clusters = static_cast<double>(sizes.clusters);
  const double window = std::min(static_cast<double>(sizes.window), tokens);
  const double block = std::clamp(similarities_at_once / std::max(tokens, 1.0), 1.0, clusters);
  const double rows = std::min(std::max<double>(window, rows_at_once), clusters * window);
  MechanismCost cost;
  cost.multiply_adds = clusters * (tokens + 2 * window * window) * width;
  // Rows of unit length, which are packed once more for the similarities, and the rows at hand,
  // whose keys are packed once more.
  cost.bytes = tokens * (8 * width + 8 + 4 * block) + block * window * 8 + rows * 4 * width * 5;
  return cost;
}

constexpr const char* weight_names[] = {"centroids"};

Status draw(Index n, Index d, const double* parameters, Tensor* weights) {
  return drawn::normal(parameters[2], 0, {Sizes(n, parameters).clusters, d}, 1, weights[0]);
}

Status run(const ConstTensorView& x, const double* parameters, const ConstTensorView* weights,
           const TensorView& result) {
  RoutingOptions options;
  options.centroids = weights[0];
  options.window_size = Sizes(x.shape.back(1), parameters).window;
  return try_routing_attention(x, x, result, options);
}

constexpr MechanismParameter parameters[] = {
    {"clusters", 0, 0}, {"windowSize", 0, 0}, {"seed", 1, 0}};

}  // namespace

Status try_routing_attention(const ConstTensorView& qk, const ConstTensorView& value,
                             const TensorView& result, const RoutingOptions& options) noexcept {
  return guarded([&]() -> Status {
    Heads heads;
    QKV_TRY(check(qk, value, result, options, heads));
    return Routing(heads, qk, value, result, options).run();
  });
}

const Mechanism catalogue::routing = {
    .name = "routing",
    .title = "Routing Transformer",
    .paper = "Roy, Saffar, Vaswani and Grangier 2020, arXiv:2003.05997",
    .year = 2020,
    .family = Family::content,
    .exact = false,
    .causal = true,
    .time = "clusters (n + windowSize^2) d",
    .memory = "n d",
    .trap = "Which tokens a cluster takes depends on all of them, later ones too: what is causal "
            "inside a cluster is not causal as a whole.",
    .parameters = parameters,
    .weights = weight_names,
    .cost = cost,
    .draw = draw,
    .run = run,
};

}  // namespace qkv
