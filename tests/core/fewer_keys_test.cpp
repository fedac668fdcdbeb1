// Linformer and memory-compressed attention: the shorter keys and values in double precision from
// the definitions, then the reference of exact attention.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanisms/catalogue.hpp"
#include "qkv/fewer_keys.hpp"
#include "reference.hpp"
#include "support/agree.hpp"
#include "support/placed.hpp"
#include "support/settings.hpp"
#include "support/sweep.hpp"
#include "support/threads.hpp"
#include "support/values.hpp"

namespace qkv::test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// Multiples of 1/8: sums of their products are exact, so that the shorter keys are the same float32
// numbers however they are added up.
PlainCall grid_call(Index batch, Index heads, Index kv_heads, Index queries, Index keys,
                    std::uint64_t seed) {
  PlainCall call = sized(queries, keys, 8, 5);
  call.batch = batch;
  call.heads = heads;
  call.kv_heads = kv_heads;
  Numbers numbers(seed);
  call.query = numbers.grid(batch * heads * queries * 8);
  call.key = numbers.grid(batch * kv_heads * keys * 8);
  call.value = numbers.grid(batch * kv_heads * keys * 5);
  return call;
}

struct Placings {
  Layout in = Layout::row_major, out = Layout::row_major;
};

// Runs body(query, key, value, result) with the operands of a call.
template <class Body>
std::vector<float> run(const PlainCall& call, Placings layout, const Body& body) {
  const Placed query({call.batch, call.heads, call.queries, call.width}, call.query, layout.in);
  const Placed key({call.batch, call.kv_heads, call.keys, call.width}, call.key, layout.in);
  const Placed value({call.batch, call.kv_heads, call.keys, call.value_width}, call.value,
                     layout.in);
  Placed result({call.batch, call.heads, call.queries, call.value_width}, layout.out, 9);
  EXPECT_TRUE(ok(body(query.view(), key.view(), value.view(), result.view())));
  EXPECT_TRUE(result.gaps_untouched());
  return result.values();
}

// --- Linformer ------------------------------------------------------------------------------------

// Projections [heads or 1, count, keys].
struct Projections {
  Index count = 0;
  bool of_heads = false;
  std::vector<float> keys, values;
};

Projections projections(const PlainCall& call, Index count, bool of_heads, std::uint64_t seed) {
  Numbers numbers(seed);
  const Index size = (of_heads ? call.heads : 1) * count * call.keys;
  Projections p{count, of_heads, numbers.grid(size), numbers.grid(size)};
  // So small that weights do not come down to one key; a power of two, which keeps sums exact.
  for (float& x : p.keys) x /= 16;
  for (float& x : p.values) x /= 4;
  return p;
}

std::vector<float> linformer(const PlainCall& call, const Projections& p, Placings layout = {}) {
  const Shape own{p.count, call.keys}, of_heads{call.heads, p.count, call.keys};
  const Shape& shape = p.of_heads ? of_heads : own;
  const Placed keys(shape, p.keys, layout.in), values(shape, p.values, layout.in);
  LinformerOptions options;
  options.key_projection = keys.view();
  options.value_projection = values.view();
  return run(call, layout, [&](const auto& q, const auto& k, const auto& v, const auto& result) {
    return try_linformer(q, k, v, result, options);
  });
}

// E K for every query head.
std::vector<float> projected(const PlainCall& call, const Projections& p,
                             const std::vector<float>& projection, const std::vector<float>& rows,
                             Index width) {
  std::vector<float> result;
  for (Index n = 0; n < call.batch * call.heads; ++n) {
    const Index head = n % call.heads, group = call.heads / call.kv_heads;
    const Index kv = n / call.heads * call.kv_heads + head / group;
    for (Index i = 0; i < p.count; ++i) {
      for (Index d = 0; d < width; ++d) {
        double sum = 0;
        for (Index j = 0; j < call.keys; ++j) {
          const Index row = (p.of_heads ? head * p.count : 0) + i;
          sum += static_cast<double>(projection[row * call.keys + j]) *
                 rows[(kv * call.keys + j) * width + d];
        }
        result.push_back(static_cast<float>(sum));
      }
    }
  }
  return result;
}

