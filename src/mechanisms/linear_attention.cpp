#include "qkv/linear_attention.hpp"

#include <algorithm>

#include "backend.hpp"
#include "mechanisms/linear_blocks.hpp"
#include "text.hpp"
#include "threads/pool.hpp"

namespace qkv {
namespace {

constexpr Index least_range = 1024, most_ranges = 16;

// Tokens are summed in ranges, which are then added in order. How long they are depends on the
// number of tokens alone, and so does every bit.
class Ranges {
 public:
  explicit Ranges(Index tokens) noexcept
      : tokens_(tokens),
        length_(std::max(least_range,
                         ceil_div(ceil_div(tokens, most_ranges), panel_block) * panel_block)) {}
  Index count() const noexcept { return ceil_div(tokens_, length_); }
  Index first(Index range) const noexcept { return std::min(range * length_, tokens_); }

 private:
  Index tokens_, length_;
};

class Run {
 public:
  Run(const Kernels& kernels, const LinearCall& call, const Features& features) noexcept
      : call_(call),
        features_(features),
        blocks_(kernels, call, features),
        layout_(blocks_.layout()),
        key_ranges_(call.keys()),
        query_ranges_(call.queries()) {}

  Status run() noexcept {
    // More than any memory holds; below it, products of sizes cannot overflow.
    const double width = static_cast<double>(layout_.width) + 64;
    const double features = static_cast<double>(layout_.features) + 64;
    if (width * features > 1e12) return out_of_memory(INT64_MAX);
    const Index sums_heads = call_.sums_heads.count();
    workers_ = workers_for(multiply_adds());
    scratch_floats_ = LinearScratch().lay(nullptr, layout_, features_);
    QKV_TRY(scratch_.reserve(scratch_floats_ * workers_));
    QKV_TRY(group_heads());
    const Index pieces = key_ranges_.count() + query_ranges_.count();
    if (sums_heads < workers_ && pieces > 2) return run_split();
    parallel_for(sums_heads, workers_, [&](Index head, int worker) { run_head(head, worker); });
    return {};
  }

 private:
  double multiply_adds() const noexcept {
    const double tokens = static_cast<double>(call_.heads.count()) * call_.queries() +
                          static_cast<double>(call_.sums_heads.count()) * call_.keys();
    return tokens * (static_cast<double>(layout_.features) * layout_.width + features_.cost());
  }

  // Which query heads read which sums: those of a head are members_[first_member_[head] ...].
  Status group_heads() noexcept {
    const Index sums_heads = call_.sums_heads.count(), heads = call_.heads.count();
    Buffer<float> marks;  // only its addresses matter
    QKV_TRY(marks.reserve(sums_heads));
    QKV_TRY(owner_.reserve(heads));
    QKV_TRY(members_.reserve(heads));
    QKV_TRY(first_member_.reserve(sums_heads + 1));
    std::fill_n(first_member_.data(), sums_heads + 1, 0);
    const ConstTensorView all(marks.data(), call_.sums_heads.with(1, 1));
    for (Index head = 0; head < heads; ++head) {
      owner_[head] = call_.heads.at(all, 2, head).data - marks.data();
      ++first_member_[owner_[head]];
    }
    for (Index h = 0; h < sums_heads; ++h) first_member_[h + 1] += first_member_[h];
    for (Index head = heads - 1; head >= 0; --head) members_[--first_member_[owner_[head]]] = head;
    return {};
  }

  std::span<const Index> members(Index head) const noexcept {
    const Index first = first_member_[head];
    return {members_.data() + first, static_cast<std::size_t>(first_member_[head + 1] - first)};
  }

  LinearScratch scratch(int worker) noexcept {
    LinearScratch scratch;
    scratch.lay(scratch_.data() + worker * scratch_floats_, layout_, features_);
    return scratch;
  }
  Sums sums(float* memory) const noexcept { return {layout_, memory}; }

  // One head by itself.
  void run_head(Index head, int worker) noexcept {
    LinearScratch s = scratch(worker);
    const Sums past = sums(s.past), recent = sums(s.recent);
    start(head, past);
    if (features_.is_softmax()) {
      blocks_.find_tops(head, 0, call_.keys(), s.shift);
      blocks_.settle_tops(s.shift);
    }
    for (Index range = 0; range < key_ranges_.count(); ++range) {
      recent.clear(features_.is_favor());
      if (causal_) {
        run_causal(head, range, past, recent, s);
      } else {
        sum(head, range, recent, features_.is_softmax() ? s.shift : nullptr, s);
      }
      past.join(past, recent);
    }
    finish(head, past);
    if (causal_) return;
    for (const Index member : members(head)) blocks_.answer(member, 0, call_.queries(), past, s);
  }

  void sum(Index head, Index range, const Sums& to, const float* shift,
           LinearScratch& s) const noexcept {
    blocks_.sum(head, key_ranges_.first(range), key_ranges_.first(range + 1), to, shift, s);
  }
  void run_causal(Index head, Index range, const Sums& past, const Sums& recent,
                  LinearScratch& s) const noexcept {
    blocks_.run_causal(head, members(head), key_ranges_.first(range), key_ranges_.first(range + 1),
                       past, recent, s);
  }

