// Callers on several threads at once. ThreadSanitizer runs these tests.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "qkv/layers.hpp"
#include "qkv/position.hpp"
#include "support/attend.hpp"
#include "support/settings.hpp"

namespace qkv::test {
namespace {

// Runs body(caller) on every caller's own thread, all let go at once.
template <class Body>
void run_at_once(int callers, const Body& body) {
  std::atomic<int> waiting{callers};
  std::vector<std::thread> threads;
  for (int caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&, caller] {
      waiting.fetch_sub(1);
      while (waiting.load() > 0) std::this_thread::yield();
      body(caller);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Concurrency, CallersDoNotDisturbOneAnother) {
  const KeepThreads keep;
  constexpr int callers = 4;
  std::vector<PlainCall> calls;
  std::vector<Results<float>> want;
  for (int caller = 0; caller < callers; ++caller) {
    PlainCall call = sized(70 + 30 * caller, 90, 8, 5);
    call.batch = 2;
    call.heads = call.kv_heads = 2;
    call.hidden = 6;
    call.score = caller == 1 ? ScoreKind::additive : ScoreKind::scaled_dot;
    if (caller == 2) call.mask = mask::all_of({mask::causal(), mask::random(20, 3)});
    fill(call, static_cast<std::uint64_t>(caller));
    calls.push_back(call);
    want.push_back(attend(call));
  }
  for (const int count : {1, 3}) {
    ASSERT_TRUE(ok(try_set_threads(count)));
    run_at_once(callers, [&](int caller) {
      for (int round = 0; round < 10; ++round) {
        EXPECT_TRUE(same_bits(attend(calls[static_cast<std::size_t>(caller)]),
                              want[static_cast<std::size_t>(caller)]));
      }
    });
  }
}

// One mask, one layer and one input, used by all callers.
TEST(Concurrency, SharedObjects) {
  const KeepThreads keep;
  ASSERT_TRUE(ok(try_set_threads(2)));
  MultiHeadConfig config;
  config.embed_dim = 16;
  config.num_heads = 4;
  MultiHeadAttention layer;
  ASSERT_TRUE(ok(MultiHeadAttention::create(config, layer)));
  const std::vector<float> x = Numbers(1).list(2 * 80 * 16);
  const ConstTensorView view(x.data(), {2, 80, 16});
  LayerOptions options;
  options.mask = mask::any_of({mask::window(3, 3), mask::random(5, 1), mask::global({0, 50})});
  std::vector<float> want(x.size());
  ASSERT_TRUE(ok(layer.try_forward(view, view, view, {want.data(), view.shape}, options)));
  run_at_once(4, [&](int) {
    for (int round = 0; round < 5; ++round) {
      std::vector<float> got(x.size()), rotated(x.size());
      EXPECT_TRUE(ok(layer.try_forward(view, view, view, {got.data(), view.shape}, options)));
      EXPECT_TRUE(same_bits(got, want));
      EXPECT_TRUE(ok(position::try_rotary(view, {}, {rotated.data(), view.shape})));
      MaskStats stats;
      EXPECT_TRUE(ok(try_mask_stats(options.mask, {80, 80, 1, 1}, stats)));
      EXPECT_FALSE(try_attention(view, view, {x.data(), {2, 79, 16}}, {got.data(), view.shape}).ok());
    }
  });
}

// The number of threads may change while calls run; they finish with what they began with.
TEST(Concurrency, ThreadsMaySetWhileCallsRun) {
  const KeepThreads keep;
  PlainCall call = sized(130, 150, 8, 5);
  call.score = ScoreKind::additive;
  call.hidden = 6;
  call.heads = call.kv_heads = 3;
  fill(call, 1);
  const Results<float> want = attend(call);
  std::atomic<bool> done{false};
  std::thread changer([&] {
    for (int count = 1; !done; count = count % 7 + 1) EXPECT_TRUE(ok(try_set_threads(count)));
  });
  run_at_once(2, [&](int) {
    for (int round = 0; round < 40; ++round) EXPECT_TRUE(same_bits(attend(call), want));
  });
  done = true;
  changer.join();
}

}  // namespace
}  // namespace qkv::test