std::vector<double> want(const PlainCall& call, const Projections& p) {
  PlainCall shorter = call;
  shorter.keys = p.count;
  shorter.kv_heads = call.heads;
  shorter.key = projected(call, p, p.keys, call.key, call.width);
  shorter.value = projected(call, p, p.values, call.value, call.value_width);
  return reference(shorter).output;
}

TEST(Linformer, ProjectsKeysAndValues) {
  std::uint64_t seed = 1;
  for (const Index queries : {1, 7, 65}) {
    for (const Index keys : {1, 7, 63, 64, 65, 130}) {
      for (const Index count : {1, 3, 16, 70}) {
        const PlainCall call = grid_call(1, 1, 1, queries, keys, ++seed);
        const Projections p = projections(call, count, false, ++seed);
        ASSERT_TRUE(agree(linformer(call, p), want(call, p)))
            << queries << " " << keys << " " << count;
      }
    }
  }
}

TEST(Linformer, EveryBackendHeadsAndStrides) {
  const KeepBackend keep;
  for (const bool of_heads : {false, true}) {
    const PlainCall call = grid_call(2, 4, 2, 9, 50, 2);
    const Projections p = projections(call, 10, of_heads, 3);
    const std::vector<double> truth = want(call, p);
    for (const std::string_view name : backends()) {
      ASSERT_TRUE(ok(try_set_backend(name)));
      for (const Layout in : layouts) {
        for (const Layout out : layouts) {
          ASSERT_TRUE(agree(linformer(call, p, {in, out}), truth)) << name;
        }
      }
    }
  }
}

TEST(Linformer, TheIdentityIsExactAttention) {
  const PlainCall call = random_call(70, 65, 8, 5, 4);
  std::vector<float> identity(65 * 65);
  for (std::size_t i = 0; i < 65; ++i) identity[i * 66] = 1;
  EXPECT_TRUE(agree(linformer(call, {65, false, identity, identity}), attend(call).output));
}

TEST(Linformer, OneProjectionServesBoth) {
  const PlainCall call = grid_call(1, 2, 1, 20, 30, 5);
  Projections p = projections(call, 6, false, 6);
  p.values = p.keys;
  LinformerOptions options;
  options.key_projection = {p.keys.data(), {6, 30}};
  const std::vector<float> got =
      run(call, {}, [&](const auto& q, const auto& k, const auto& v, const auto& result) {
        return try_linformer(q, k, v, result, options);
      });
  EXPECT_TRUE(same_bits(got, linformer(call, p)));
}

// Rows of a projection that sum to 1 keep ones.
TEST(Linformer, MeansOfOnesAreOnes) {
  PlainCall call = grid_call(1, 1, 1, 20, 32, 7);
  std::fill(call.value.begin(), call.value.end(), 1.0f);
  const std::vector<float> mean(4 * 32, 1.0f / 32);
  for (const float x : linformer(call, {4, false, mean, mean})) EXPECT_NEAR(x, 1, 1e-6);
}

TEST(Linformer, SameBitsOnAnyThreads) {
  const PlainCall call = grid_call(2, 4, 4, 200, 300, 8);
  const Projections p = projections(call, 32, true, 9);
  expect_same_on_any_threads([&] { return linformer(call, p); });
}

TEST(Linformer, NothingToDo) {
  const auto empty = [](Index heads, Index queries, Index keys, Index count) {
    const PlainCall call = grid_call(1, heads, heads, queries, keys, 1);
    return linformer(call, projections(call, count, false, 2));
  };
  EXPECT_EQ(empty(1, 0, 5, 2), std::vector<float>());
  EXPECT_EQ(empty(0, 5, 5, 2), std::vector<float>());
  EXPECT_EQ(empty(1, 3, 5, 0), std::vector<float>(15, 0.0f));
  EXPECT_EQ(empty(1, 3, 0, 2), std::vector<float>(15, 0.0f));
}

