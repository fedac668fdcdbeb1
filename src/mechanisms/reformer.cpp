// Reformer: tokens of like direction are sorted next to one another, and attend in short chunks.
#include <algorithm>
#include <cmath>
#include <limits>

#include "backend.hpp"
#include "check.hpp"
#include "mechanisms/call.hpp"
#include "mechanisms/catalogue.hpp"
#include "mechanisms/chunk_mask.hpp"
#include "mechanisms/drawn.hpp"
#include "mechanisms/heads.hpp"
#include "mechanisms/over_rows.hpp"
#include "qkv/content.hpp"
#include "qkv/linear.hpp"
#include "random/fill.hpp"
#include "sums.hpp"

namespace qkv {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Memory must not grow with the number of chunks, and what was gathered should still be in the
// cache when it is read.
constexpr Index rows_at_once = 512;  // for each thread
constexpr Index hashes_at_once = Index{1} << 18;
constexpr Index copy_cost = 4;       // of an element that is moved, in multiplications

// The place of the largest number of [rotated, -rotated], the first one of equals.
Index bucket_of(const float* rotated, Index half) noexcept {
  Index most = 0, least = 0;
  for (Index b = 1; b < half; ++b) {
    if (rotated[b] > rotated[most]) most = b;
    if (rotated[b] < rotated[least]) least = b;
  }
  return rotated[most] >= -rotated[least] ? most : half + least;
}

class Reformer {
 public:
  Reformer(const Kernels& kernels, const Heads& heads, const ConstTensorView& qk,
           const ConstTensorView& value, const TensorView& result,
           const LshOptions& options) noexcept
      : kernels_(kernels),
        heads_(heads),
        qk_(qk),
        value_(value),
        result_(result),
        options_(options),
        length_(qk.shape.back(1)),
        width_(qk.shape.back(0)),
        value_width_(value.shape.back(0)),
        half_(options.buckets / 2),
        hashes_(options.rounds * half_) {
    const bool whole = length_ - options.chunk_size <= options.chunk_size;  // no sum to overflow
    rounds_ = whole ? 1 : options.rounds;
    chunks_.size = whole ? length_ : options.chunk_size;
    chunks_.before = whole ? 0 : chunks_.size;
    chunks_.tokens = length_;
    chunks_.causal = options.causal;
  }

  Status run() {
    if (length_ == 0) return {};
    QKV_TRY(reserve());
    for (Index head = 0; head < heads_.count(); ++head) QKV_TRY(run_head(head));
    return {};
  }

 private:
  bool hashes() const noexcept { return chunks_.before > 0 || options_.bucket_of; }
  Index count_of_chunks() const noexcept { return ceil_div(length_, chunks_.size); }

  Status reserve() {
    const double pairs = static_cast<double>(length_) * static_cast<double>(chunks_.size);
    const Index at_once = rows_at_once * workers_for(pairs * static_cast<double>(width_));
    group_ = std::clamp<Index>(at_once / chunks_.size, 1, count_of_chunks());
    const Index rows = group_ * chunks_.size, slots = rows + chunks_.before;
    QKV_TRY(order_.reserve(length_));
    QKV_TRY(factors_.reserve(length_));
    QKV_TRY(maxima_.reserve(length_));
    QKV_TRY(sums_.reserve(length_));
    QKV_TRY(slots_.reserve(slots));
    QKV_TRY(queries_.reserve(rows * width_));
    QKV_TRY(keys_.reserve(slots * width_));
    QKV_TRY(values_.reserve(slots * value_width_));
    QKV_TRY(outputs_.reserve(rows * value_width_));
    QKV_TRY(log_sums_.reserve(rows));
    QKV_TRY(decays_.reserve(rows));
    chunks_.slots = slots_.data();
    if (!hashes()) return {};
    hashed_ = std::clamp<Index>(hashes_at_once / hashes_, 1, length_);
    QKV_TRY(buckets_.reserve(options_.rounds * length_));
    QKV_TRY(counts_.reserve(options_.buckets));
    QKV_TRY(hash_.reserve(hashed_ * hashes_));
    return draw();
  }

  // The rotations, one row of D numbers for each hash.
  Status draw() {
    QKV_TRY(rotations_.reserve(hashes_ * width_));
    const ConstTensorView& given = options_.rotations;
    for (Index d = 0; d < width_; ++d) {
      for (Index hash = 0; hash < hashes_; ++hash) {
        rotations_[hash * width_ + d] =
            is_given(given)
                ? given.data[d * given.strides[0] + hash / half_ * given.strides[1] +
                             hash % half_ * given.strides[2]]
                : random::normal(options_.seed, d * hashes_ + hash, 1);
      }
    }
    return {};
  }

