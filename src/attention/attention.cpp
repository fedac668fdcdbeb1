#include "qkv/attention.hpp"

#include <algorithm>

#include "attention/band.hpp"
#include "attention/operands.hpp"
#include "attention/problem.hpp"
#include "backend.hpp"
#include "memory.hpp"
#include "text.hpp"
#include "threads/pool.hpp"

namespace qkv {
namespace {

// With fewer bands than this a head leaves threads idle: its keys are then split as well. Neither the
// number of threads nor that of heads decides, as the result must depend on neither.
constexpr Index enough_pieces = 8;
constexpr Index least_tiles = 8;  // of a piece: merging must cost little

// Of a call without a mask; a mask's share is not known beforehand.
double multiply_adds(const Problem& problem) noexcept {
  return static_cast<double>(problem.batch * problem.heads) * problem.query_length *
         problem.key_length * (problem.score_width + problem.value_width);
}

// Ranges into which the keys of a band are split.
Index ranges_for(const Problem& problem) noexcept {
  const Index bands = ceil_div(problem.query_length, tile_size);
  if (bands == 0 || problem.picks_one()) return 1;
  return std::clamp<Index>(problem.key_tiles() / least_tiles, 1, ceil_div(enough_pieces, bands));
}

class Run {
 public:
  Run(const Problem& problem, const Kernels& kernels) noexcept
      : problem_(problem),
        kernels_(kernels),
        workers_(workers_for(multiply_adds(problem))),
        store_(problem, kernels, workers_),
        bands_(ceil_div(problem.query_length, tile_size)),
        ranges_(ranges_for(problem)) {}

  // Heads are prepared as many at a time as memory allows; their bands then run in any order.
  Status run() noexcept {
    QKV_TRY(store_.reserve());
    QKV_TRY(scratch_.reserve(scratch_floats_ * workers_));
    const Index bands_of_head = problem_.group * bands_;
    if (ranges_ > 1) {
      QKV_TRY(partials_.reserve(std::min(store_.capacity(), store_.count()) * bands_of_head *
                                ranges_ * partial_floats_));
    }
    for (Index first = 0; first < store_.count(); first += store_.capacity()) {
      const Index heads = std::min(store_.capacity(), store_.count() - first);
      store_.prepare(first, heads);
      parallel_for(heads * bands_of_head * ranges_, workers_, [&](Index item, int worker) {
        run_piece(first, item / ranges_, item % ranges_, worker);
      });
      if (ranges_ == 1) continue;
      parallel_for(heads * bands_of_head, workers_, [&](Index item, int worker) {
        merge(first, item, worker);
      });
    }
    return {};
  }

 private:
  // The item-th band of the heads from `first` on; its key/value head goes to `number`.
  Band band_of(Index first, Index item, Index& number) const noexcept {
    number = first + item / (problem_.group * bands_);
    const Index in_group = item / bands_ % problem_.group, at = item % bands_ * tile_size;
    return {number / problem_.kv_heads,
            number % problem_.kv_heads * problem_.group + in_group, at,
            std::min(tile_size, problem_.query_length - at)};
  }

  float* partial(Index item, Index range) noexcept {
    return partials_.data() + (item * ranges_ + range) * partial_floats_;
  }
  float* scratch(int worker) noexcept { return scratch_.data() + worker * scratch_floats_; }

  void run_piece(Index first, Index item, Index range, int worker) noexcept {
    Index number;
    const Band band = band_of(first, item, number);
    const Operands operands = store_.at(number);
    if (ranges_ == 1) {
      return run_band(problem_, kernels_, store_, operands, band, scratch(worker));
    }
    const Index tiles = problem_.key_tiles();
    run_band(problem_, kernels_, store_, operands, band,
             {range * tiles / ranges_, (range + 1) * tiles / ranges_},
             Partial(partial(item, range)), scratch(worker));
  }

  void merge(Index first, Index item, int worker) noexcept {
    Index number;
    const Band band = band_of(first, item, number);
    merge_band(problem_, kernels_, store_, store_.at(number), band, partial(item, 0), ranges_,
               scratch(worker));
  }

  const Problem& problem_;
  const Kernels& kernels_;
  const int workers_;  // for the whole call, whatever set_threads does meanwhile
  OperandStore store_;
  const Index bands_;   // of a query head
  const Index ranges_;  // of keys, of each band
  const Index scratch_floats_ = BandScratch::floats(problem_, kernels_);
  const Index partial_floats_ = Partial::floats(problem_.value_width);
  Buffer<float> scratch_, partials_;
};

}  // namespace

Status try_attention(const ConstTensorView& query, const ConstTensorView& key,
                     const ConstTensorView& value, const TensorView& result,
                     const AttentionOptions& options) noexcept {
  return guarded([&]() -> Status {
    const Kernels* kernels = nullptr;
    QKV_TRY(active_kernels(kernels));
    Problem problem;
    QKV_TRY(resolve(query, key, value, result, options, problem));
    return Run(problem, *kernels).run();
  });
}

Status attention_shape(const ConstTensorView& query, const ConstTensorView& key,
                       const ConstTensorView& value, Shape& shape) noexcept {
  return guarded([&]() -> Status {
    Problem problem;
    return resolve_shapes(query, key, value, problem, shape);
  });
}

}  // namespace qkv