TEST(Linformer, RefusesWhatDoesNotFit) {
  const float numbers[64] = {};
  Placed result({3, 4}, Layout::row_major, 9);
  const ConstTensorView x(numbers, {3, 4});
  const auto call = [&](const ConstTensorView& keys, const ConstTensorView& values) {
    LinformerOptions options;
    options.key_projection = keys;
    options.value_projection = values;
    return try_linformer(x, x, x, result.view(), options);
  };
  EXPECT_TRUE(refused(call({}, {}), ErrorCode::argument, {"keyProjection", "none"}));
  EXPECT_TRUE(refused(call({numbers, {2, 4}}, {}), ErrorCode::shape,
                      {"keyProjection", "3", "[2, 4]"}));
  EXPECT_TRUE(refused(call({numbers, {3}}, {}), ErrorCode::shape, {"keyProjection", "rank 1"}));
  EXPECT_TRUE(refused(call({numbers, {2, 3}}, {numbers, {4, 3}}), ErrorCode::shape,
                      {"valueProjection", "2", "4"}));
  EXPECT_TRUE(refused(call({numbers, {2, 3}}, {numbers, {2, 2, 3}}), ErrorCode::shape,
                      {"valueProjection", "[2, 2, 3]"}));
  EXPECT_TRUE(result.untouched());
  EXPECT_TRUE(ok(call({numbers, {2, 3}}, {})));
}

// --- memory-compressed attention ------------------------------------------------------------------

// Kernels [heads or 1, width, width, size].
struct Kernels3 {
  Index stride = 1, size = 1;
  bool causal = false, null = false, of_heads = false;
  std::vector<float> keys, values, null_key, null_value;
};

Kernels3 kernels(const PlainCall& call, Index stride, Index size, bool causal, bool null,
                 bool of_heads, std::uint64_t seed) {
  Numbers numbers(seed);
  const Index heads = of_heads ? call.heads : 1;
  Kernels3 k{stride, size, causal, null, of_heads, numbers.grid(heads * 64 * size),
             numbers.grid(heads * 25 * size), numbers.grid(8), numbers.grid(5)};
  for (float& x : k.keys) x /= 8;
  for (float& x : k.values) x /= 4;
  return k;
}

std::vector<float> compressed(const PlainCall& call, const Kernels3& k, Placings layout = {}) {
  const auto shape = [&](Index width) {
    return k.of_heads ? Shape{call.heads, width, width, k.size} : Shape{width, width, k.size};
  };
  const Placed keys(shape(8), k.keys, layout.in), values(shape(5), k.values, layout.in);
  const Placed null_key({8}, k.null_key, layout.in), null_value({5}, k.null_value, layout.in);
  CompressedOptions options;
  options.stride = k.stride;
  options.kernel_size = k.size;
  options.key_kernel = keys.view();
  options.value_kernel = values.view();
  if (k.null) {
    options.null_key = null_key.view();
    options.null_value = null_value.view();
  }
  options.causal = k.causal;
  return run(call, layout, [&](const auto& q, const auto& key, const auto& v, const auto& result) {
    return try_compressed_attention(q, key, v, result, options);
  });
}

Index window_count(const PlainCall& call, const Kernels3& k) {
  return (call.keys + k.stride - 1) / k.stride;
}
Index last_key(const PlainCall& call, const Kernels3& k, Index window) {
  return call.keys - 1 - (window_count(call, k) - 1 - window) * k.stride;
}

// Every window of every query head, the null one in front.
std::vector<float> convolved(const PlainCall& call, const Kernels3& k,
                             const std::vector<float>& kernel, const std::vector<float>& null,
                             const std::vector<float>& rows, Index width) {
  std::vector<float> result;
  for (Index n = 0; n < call.batch * call.heads; ++n) {
    const Index head = n % call.heads, group = call.heads / call.kv_heads;
    const Index kv = n / call.heads * call.kv_heads + head / group;
    if (k.null) result.insert(result.end(), null.begin(), null.end());
    for (Index w = 0; w < window_count(call, k); ++w) {
      for (Index out = 0; out < width; ++out) {
        double sum = 0;
        for (Index t = 0; t < k.size; ++t) {
          const Index j = last_key(call, k, w) - k.size + 1 + t;
          if (j < 0) continue;
          for (Index in = 0; in < width; ++in) {
            const Index row = (k.of_heads ? head * width : 0) + out;
            sum += static_cast<double>(kernel[(row * width + in) * k.size + t]) *
                   rows[(kv * call.keys + j) * width + in];
          }
        }
        result.push_back(static_cast<float>(sum));
      }
    }
  }
  return result;
}

