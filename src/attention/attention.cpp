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

// Heads are prepared as many at a time as memory allows; their bands then run in any order.
Status run(const Problem& problem, const Kernels& kernels) noexcept {
  OperandStore store(problem, kernels);
  QKV_TRY(store.reserve());
  const int workers = worker_limit();
  const Index scratch = BandScratch::floats(problem, kernels);
  Buffer<float> memory;
  QKV_TRY(memory.reserve(scratch * workers));

  const Index bands = ceil_div(problem.query_length, tile_size);
  for (Index first = 0; first < store.count(); first += store.capacity()) {
    const Index heads = std::min(store.capacity(), store.count() - first);
    store.prepare(first, heads);
    parallel_for(heads * problem.group * bands, workers, [&](Index item, int worker) {
      const Index number = first + item / (problem.group * bands);
      const Index in_group = item / bands % problem.group;
      const Index batch = number / problem.kv_heads;
      const Index head = number % problem.kv_heads * problem.group + in_group;
      run_band(problem, kernels, store, store.at(number), batch, head, item % bands * tile_size,
               memory.data() + worker * scratch);
    });
  }
  return {};
}

}  // namespace

Status try_attention(const ConstTensorView& query, const ConstTensorView& key,
                     const ConstTensorView& value, const TensorView& result,
                     const AttentionOptions& options) noexcept {
  return guarded([&]() -> Status {
    const Kernels* kernels = nullptr;
    QKV_TRY(active_kernels(kernels));
    Problem problem;
    QKV_TRY(resolve(query, key, value, result, options, problem));
    return run(problem, *kernels);
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