  Status run_head(Index head) {
    const ConstTensorView x = heads_.at(qk_, 2, head);
    QKV_TRY(side_by_side(x, x_memory_, x_rows_, x_step_));
    QKV_TRY(side_by_side(heads_.at(value_, 2, head), value_memory_, value_rows_, value_step_));
    output_ = heads_.at(result_, 2, head);
    if (hashes()) QKV_TRY(hash(x, head));
    if (output_.shape.elements() == 0) return {};
    over_rows(length_, copy_cost * width_, [&](Index t) { start(t); });
    for (Index round = 0; round < rounds_; ++round) {
      if (chunks_.before > 0) sort(buckets_.data() + round * length_);
      for (Index chunk = 0; chunk < count_of_chunks(); chunk += group_) {
        QKV_TRY(attend(chunk, std::min(group_, count_of_chunks() - chunk), round == 0));
      }
    }
    over_rows(length_, copy_cost * value_width_, [&](Index t) { finish(t); });
    return {};
  }

  void start(Index token) noexcept {
    const float* row = x_rows_ + token * x_step_;
    const double squares = 1e-6 * static_cast<double>(width_) + sum_of(width_, [&](Index d) {
                             return static_cast<double>(row[d]) * row[d];
                           });
    factors_[token] = static_cast<float>(1 / std::sqrt(squares));
    order_[token] = token;
    sums_[token] = 0;
  }

  // --- buckets -----------------------------------------------------------------------------------

  // Of all rounds.
  Status hash(const ConstTensorView& x, Index head) {
    for (Index first = 0; first < length_; first += hashed_) {
      const Index count = std::min(hashed_, length_ - first);
      QKV_TRY(try_linear({x.data + first * x.strides[0], {count, width_}, x.strides},
                         {rotations_.data(), {hashes_, width_}}, {},
                         {hash_.data(), {count, hashes_}}));
      over_rows(count, hashes_, [&](Index row) {
        for (Index round = 0; round < options_.rounds; ++round) {
          buckets_[round * length_ + first + row] =
              bucket_of(hash_.data() + row * hashes_ + round * half_, half_);
        }
      });
    }
    if (!options_.bucket_of) return {};
    const TensorView to = heads_.at(options_.bucket_of, 2, head);
    for (Index round = 0; round < options_.rounds; ++round) {
      for (Index t = 0; t < length_; ++t) {
        to.data[round * to.strides[0] + t * to.strides[1]] =
            static_cast<float>(buckets_[round * length_ + t]);
      }
    }
    return {};
  }

  // Counting keeps tokens of one bucket in their order.
  void sort(const Index* buckets) noexcept {
    std::fill_n(counts_.data(), counts_.size(), Index{0});
    for (Index t = 0; t < length_; ++t) ++counts_[buckets[t]];
    Index start = 0;
    for (Index bucket = 0; bucket < counts_.size(); ++bucket) {
      start += counts_[bucket];
      counts_[bucket] = start - counts_[bucket];
    }
    for (Index t = 0; t < length_; ++t) order_[counts_[buckets[t]]++] = t;
  }

  // --- chunks ------------------------------------------------------------------------------------

  Status attend(Index first, Index count, bool first_round) {
    const Index size = chunks_.size, before = chunks_.before, all = count_of_chunks();
    const Index rows = count * size, slots = rows + before;
    const Index start = before > 0 ? (first + all - 1) % all : first;
    for (Index slot = 0; slot < slots; ++slot) {
      const Index place = (start + slot / size) % all * size + slot % size;
      slots_[slot] = place < length_ ? order_[place] : length_;
    }
    over_rows(slots, copy_cost * (2 * width_ + value_width_), [&](Index slot) { gather(slot); });

    // Keys and values of neighbouring chunks overlap, which strides can say.
    const Index seen = size + before;
    AttentionOptions attention;
    attention.score = score::Dot{};
    attention.mask = chunk_mask(chunks_);
    attention.returns.log_sum_exp = {log_sums_.data(), {count, size}};
    QKV_TRY(try_attention({queries_.data(), {count, size, width_}},
                          {keys_.data(), {count, seen, width_}, {size * width_, width_, 1}},
                          {values_.data(),
                           {count, seen, value_width_},
                           {size * value_width_, value_width_, 1}},
                          {outputs_.data(), {count, size, value_width_}}, attention));
    join(rows, first_round);
    return {};
  }