std::vector<double> want(const PlainCall& call, const Kernels3& k) {
  PlainCall shorter = call;
  const Index null = k.null ? 1 : 0;
  shorter.keys = null + window_count(call, k);
  shorter.kv_heads = call.heads;
  shorter.key = convolved(call, k, k.keys, k.null_key, call.key, 8);
  shorter.value = convolved(call, k, k.values, k.null_value, call.value, 5);
  for (Index row = 0; row < call.batch * call.heads * call.queries; ++row) {
    for (Index j = 0; j < shorter.keys; ++j) {
      const bool seen = j < null || last_key(call, k, j - null) <= row % call.queries;
      shorter.allowed.push_back(!k.causal || seen ? 1 : 0);
    }
  }
  return reference(shorter).output;
}

TEST(Compressed, FollowsItsDefinition) {
  std::uint64_t seed = 1;
  for (const Index keys : {1, 2, 7, 63, 64, 65, 130}) {
    for (const auto& [stride, size] : {std::pair<Index, Index>{1, 1}, {1, 4}, {2, 1}, {3, 3}, {2, 5},
                                       {5, 2}, {64, 64}, {200, 3}, {3, 200}}) {
      for (const bool causal : {false, true}) {
        const bool null = ++seed % 2 == 0;
        const PlainCall call = grid_call(1, 1, 1, keys, keys, seed);
        const Kernels3 k = kernels(call, stride, size, causal, null, false, seed + 1000);
        ASSERT_TRUE(agree(compressed(call, k), want(call, k)))
            << keys << " " << stride << " " << size << " " << causal << " " << null;
      }
    }
  }
}

TEST(Compressed, OtherLengthsOfQueries) {
  for (const Index queries : {1, 5, 100}) {
    for (const bool null : {false, true}) {
      const PlainCall call = grid_call(1, 2, 2, queries, 23, 3);
      const Kernels3 k = kernels(call, 4, 3, true, null, false, 4);
      ASSERT_TRUE(agree(compressed(call, k), want(call, k))) << queries;
    }
  }
}

TEST(Compressed, EveryBackendHeadsAndStrides) {
  const KeepBackend keep;
  for (const bool of_heads : {false, true}) {
    const PlainCall call = grid_call(2, 4, 2, 40, 40, 5);
    const Kernels3 k = kernels(call, 3, 4, of_heads, true, of_heads, 6);
    const std::vector<double> truth = want(call, k);
    for (const std::string_view name : backends()) {
      ASSERT_TRUE(ok(try_set_backend(name)));
      for (const Layout in : layouts) {
        for (const Layout out : layouts) {
          ASSERT_TRUE(agree(compressed(call, k, {in, out}), truth)) << name;
        }
      }
    }
  }
}

// Seven tokens in windows of three: {none, none, 0}, {1, 2, 3}, {4, 5, 6}.
TEST(Compressed, WindowsByHand) {
  const float query[7] = {}, value[] = {1, 2, 4, 8, 16, 32, 64}, kernel[] = {1, 1, 1};
  const float null_key = 0, null_value = 0;
  float result[7];
  CompressedOptions options;
  options.stride = options.kernel_size = 3;
  options.key_kernel = options.value_kernel = {kernel, {1, 1, 3}};
  options.causal = true;
  const auto call = [&] {
    EXPECT_TRUE(ok(try_compressed_attention({query, {7, 1}}, {value, {7, 1}}, {value, {7, 1}},
                                            {result, {7, 1}}, options)));
    return std::vector<float>(result, result + 7);
  };
  // Without a query all that is seen weighs the same.
  EXPECT_TRUE(agree(call(), std::vector<double>{1, 1, 1, 7.5, 7.5, 7.5, 127.0 / 3}));
  options.null_key = {&null_key, {1}};
  options.null_value = {&null_value, {1}};
  EXPECT_TRUE(agree(call(), std::vector<double>{0.5, 0.5, 0.5, 5, 5, 5, 31.75}));
}