  // Fewer heads than threads: their ranges are shared out. Sums are added in the same order.
  Status run_split() noexcept {
    const Index heads = call_.sums_heads.count(), ranges = key_ranges_.count();
    const Index floats = layout_.floats(), slots = ranges + 1;
    QKV_TRY(ranges_memory_.reserve(heads * slots * floats));
    // The sums before each range, in the end.
    const auto slot = [&](Index head, Index range) {
      return sums(ranges_memory_.data() + (head * slots + range) * floats);
    };
    if (features_.is_softmax()) QKV_TRY(find_all_tops());
    parallel_for(heads * ranges, workers_, [&](Index item, int worker) {
      const Index head = item / ranges, range = item % ranges;
      const Sums own = slot(head, range + 1);
      own.clear(features_.is_favor());
      LinearScratch s = scratch(worker);
      const bool softmax = features_.is_softmax();
      sum(head, range, own, softmax ? tops_.data() + head * ranges * layout_.features : nullptr, s);
    });
    for (Index head = 0; head < heads; ++head) {
      start(head, slot(head, 0));
      for (Index range = 0; range < ranges; ++range) {
        slot(head, range + 1).join(slot(head, range), slot(head, range + 1));
      }
      finish(head, slot(head, ranges));
    }
    if (causal_) {
      parallel_for(heads * ranges, workers_, [&](Index item, int worker) {
        const Index head = item / ranges, range = item % ranges;
        LinearScratch s = scratch(worker);
        const Sums recent = sums(s.recent);
        recent.clear(features_.is_favor());
        run_causal(head, range, slot(head, range), recent, s);
      });
      return {};
    }
    const Index bands = query_ranges_.count();
    parallel_for(call_.heads.count() * bands, workers_, [&](Index item, int worker) {
      const Index head = item / bands, band = item % bands;
      LinearScratch s = scratch(worker);
      blocks_.answer(head, query_ranges_.first(band), query_ranges_.first(band + 1),
                     slot(owner_[head], ranges), s);
    });
    return {};
  }

  void start(Index head, const Sums& past) const noexcept {
    const ConstTensorView& state = call_.options.state;
    if (!is_given(state)) return past.clear(features_.is_favor());
    past.read(call_.sums_heads.at(state, 2, head), features_.is_favor());
  }

  void finish(Index head, const Sums& past) const noexcept {
    if (features_.is_softmax()) past.divide();
    const TensorView& state = call_.options.next_state;
    if (is_given(state)) past.write(call_.sums_heads.at(state, 2, head), features_.is_favor());
  }

  Status find_all_tops() noexcept {
    const Index heads = call_.sums_heads.count(), ranges = key_ranges_.count();
    const Index features = layout_.features;
    QKV_TRY(tops_.reserve(heads * ranges * features));
    parallel_for(heads * ranges, workers_, [&](Index item, int) {
      const Index range = item % ranges;
      blocks_.find_tops(item / ranges, key_ranges_.first(range), key_ranges_.first(range + 1),
                        tops_.data() + item * features);
    });
    for (Index head = 0; head < heads; ++head) {
      float* tops = tops_.data() + head * ranges * features;
      for (Index i = features; i < ranges * features; ++i) {
        float& top = tops[i % features];
        top = tops[i] > top ? tops[i] : top;
      }
      if (ranges > 0) blocks_.settle_tops(tops);
    }
    return {};
  }

  const LinearCall& call_;
  const Features& features_;
  const LinearBlocks blocks_;
  const SumsLayout& layout_;
  const bool causal_ = call_.options.causal;
  const Ranges key_ranges_, query_ranges_;
  int workers_ = 1;
  Index scratch_floats_ = 0;
  Buffer<float> scratch_, ranges_memory_, tops_;
  Buffer<Index> owner_, members_, first_member_;
};

}  // namespace

Status linear_state_shape(const ConstTensorView& query, const ConstTensorView& key,
                          const ConstTensorView& value, const LinearAttentionOptions& options,
                          Shape& shape) noexcept {
  return guarded([&]() -> Status {
    const TensorView none;
    LinearCall call{query, key, value, none, options, {}, {}, {}};
    Shape result;
    QKV_TRY(attention_shape(query, key, value, result));
    for (const ConstTensorView* view : {&query, &key, &value}) {
      QKV_TRY(call.heads.add("leading axes", *view, 2));
    }
    QKV_TRY(call.add_sums_heads());
    return call.state_shape(shape);
  });
}

Status try_linear_attention(const ConstTensorView& query, const ConstTensorView& key,
                            const ConstTensorView& value, const TensorView& result,
                            const LinearAttentionOptions& options) noexcept {
  return guarded([&]() -> Status {
    const Kernels* kernels = nullptr;
    QKV_TRY(active_kernels(kernels));
    LinearCall call{query, key, value, result, options, {}, {}, {}};
    QKV_TRY(call.check());
    if (result.shape.elements() == 0 && !is_given(options.next_state)) return {};
    Features features;
    QKV_TRY(features.prepare(*kernels, options.feature_map, key.shape.back(0)));
    return Run(*kernels, call, features).run();
  });
}

}  // namespace qkv