  void gather(Index slot) noexcept {
    const Index token = slots_[slot];
    float* key = keys_.data() + slot * width_;
    float* value = values_.data() + slot * value_width_;
    float* query =
        slot < chunks_.before ? nullptr : queries_.data() + (slot - chunks_.before) * width_;
    if (token == length_) {
      std::fill_n(key, width_, 0.0f);
      std::fill_n(value, value_width_, 0.0f);
      if (query != nullptr) std::fill_n(query, width_, 0.0f);
      return;
    }
    const float* x = x_rows_ + token * x_step_;
    const float factor = factors_[token];
    for (Index d = 0; d < width_; ++d) key[d] = x[d] * factor;
    if (query != nullptr) std::copy_n(x, width_, query);
    std::copy_n(value_rows_ + token * value_step_, value_width_, value);
  }

  // Adds what tokens found in one round to what they found before. A sum of 0 says that a token has
  // found nothing yet, a log-sum of -infinity that this round shows it none but itself.
  void join(Index rows, bool first_round) noexcept {
    for (Index row = 0; row < rows; ++row) {
      const Index token = slots_[chunks_.before + row];
      const bool both = !first_round && token < length_ && sums_[token] != 0;
      const float difference = both ? log_sums_[row] - maxima_[token] : 0;
      decays_[row] = difference > 0 ? -difference : difference;
    }
    if (!first_round) kernels_.row_weights(decays_.data(), rows, 0, 1);  // e^x
    over_rows(rows, copy_cost * value_width_, [&](Index row) { join_row(row); });
  }

  void join_row(Index row) noexcept {
    const Index token = slots_[chunks_.before + row];
    const float log_sum = log_sums_[row];
    if (token == length_ || log_sum == -infinity) return;
    const float* found = outputs_.data() + row * value_width_;
    float* to = output_.data + token * output_.strides[0];
    const Index step = output_.strides[1];
    if (sums_[token] == 0) {
      maxima_[token] = log_sum;
      sums_[token] = 1;
      for (Index d = 0; d < value_width_; ++d) to[d * step] = found[d];
      return;
    }
    const bool larger = log_sum > maxima_[token];
    const float kept = larger ? decays_[row] : 1, added = larger ? 1 : decays_[row];
    if (larger) maxima_[token] = log_sum;
    sums_[token] = sums_[token] * kept + added;
    for (Index d = 0; d < value_width_; ++d) to[d * step] = to[d * step] * kept + found[d] * added;
  }

  void finish(Index token) noexcept {
    float* to = output_.data + token * output_.strides[0];
    const float sum = sums_[token];
    const float* own = value_rows_ + token * value_step_;
    for (Index d = 0; d < value_width_; ++d) {
      float& element = to[d * output_.strides[1]];
      element = sum == 0 ? own[d] : element / sum;
    }
  }

  const Kernels& kernels_;
  const Heads& heads_;
  const ConstTensorView &qk_, &value_;
  const TensorView& result_;
  const LshOptions& options_;
  const Index length_, width_, value_width_, half_;
  const Index hashes_;  // of one token: halves of the buckets of all rounds
  Index rounds_ = 1;    // of attention
  Index group_ = 1;     // chunks at once
  Index hashed_ = 1;    // tokens hashed at once
  Chunks chunks_;

  // Of the head at hand.
  const float *x_rows_ = nullptr, *value_rows_ = nullptr;
  Index x_step_ = 0, value_step_ = 0;
  TensorView output_;