TEST(Compressed, AQueryThatSeesNoWindowGivesZeros) {
  const PlainCall call = grid_call(1, 1, 1, 10, 10, 7);
  const std::vector<float> got = compressed(call, kernels(call, 10, 2, true, false, false, 8));
  for (std::size_t n = 0; n < 45; ++n) EXPECT_EQ(got[n], 0);
  EXPECT_NE(got[45], 0);
}

TEST(Compressed, WindowsOfOneTokenAreExactAttention) {
  for (const bool causal : {false, true}) {
    PlainCall call = random_call(70, 70, 8, 5, 9);
    Kernels3 k{1, 1, causal, false, false, std::vector<float>(64), std::vector<float>(25), {}, {}};
    k.null_key.resize(8);
    k.null_value.resize(5);
    for (std::size_t i = 0; i < 8; ++i) k.keys[i * 9] = 1;
    for (std::size_t i = 0; i < 5; ++i) k.values[i * 6] = 1;
    if (causal) call.mask = mask::causal();
    EXPECT_TRUE(agree(compressed(call, k), attend(call).output));
  }
}

TEST(Compressed, LaterTokensChangeNothing) {
  const PlainCall call = grid_call(1, 1, 1, 130, 130, 10);
  const Kernels3 k = kernels(call, 3, 5, true, true, false, 11);
  const std::vector<float> before = compressed(call, k);
  for (const std::size_t from : {1, 64, 99, 100, 129}) {
    PlainCall changed = call;
    std::fill(changed.key.begin() + from * 8, changed.key.end(), nan);
    std::fill(changed.value.begin() + from * 5, changed.value.end(), nan);
    const std::vector<float> after = compressed(changed, k);
    ASSERT_TRUE(same_bits({before.begin(), before.begin() + from * 5},
                          {after.begin(), after.begin() + from * 5}))
        << from;
    EXPECT_TRUE(std::isnan(after.back()));
  }
}

TEST(Compressed, SameBitsOnAnyThreads) {
  const PlainCall call = grid_call(2, 4, 2, 300, 300, 12);
  const Kernels3 k = kernels(call, 3, 3, true, true, false, 13);
  expect_same_on_any_threads([&] { return compressed(call, k); });
}

TEST(Compressed, NothingToDo) {
  const auto empty = [](Index heads, Index queries, Index keys, bool null) {
    const PlainCall call = grid_call(1, heads, heads, queries, keys, 1);
    return compressed(call, kernels(call, 3, 2, true, null, false, 2));
  };
  EXPECT_EQ(empty(1, 0, 5, false), std::vector<float>());
  EXPECT_EQ(empty(0, 5, 5, true), std::vector<float>());
  EXPECT_EQ(empty(1, 3, 0, false), std::vector<float>(15, 0.0f));
  // Only the null key is left.
  const PlainCall call = grid_call(1, 1, 1, 3, 0, 1);
  const std::vector<float> null = kernels(call, 3, 2, true, true, false, 2).null_value;
  const std::vector<float> got = empty(1, 3, 0, true);
  for (std::size_t n = 0; n < 15; ++n) EXPECT_EQ(got[n], null[n % 5]);
}