  Buffer<float> x_memory_, value_memory_, rotations_, hash_, factors_, maxima_, sums_;
  Buffer<float> queries_, keys_, values_, outputs_, log_sums_, decays_;
  Buffer<Index> buckets_, counts_, order_, slots_;
};

Status check(const ConstTensorView& qk, const ConstTensorView& value, const TensorView& result,
             const LshOptions& options, Heads& heads) {
  QKV_TRY(heads.add("qk", qk, 2));
  QKV_TRY(heads.add("value", value, 2));
  const Index length = qk.shape.back(1), width = qk.shape.back(0);
  if (value.shape.back(1) != length) {
    return shape_error("qk and value differ in length: ", length, " tokens in ", qk.shape, " and ",
                       value.shape.back(1), " in ", value.shape);
  }
  if (options.buckets < 2 || options.buckets % 2 != 0) {
    return argument_error("buckets: expected an even number of 2 or more, saw ", options.buckets);
  }
  if (options.chunk_size < 1) {
    return argument_error("chunkSize: expected 1 or more, saw ", options.chunk_size);
  }
  if (options.rounds < 1) return argument_error("rounds: expected 1 or more, saw ", options.rounds);
  const Index half = options.buckets / 2;
  if (Shape{options.rounds, half, std::max<Index>(width, 1)}.elements() < 0 ||
      Shape{options.rounds, length}.elements() < 0) {
    return argument_error("rotations of ", options.rounds, " rounds and ", options.buckets,
                          " buckets are not possible");
  }
  if (is_given(options.rotations)) {
    QKV_TRY(check_shape("rotations", options.rotations, {width, options.rounds, half}));
  }
  QKV_TRY(check_result(result, heads.with(length, value.shape.back(0))));
  if (!options.bucket_of) return {};
  return check_shape("bucket_of", options.bucket_of, heads.with(options.rounds, length));
}

LshOptions options_of(const double* parameters) {
  LshOptions options;
  options.buckets = static_cast<Index>(parameters[0]);
  options.chunk_size = static_cast<Index>(parameters[1]);
  options.rounds = static_cast<Index>(parameters[2]);
  options.seed = static_cast<std::uint64_t>(parameters[3]);
  return options;
}

MechanismCost cost(Index n, Index d, const double* parameters) {
  const double tokens = static_cast<double>(n), width = static_cast<double>(d);
  const double buckets = parameters[0], chunk = parameters[1], rounds = parameters[2];
  const bool whole = tokens <= 2 * chunk;
  const double size = whole ? tokens : chunk, seen = whole ? tokens : 2 * chunk;
  const double rows = std::min(tokens, std::max(size, static_cast<double>(rows_at_once)));
  const double hashes = whole ? 0 : rounds * buckets / 2;
  MechanismCost cost;
  cost.multiply_adds =
      tokens * width * (hashes + 2 * seen * (whole ? 1 : rounds));
  // Of each token, of the chunks at hand (rows, packed keys), of the hashes at hand.
  cost.bytes = tokens * (20 + (whole ? 0 : 8 * rounds)) +
               rows * (12 + 4 * width * (4 + (whole ? 1 : 2))) +
               4 * hashes * width + 4 * std::min<double>(hashes * tokens, hashes_at_once);
  return cost;
}

constexpr const char* weight_names[] = {"rotations"};

Status draw(Index, Index d, const double* parameters, Tensor* weights) {
  const LshOptions options = options_of(parameters);
  return drawn::normal(parameters[3], 0, {d, options.rounds, options.buckets / 2}, 1, weights[0]);
}

Status run(const ConstTensorView& x, const double* parameters, const ConstTensorView* weights,
           const TensorView& result) {
  LshOptions options = options_of(parameters);
  options.rotations = weights[0];
  return try_lsh_attention(x, x, result, options);
}

constexpr MechanismParameter parameters[] = {
    {"buckets", 64, 2}, {"chunkSize", 64, 1}, {"rounds", 2, 1}, {"seed", 1, 0}};

}  // namespace

Status try_lsh_attention(const ConstTensorView& qk, const ConstTensorView& value,
                         const TensorView& result, const LshOptions& options) noexcept {
  return guarded([&]() -> Status {
    Heads heads;
    QKV_TRY(check(qk, value, result, options, heads));
    const Kernels* kernels = nullptr;
    QKV_TRY(active_kernels(kernels));
    return Reformer(*kernels, heads, qk, value, result, options).run();
  });
}

const Mechanism catalogue::reformer = {
    .name = "reformer",
    .title = "Reformer",
    .paper = "Kitaev, Kaiser and Levskaya 2020, arXiv:2001.04451",
    .year = 2020,
    .family = Family::content,
    .exact = false,
    .causal = true,
    .time = "rounds n (chunkSize + buckets) d",
    .memory = "rounds n",
    .trap = "Nothing tests that two tokens of a chunk share a bucket: a bucket longer than a "
            "chunk is torn, and short ones are mixed.",
    .parameters = parameters,
    .weights = weight_names,
    .cost = cost,
    .draw = draw,
    .run = run,
};

}  // namespace qkv