TEST(Compressed, RefusesWhatDoesNotFit) {
  const float numbers[64] = {};
  Placed result({3, 4}, Layout::row_major, 9);
  const ConstTensorView x(numbers, {3, 4});
  CompressedOptions good;
  good.stride = 2;
  good.kernel_size = 3;
  good.key_kernel = good.value_kernel = {numbers, {4, 4, 3}};
  const auto call = [&](const auto& change) {
    CompressedOptions options = good;
    change(options);
    return try_compressed_attention(x, x, x, result.view(), options);
  };
  const ErrorCode argument = ErrorCode::argument, shape = ErrorCode::shape;
  EXPECT_TRUE(refused(call([](auto& o) { o.stride = 0; }), argument, {"stride", "1", "0"}));
  EXPECT_TRUE(refused(call([](auto& o) { o.kernel_size = -1; }), argument, {"kernelSize", "-1"}));
  EXPECT_TRUE(refused(call([](auto& o) { o.kernel_size = 2; }), shape,
                      {"keyKernel", "[4, 4, 2]", "[4, 4, 3]"}));
  EXPECT_TRUE(refused(call([](auto& o) { o.key_kernel = {}; }), argument, {"keyKernel", "none"}));
  EXPECT_TRUE(refused(call([&](auto& o) { o.value_kernel = {numbers, {3, 4, 3}}; }), shape,
                      {"valueKernel", "[4, 4, 3]", "[3, 4, 3]"}));
  EXPECT_TRUE(refused(call([&](auto& o) { o.null_key = {numbers, {4}}; }), argument,
                      {"nullKey", "nullValue"}));
  EXPECT_TRUE(refused(call([&](auto& o) {
                        o.null_key = {numbers, {4}};
                        o.null_value = {numbers, {3}};
                      }),
                      shape, {"nullValue", "[4]", "[3]"}));
  EXPECT_TRUE(result.untouched());
  EXPECT_TRUE(ok(call([](auto&) {})));
}

// --- both -----------------------------------------------------------------------------------------

TEST(FewerKeys, TheirEntriesRun) {
  for (const Mechanism* entry : {&catalogue::linformer, &catalogue::compressed}) {
    for (const Index n : {0, 1, 5, 64, 100}) {
      for (const Index d : {3, 8}) {
        const std::vector<float> x = Numbers(static_cast<std::uint64_t>(n + d)).list(2 * n * d);
        std::vector<float> result(x.size(), 9);
        const ConstTensorView view(x.data(), {2, n, d});
        ASSERT_TRUE(ok(try_run(*entry, view, {}, {result.data(), view.shape}))) << entry->name;
        for (const float y : result) ASSERT_TRUE(std::isfinite(y) && std::fabs(y) < 8) << y;
      }
    }
  }
}

// Among the operations of this family alone.
Status run_operation(const std::string& name, const Json& arguments,
                     std::vector<dynamic::Result>& results) {
  Values values;
  for (const Json& argument : arguments) values.add(argument);
  dynamic::Call call(values.words());
  for (const dynamic::NamedOperation& operation : dynamic::fewer_keys_operations) {
    if (name != operation.name) continue;
    Status status = operation.run(call);
    results = std::move(call.results());
    return status;
  }
  return {ErrorCode::argument, "no such operation"};
}

TEST(FewerKeys, CalledByName) {
  const Json x = {{1.0, 0.0}, {0.0, 1.0}, {2.0, 2.0}};
  std::vector<dynamic::Result> results;
  const Json projection = {{"keyProjection", {{1.0, 2.0, 3.0}}}};
  ASSERT_TRUE(ok(run_operation("linformer", {x, x, x, projection}, results)));
  EXPECT_EQ(results.at(0).name, "output");
  EXPECT_EQ(elements(std::get<Tensor>(results.at(0).value)), std::vector<float>({7, 8, 7, 8, 7, 8}));

  const Json pass = {{{1.0}, {0.0}}, {{0.0}, {1.0}}};
  Json options = {{"stride", 3},      {"kernelSize", 1},        {"keyKernel", pass},
                  {"valueKernel", pass}, {"nullKey", {0.0, 0.0}}, {"nullValue", {5.0, 6.0}},
                  {"causal", true}};
  ASSERT_TRUE(ok(run_operation("compressedAttention", {x, x, x, options}, results)));
  const std::vector<float> got = elements(std::get<Tensor>(results.at(0).value));
  EXPECT_EQ(std::vector<float>(got.begin(), got.begin() + 4), std::vector<float>({5, 6, 5, 6}));

  options.erase("keyKernel");
  EXPECT_TRUE(refused(run_operation("compressedAttention", {x, x, x, options}, results),
                      ErrorCode::argument, {"keyKernel"}));
  const Json narrow = {{"keyProjection", {{1.0, 2.0}}}};
  EXPECT_TRUE(refused(run_operation("linformer", {x, x, x, narrow}, results),
                      ErrorCode::shape, {"keyProjection", "[1, 2]", "3"}));
}

}  // namespace
}  // namespace qkv::test
