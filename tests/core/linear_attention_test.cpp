// Linear attention against its definition in double precision, over pairs of tokens and without any
// sums; its limits, its state, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "qkv/attention.hpp"
#include "qkv/backend.hpp"
#include "qkv/linear_attention.hpp"
#include "qkv/mechanism.hpp"
#include "support/agree.hpp"
#include "support/numbers.hpp"
#include "support/placed.hpp"
#include "support/settings.hpp"
#include "support/threads.hpp"
#include "support/values.hpp"

namespace qkv::test {
namespace {

enum Map { elu, relu, softmax, identity, favor, fourier };
constexpr Map all_maps[] = {elu, relu, softmax, identity, favor, fourier};
constexpr Map causal_maps[] = {elu, relu, identity, favor, fourier};
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// As an error names a number.
std::string text_of(float x) {
  if (std::isnan(x)) return "NaN";
  return x == std::floor(x) ? std::to_string(static_cast<int>(x)) : "1.5";
}

// Close to a normal number: the sum of twelve uniform ones has a variance of 1.
std::vector<float> normals(Numbers& numbers, Index count) {
  std::vector<float> values;
  for (Index i = 0; i < count; ++i) {
    float sum = 0;
    for (int part = 0; part < 12; ++part) sum += numbers.uniform(0, 1);
    values.push_back(sum - 6);
  }
  return values;
}

// A call and what belongs to it, [batch, heads, length, width] all over.
struct Linear {
  Map map = elu;
  Index batch = 1, heads = 1, kv_heads = 1, queries = 0, keys = 0, width = 0, value_width = 0;
  bool causal = false;
  std::vector<float> query, key, value, lengths, projection;
  Index rows = 0;  // of the projection
  float sigma = 1;

  void fill(std::uint64_t seed, float size = 1) {
    Numbers numbers(seed);
    query = numbers.list(batch * heads * queries * width, -size, size);
    key = numbers.list(batch * kv_heads * keys * width, -size, size);
    value = numbers.list(batch * kv_heads * keys * value_width);
    projection = normals(numbers, rows * width);
  }
  Shape query_shape() const { return {batch, heads, queries, width}; }
  Shape key_shape() const { return {batch, kv_heads, keys, width}; }
  Shape value_shape() const { return {batch, kv_heads, keys, value_width}; }
  Shape result_shape() const { return {batch, heads, queries, value_width}; }
  Index features() const { return map == favor ? rows : map == fourier ? 2 * rows : width; }
  Shape state_shape() const {
    return {batch, kv_heads, features() + (map == favor ? 1 : 0), value_width + 1};
  }

  LinearAttentionOptions options() const {
    LinearAttentionOptions options;
    options.causal = causal;
    if (!lengths.empty()) options.key_lengths = {lengths.data(), {static_cast<Index>(lengths.size())}};
    const ConstTensorView weights(projection.data(), {rows, width});
    if (map == relu) options.feature_map = feature::Relu{};
    if (map == softmax) options.feature_map = feature::Softmax{};
    if (map == identity) options.feature_map = feature::Identity{};
    if (map == favor) options.feature_map = feature::Favor{0, 0, weights};
    if (map == fourier) options.feature_map = feature::Fourier{0, sigma, 0, weights};
    return options;
  }
};

Linear make(Map map, Index queries, Index keys, Index width, Index value_width, std::uint64_t seed) {
  Linear call;
  call.map = map;
  call.queries = queries;
  call.keys = keys;
  call.width = width;
  call.value_width = value_width;
  if (map == favor) call.rows = 11;
  if (map == fourier) call.rows = 9;
  call.fill(seed);
  return call;
}

// phi(x), and for Favor its logarithm, of one token.
std::vector<double> features(const Linear& call, const float* x) {
  std::vector<double> phi;
  double square = 0;
  for (Index d = 0; d < call.width; ++d) square += static_cast<double>(x[d]) * x[d];
  for (Index d = 0; d < call.width && call.rows == 0; ++d) {
    const double y = x[d];
    phi.push_back(call.map == elu ? (y > 0 ? y + 1 : std::exp(y)) : call.map == relu ? std::fmax(y, 0) : y);
  }
  std::vector<double> angles;
  const double scale = call.map == favor ? std::pow(call.width, -0.25)
                                         : call.sigma / (std::sqrt(square) + 1e-6);
  for (Index r = 0; r < call.rows; ++r) {
    double sum = 0;
    for (Index d = 0; d < call.width; ++d) sum += call.projection[r * call.width + d] * (x[d] * scale);
    angles.push_back(sum);
  }
  const double m = static_cast<double>(call.rows);
  for (const double angle : angles) {
    phi.push_back(call.map == favor ? angle - square * scale * scale / 2 - std::log(m) / 2
                                    : std::sin(angle) / std::sqrt(m));
  }
  if (call.map == fourier) {
    for (const double angle : angles) phi.push_back(std::cos(angle) / std::sqrt(m));
  }
  return phi;
}

// Softmax over each query's features and over each feature of the keys.
std::vector<double> efficient_pair_weights(const Linear& call, const float* query, const float* keys,
                                           Index valid) {
  const Index width = call.width;
  std::vector<double> weights(static_cast<std::size_t>(valid), 0.0);
  double query_sum = 0;
  for (Index d = 0; d < width; ++d) query_sum += std::exp(static_cast<double>(query[d]));
  for (Index d = 0; d < width; ++d) {
    double key_sum = 0;
    for (Index j = 0; j < valid; ++j) key_sum += std::exp(static_cast<double>(keys[j * width + d]));
    for (Index j = 0; j < valid; ++j) {
      weights[j] += std::exp(static_cast<double>(query[d])) / query_sum *
                    std::exp(static_cast<double>(keys[j * width + d])) / key_sum;
    }
  }
  return weights;
}

// Weights of the keys [0, seen), whose features are `phi`, for one query, not yet divided.
std::vector<double> pair_weights(const Linear& call, const float* query,
                                 const std::vector<std::vector<double>>& phi, Index seen) {
  const std::vector<double> asked = features(call, query);
  double most = -HUGE_VAL;
  for (Index j = 0; j < seen && call.map == favor; ++j) {
    for (std::size_t r = 0; r < asked.size(); ++r) most = std::max(most, asked[r] + phi[j][r]);
  }
  std::vector<double> weights;
  for (Index j = 0; j < seen; ++j) {
    double sum = 0;
    for (std::size_t r = 0; r < asked.size(); ++r) {
      sum += call.map == favor ? std::exp(asked[r] + phi[j][r] - most) : asked[r] * phi[j][r];
    }
    weights.push_back(sum);
  }
  return weights;
}

std::vector<double> defined(const Linear& call) {
  std::vector<double> result;
  for (Index b = 0; b < call.batch; ++b) {
    const Index valid = call.lengths.empty() ? call.keys
                                             : static_cast<Index>(call.lengths[call.lengths.size() == 1 ? 0 : b]);
    for (Index h = 0; h < call.heads; ++h) {
      const Index head = b * call.kv_heads + h / (call.heads / call.kv_heads);
      const float* keys = call.key.data() + head * call.keys * call.width;
      const float* values = call.value.data() + head * call.keys * call.value_width;
      std::vector<std::vector<double>> phi;
      for (Index j = 0; j < valid; ++j) phi.push_back(features(call, keys + j * call.width));
      for (Index i = 0; i < call.queries; ++i) {
        const Index seen = call.causal ? std::min(valid, i + 1) : valid;
        const float* query = call.query.data() + ((b * call.heads + h) * call.queries + i) * call.width;
        const std::vector<double> weights = call.map == softmax
                                                ? efficient_pair_weights(call, query, keys, seen)
                                                : pair_weights(call, query, phi, seen);
        double total = 0;
        for (const double weight : weights) total += weight;
        if (call.map == identity || call.map == softmax) total = 1;
        if (call.map == fourier && std::fabs(total) < 1e-3) total = total < 0 ? -1e-3 : 1e-3;
        for (Index d = 0; d < call.value_width; ++d) {
          double sum = 0;
          for (Index j = 0; j < seen; ++j) sum += weights[j] * values[j * call.value_width + d];
          result.push_back(total == 0 ? 0 : sum / total);
        }
      }
    }
  }
  return result;
}

std::vector<float> computed(const Linear& call, Layout in = Layout::row_major, Layout out = Layout::row_major) {
  const Placed query(call.query_shape(), call.query, in), key(call.key_shape(), call.key, in);
  const Placed value(call.value_shape(), call.value, in);
  Placed result(call.result_shape(), out, 12345);
  EXPECT_TRUE(ok(try_linear_attention(query.view(), key.view(), value.view(), result.view(), call.options())));
  EXPECT_TRUE(result.gaps_untouched());
  return result.values();
}

// Float sums of some hundred terms; without a division they are as large as these together. Logits of
// Favor and angles of Fourier carry the rounding of a projection, and a denominator of Fourier may be a
// small difference of large sums.
Tolerance tolerance_of(Map map) {
  if (map == favor || map == identity) return {1e-5, 1e-5};
  if (map == fourier) return {3e-5, 3e-5};
  return {3e-6, 3e-6};
}

TEST(LinearAttention, IsItsDefinitionAtAnyLength) {
  const KeepBackend keep;
  std::uint64_t seed = 1;
  for (const std::string_view name : backends()) {
    ASSERT_TRUE(ok(try_set_backend(name)));
    for (const Map map : all_maps) {
      for (const Index n : {0, 1, 7, 63, 64, 65, 130}) {
        const Index other = n == 7 ? 70 : n;
        ++seed;
        const Linear call = make(map, other, n, 1 + n % 9, 1 + n * 5 % 19, seed);
        ASSERT_TRUE(agree(computed(call, layouts[seed % 5], layouts[seed / 5 % 5]), defined(call), tolerance_of(map)))
            << name << " map " << map << " n " << n;
        if (map == softmax) continue;
        Linear causal = make(map, n, n, 1 + n % 9, 1 + n * 5 % 19, seed);
        causal.causal = true;
        ASSERT_TRUE(agree(computed(causal, layouts[seed % 5], layouts[seed / 5 % 5]), defined(causal), tolerance_of(map)))
            << name << " causal map " << map << " n " << n;
      }
    }
  }
}

TEST(LinearAttention, SharesKeysBetweenHeads) {
  for (const Map map : all_maps) {
    Linear call = make(map, 70, 70, 6, 5, 9);
    call.batch = 2;
    call.heads = 6;
    call.kv_heads = 2;
    call.lengths = {70, 33};
    call.fill(10);
    EXPECT_TRUE(agree(computed(call), defined(call), tolerance_of(map))) << map;
    if (map == softmax) continue;
    call.causal = true;
    EXPECT_TRUE(agree(computed(call), defined(call), tolerance_of(map))) << map;
  }
}

// One matrix of keys for all heads and batch entries, with lengths that differ between these.
TEST(LinearAttention, BroadcastsKeys) {
  for (const Map map : {elu, softmax, favor}) {
    Linear call = make(map, 20, 20, 4, 3, 11);
    call.batch = 3;
    call.heads = 2;
    call.lengths = {20, 0, 7};
    Numbers numbers(12);
    call.query = numbers.list(3 * 2 * 20 * 4);
    const std::vector<float> key = call.key, value = call.value;
    for (int b = 1; b < 3; ++b) {
      call.key.insert(call.key.end(), key.begin(), key.end());
      call.value.insert(call.value.end(), value.begin(), value.end());
    }
    std::vector<float> result(call.query.size() / 4 * 3);
    ASSERT_TRUE(ok(try_linear_attention({call.query.data(), call.query_shape()}, {key.data(), {20, 4}},
                                        {value.data(), {20, 3}}, {result.data(), call.result_shape()},
                                        call.options())));
    EXPECT_TRUE(agree(result, defined(call), tolerance_of(map))) << map;
  }
}

// Long enough for several ranges and for more than one thread.
TEST(LinearAttention, GivesTheSameBitsOnAnyNumberOfThreads) {
  for (const Map map : all_maps) {
    for (const Index heads : {1, 3}) {
      for (const bool causal : {false, true}) {
        if (map == softmax && causal) continue;
        Linear call = make(map, 2300, 2300, 16, 17, 13);
        call.heads = heads;
        call.causal = causal;
        call.fill(14);
        SCOPED_TRACE(testing::Message() << map << " heads " << heads << causal);
        expect_same_on_any_threads([&] { return computed(call); }, {4});
      }
    }
  }
}

TEST(LinearAttention, LongSequences) {
  const KeepThreads keep;
  for (const int threads : thread_counts({1, 3})) {
    ASSERT_TRUE(ok(try_set_threads(threads)));
    for (const Map map : {elu, softmax, favor}) {
      Linear call = make(map, 2100, 2100, 2, 9, 15);
      call.rows = map == favor ? 2 : 0;
      call.fill(16);
      const std::vector<double> all = [&] {
        Linear few = call;  // the definition of all queries would take a second
        few.queries = 10;
        return defined(few);
      }();
      const std::vector<float> got = computed(call);
      EXPECT_TRUE(agree(std::vector<float>(got.begin(), got.begin() + 90), all, {1e-5, 1e-5})) << map;
      if (map == softmax) continue;
      // The last query of a causal call sees all.
      Linear causal = call;
      causal.causal = true;
      const std::vector<float> last = computed(causal);
      EXPECT_TRUE(agree(std::vector<float>(last.end() - 9, last.end()),
                        std::vector<float>(got.end() - 9, got.end()), {1e-5, 1e-5})) << map;
    }
  }
}

std::vector<float> hand(Map map, bool causal, std::vector<float> query, std::vector<float> key,
                        std::vector<float> value, std::vector<float> lengths = {}) {
  Linear call;
  call.map = map;
  call.causal = causal;
  call.query = std::move(query);
  call.key = std::move(key);
  call.value = std::move(value);
  call.lengths = std::move(lengths);
  call.queries = static_cast<Index>(call.query.size());
  call.keys = static_cast<Index>(call.key.size());
  call.width = call.value_width = 1;
  return computed(call);
}

TEST(LinearAttention, ByHand) {
  // A padded key has features too: they must not count.
  EXPECT_TRUE(agree(hand(elu, false, {0}, {0, 0}, {1, 100}, {1}), std::vector<double>{1}));
  EXPECT_TRUE(agree(hand(elu, false, {1}, {0, 1}, {1, 3}), std::vector<double>{7.0 / 3}));
  EXPECT_TRUE(agree(hand(elu, true, {1, 1, 1}, {0, 1, -1}, {1, 2, 4}),
                    std::vector<double>{1, 5.0 / 3, (1 + 4 + 4 / std::exp(1.0)) / (3 + 1 / std::exp(1.0))}));
  EXPECT_TRUE(same_bits(hand(relu, false, {2, -1}, {-1, 1, 3}, {5, 4, 8}), {7, 0}));
  EXPECT_TRUE(same_bits(hand(identity, true, {1, 2, 3}, {1, 0, -1}, {5, 6, 7}), {5, 10, -6}));
  EXPECT_TRUE(agree(hand(softmax, false, {3}, {0, std::log(3.0f)}, {4, 8}), std::vector<double>{7}));
  EXPECT_TRUE(same_bits(hand(elu, false, {1, 2}, {5, 5}, {1, 1}, {0}), {0, 0}));
}

TEST(LinearAttention, IdentityOfWholeNumbersIsExact) {
  for (const bool causal : {false, true}) {
    Linear call = make(identity, 130, 130, 17, 33, 17);
    call.causal = causal;
    Numbers numbers(18);
    call.query = numbers.grid(130 * 17);
    call.key = numbers.grid(130 * 17);
    call.value = numbers.grid(130 * 33);
    EXPECT_TRUE(agree(computed(call), defined(call), {0, 0}));
  }
}

TEST(LinearAttention, WeightsAddUpToOne) {
  for (const Map map : {elu, softmax, favor, fourier}) {
    for (const bool causal : {false, true}) {
      if (map == softmax && causal) continue;
      Linear call = make(map, 150, 150, 8, 20, 19);
      call.causal = causal;
      std::fill(call.value.begin(), call.value.end(), 1.0f);
      EXPECT_TRUE(same_bits(computed(call), std::vector<float>(150 * 20, 1.0f))) << map << causal;
    }
  }
}

TEST(LinearAttention, NoLaterTokenChangesABit) {
  for (const Map map : causal_maps) {
    for (const Index length : {130, 1100}) {
      Linear call = make(map, length, length, 5, 20, 21);
      call.causal = true;
      // A key that a feature of Favor likes most has the largest logarithm of all.
      for (Index d = 0; d < 5 && map == favor; ++d) call.projection[d] *= 3;
      const std::vector<float> before = computed(call);
      for (const Index token : {1, 17, 63, 64, 127, 1030}) {
        for (const float change : {50.0f, not_a_number, HUGE_VALF}) {
          if (token >= length) continue;
          Linear changed = call;
          for (Index d = 0; d < 5; ++d) {
            const bool liked = map == favor && change == 50;
            changed.key[token * 5 + d] = liked ? 1.5f * call.projection[d] : change;
          }
          for (Index d = 0; d < 20; ++d) changed.value[token * 20 + d] = change;
          const std::vector<float> after = computed(changed);
          ASSERT_TRUE(same_bits(std::vector<float>(before.begin(), before.begin() + token * 20),
                                std::vector<float>(after.begin(), after.begin() + token * 20)))
              << map << " token " << token << " to " << change;
          ASSERT_NE(before[token * 20], after[token * 20]) << map << " " << token;
          EXPECT_EQ(std::isnan(after.back()), std::isnan(change) || (std::isinf(change) && std::isnan(after.back())));
        }
      }
    }
  }
}

TEST(LinearAttention, PaddingDoesNotLeakAndNanDoes) {
  for (const Map map : all_maps) {
    for (const bool causal : {false, true}) {
      if (map == softmax && causal) continue;
      Linear call = make(map, 90, 90, 4, 3, 23);
      call.causal = causal;
      call.lengths = {40};
      const std::vector<float> clean = computed(call);
      EXPECT_TRUE(agree(clean, defined(call), tolerance_of(map)));
      std::fill(call.key.begin() + 40 * 4, call.key.end(), not_a_number);
      std::fill(call.value.begin() + 40 * 3, call.value.end(), not_a_number);
      EXPECT_TRUE(same_bits(clean, computed(call))) << map;
      call.key[30 * 4] = not_a_number;
      const std::vector<float> result = computed(call);
      for (Index i = 0; i < 90; ++i) {
        EXPECT_EQ(std::isnan(result[i * 3]), !causal || i >= 30) << map << " " << i;
      }
      call.key[30 * 4] = 0;
      call.query[50 * 4] = not_a_number;
      const std::vector<float> asked = computed(call);
      for (Index i = 0; i < 90; ++i) EXPECT_EQ(std::isnan(asked[i * 3]), i == 50) << map << " " << i;
    }
  }
}

// A call in pieces of these lengths, the state handed on in place.
std::vector<float> in_pieces(const Linear& call, const std::vector<Index>& pieces, Placed& state) {
  std::vector<float> result;
  Index first = 0;
  for (const Index piece : pieces) {
    const auto rows = [&](const std::vector<float>& all, Index width) {
      return std::vector<float>(all.begin() + first * width, all.begin() + (first + piece) * width);
    };
    const std::vector<float> query = rows(call.query, call.width), key = rows(call.key, call.width);
    const std::vector<float> value = rows(call.value, call.value_width);
    LinearAttentionOptions options = call.options();
    if (first > 0) options.state = state.view();
    options.next_state = state.view();
    std::vector<float> output(static_cast<std::size_t>(piece * call.value_width));
    EXPECT_TRUE(ok(try_linear_attention({query.data(), {1, 1, piece, call.width}}, {key.data(), {1, 1, piece, call.width}},
                                        {value.data(), {1, 1, piece, call.value_width}},
                                        {output.data(), {1, 1, piece, call.value_width}}, options)));
    result.insert(result.end(), output.begin(), output.end());
    first += piece;
  }
  return result;
}

TEST(LinearAttention, TokenByTokenIsOneCall) {
  for (const Map map : causal_maps) {
    for (const float size : {1.0f, 6.0f}) {
      Linear call = make(map, 150, 150, 6, 18, 25);
      call.fill(26, size);
      call.causal = true;
      std::vector<std::vector<float>> states;
      for (const std::vector<Index>& pieces :
           {std::vector<Index>{150}, std::vector<Index>(150, 1), std::vector<Index>{5, 64, 0, 1, 80}}) {
        Placed state(call.state_shape(), layouts[states.size() + 1], 7);
        EXPECT_TRUE(agree(in_pieces(call, pieces, state), defined(call), {1e-4, 1e-4})) << map << " " << pieces.size();
        EXPECT_TRUE(state.gaps_untouched());
        states.push_back(state.values());
      }
      // A sum of both signs has an error of the size of its terms.
      const double large = map == identity ? 150 * size : 1;
      EXPECT_TRUE(agree(states[1], states[0], {1e-5, 1e-5 * large})) << map;
      EXPECT_TRUE(agree(states[2], states[0], {1e-5, 1e-5 * large})) << map;
    }
  }
}

TEST(LinearAttention, StateHoldsTheSums) {
  for (const Map map : causal_maps) {
    Linear call = make(map, 70, 70, 5, 3, 27);
    call.causal = true;
    Placed state(call.state_shape());
    in_pieces(call, {70}, state);
    const std::vector<float> got = state.values();
    std::vector<double> want(got.size(), 0.0);
    const double c = map == favor ? got.back() : 0;
    for (Index j = 0; j < 70; ++j) {
      const std::vector<double> phi = features(call, call.key.data() + j * 5);
      for (std::size_t r = 0; r < phi.size(); ++r) {
        const double feature = map == favor ? std::exp(phi[r] - c) : phi[r];
        for (Index d = 0; d < 4; ++d) want[r * 4 + d] += feature * (d < 3 ? call.value[j * 3 + d] : 1);
      }
    }
    if (map == favor) want.back() = c;
    EXPECT_TRUE(agree(got, want, {1e-5, 1e-5})) << map;
  }
}

// Keys far larger than any before, and queries for which exp alone would overflow or vanish.
TEST(LinearAttention, FavorOfLargeNumbers) {
  for (const bool causal : {false, true}) {
    Linear call = make(favor, 80, 80, 8, 3, 29);
    call.causal = causal;
    call.fill(30, 20);
    for (Index i = 0; i < 20 * 8; ++i) call.key[i] /= 50;
    for (Index i = 60 * 8; i < 80 * 8; ++i) call.key[i] *= 3;
    EXPECT_TRUE(agree(computed(call), defined(call), {1e-3, 1e-3}));  // logits of thousands
  }
}

// Exponentials that alone would overflow, and features whose keys are all far below the others'.
TEST(LinearAttention, SoftmaxOfLargeNumbers) {
  Linear call = make(softmax, 70, 70, 4, 3, 35);
  call.fill(36, 60);
  for (Index j = 0; j < 70; ++j) {
    call.key[j * 4] += 200;
    call.key[j * 4 + 1] -= 300;
  }
  EXPECT_TRUE(agree(computed(call), defined(call), {3e-5, 3e-5}));
}

double root_mean_square(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

// The error of random features falls with the root of their number.
TEST(LinearAttention, RandomFeaturesApproachExactAttention) {
  Linear call = make(elu, 40, 40, 8, 4, 31);
  const ConstTensorView query(call.query.data(), {40, 8}), key(call.key.data(), {40, 8});
  const ConstTensorView value(call.value.data(), {40, 4});
  for (const Map map : {favor, fourier}) {
    AttentionOptions exact;
    if (map == fourier) {
      exact.score = score::Cosine{};  // exp(-|q - k|^2 / 2) = exp(q . k - 1) of unit vectors
      exact.scale = 1;
    }
    std::vector<float> want(160), got(160);
    ASSERT_TRUE(ok(try_attention(query, key, value, {want.data(), {40, 4}}, exact)));
    std::vector<double> errors;
    for (const Index count : {64, 256, 1024}) {
      double sum = 0;
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        LinearAttentionOptions options;
        if (map == favor) options.feature_map = feature::Favor{count, seed, {}};
        if (map == fourier) options.feature_map = feature::Fourier{count, 1, seed, {}};
        ASSERT_TRUE(ok(try_linear_attention(query, key, value, {got.data(), {40, 4}}, options)));
        const double error = root_mean_square(got, want);
        sum += error * error;
      }
      errors.push_back(std::sqrt(sum / 8));
    }
    EXPECT_LT(errors[2], 0.03) << map;
    for (int step = 0; step < 2; ++step) {
      EXPECT_GT(errors[step] / errors[step + 1], 1.4) << map << " " << errors[step];
      EXPECT_LT(errors[step] / errors[step + 1], 2.8) << map << " " << errors[step];
    }
  }
}

// The weights that Favor draws, read back from the states that unit vectors leave.
TEST(LinearAttention, FavorDrawsOrthogonalBlocks) {
  constexpr Index width = 6, rows = 200;
  std::vector<double> weights(rows * width);
  for (Index d = 0; d < width; ++d) {
    float key[width] = {}, one = 1, out = 0, state[2 * (rows + 1)];
    key[d] = 1;
    LinearAttentionOptions options;
    options.causal = true;
    options.feature_map = feature::Favor{rows, 5, {}};
    options.next_state = {state, {rows + 1, 2}};
    ASSERT_TRUE(ok(try_linear_attention({key, {1, width}}, {key, {1, width}}, {&one, {1, 1}}, {&out, {1, 1}}, options)));
    const double root = std::pow(width, 0.25);
    for (Index r = 0; r < rows; ++r) {
      const double log = std::log(state[2 * r + 1]) + state[2 * rows + 1];
      weights[r * width + d] = (log + 1 / (2 * root * root) + std::log(static_cast<double>(rows)) / 2) * root;
    }
  }
  double lengths = 0;
  for (Index r = 0; r < rows; ++r) {
    for (Index other = r / width * width; other <= r; ++other) {
      double sum = 0;
      for (Index d = 0; d < width; ++d) sum += weights[r * width + d] * weights[other * width + d];
      if (other == r) {
        lengths += sum;
      } else {
        EXPECT_NEAR(sum, 0, 1e-4) << r << " " << other;
      }
    }
  }
  // |w|^2 of a normal vector is 6 on average, with a deviation of sqrt(12 / 200) of the mean.
  EXPECT_NEAR(lengths / rows, width, 4 * std::sqrt(2.0 * width / rows));
}

TEST(LinearAttention, FourierAtEveryAngle) {
  std::vector<float> projection;
  for (float angle = -60; angle < 60; angle += 0.13f) projection.push_back(angle);
  const auto rows = static_cast<Index>(projection.size());
  for (const float sigma : {1.0f, 1000.0f}) {
    LinearAttentionOptions options;
    options.causal = true;
    options.feature_map = feature::Fourier{0, sigma, 0, {projection.data(), {rows, 1}}};
    std::vector<float> state(static_cast<std::size_t>(4 * rows));
    options.next_state = {state.data(), {2 * rows, 2}};
    const float key = 2, value = 1;
    float out = 0;
    ASSERT_TRUE(ok(try_linear_attention({&key, {1, 1}}, {&key, {1, 1}}, {&value, {1, 1}}, {&out, {1, 1}}, options)));
    EXPECT_EQ(out, 1);
    const double root = std::sqrt(static_cast<double>(rows));
    for (Index r = 0; r < rows; ++r) {
      const double angle = projection[r] * (sigma * 2 / (2 + 1e-6));
      const double room = 3e-7 + 2e-7 * std::fabs(angle);  // the angle is a float
      ASSERT_NEAR(state[2 * r] * root, std::sin(angle), room) << angle;
      ASSERT_NEAR(state[2 * (rows + r)] * root, std::cos(angle), room) << angle;
    }
  }
}

// cos(w (q - k)) of one frequency: the denominator can be negative, and is kept away from 0.
TEST(LinearAttention, FourierDenominators) {
  const float query = 1, key = -1, value = 3;
  const auto run = [&](float w) {
    LinearAttentionOptions options;
    options.feature_map = feature::Fourier{1, 1, 0, {&w, {1, 1}}};
    float out = 0;
    EXPECT_TRUE(ok(try_linear_attention({&query, {1, 1}}, {&key, {1, 1}}, {&value, {1, 1}}, {&out, {1, 1}}, options)));
    return out;
  };
  EXPECT_NEAR(run(1.2f), 3, 1e-6);  // -0.74 / -0.74
  const double angle = 2 * 0.7852 / (1 + 1e-6);
  EXPECT_NEAR(run(0.7852f), 3 * std::cos(angle) / 1e-3, 2e-3);
  EXPECT_NEAR(run(0.7856f), -3 * std::cos(2 * 0.7856 / (1 + 1e-6)) / 1e-3, 2e-3);
}

TEST(LinearAttention, EmptySizes) {
  for (const Map map : all_maps) {
    EXPECT_TRUE(same_bits(computed(make(map, 3, 0, 4, 2, 1)), std::vector<float>(6, 0.0f))) << map;
    EXPECT_TRUE(computed(make(map, 3, 5, 4, 0, 1)).empty());
    EXPECT_TRUE(computed(make(map, 0, 5, 4, 2, 1)).empty());
    if (map != favor && map != fourier) {
      EXPECT_TRUE(same_bits(computed(make(map, 2, 5, 0, 1, 1)), {0, 0})) << map;
    }
    Linear none = make(map, 3, 3, 4, 2, 1);
    none.heads = none.kv_heads = 0;
    none.fill(1);
    const Placed query(Shape{1, 0, 3, 4}, {}), value(Shape{1, 0, 3, 2}, {});
    Placed result(Shape{1, 0, 3, 2}, Layout::row_major, 9);
    EXPECT_TRUE(ok(try_linear_attention(query.view(), query.view(), value.view(), result.view(), none.options())));
  }
  // No token: the state is handed on as it is.
  const std::vector<float> before = {1, 2, 3, 4, 5, 6};
  std::vector<float> after(6);
  LinearAttentionOptions options;
  options.causal = true;
  options.state = {before.data(), {2, 3}};
  options.next_state = {after.data(), {2, 3}};
  ASSERT_TRUE(ok(try_linear_attention({nullptr, {0, 2}}, {nullptr, {0, 2}}, {nullptr, {0, 2}}, {nullptr, {0, 2}}, options)));
  EXPECT_TRUE(same_bits(after, before));
}

TEST(LinearAttention, CountsFeatures) {
  const auto count = [](const FeatureMap& map, Index width) {
    Index features = -1;
    EXPECT_TRUE(ok(feature_count(map, width, features)));
    return features;
  };
  EXPECT_EQ(count(feature::Elu{}, 7), 7);
  EXPECT_EQ(count(feature::Favor{}, 64), 266);
  EXPECT_EQ(count(feature::Favor{}, 1), 1);
  EXPECT_EQ(count(feature::Favor{20, 0, {}}, 64), 20);
  EXPECT_EQ(count(feature::Fourier{}, 64), 128);
  const float numbers[12] = {};
  EXPECT_EQ(count(feature::Fourier{0, 1, 0, {numbers, {3, 4}}}, 4), 6);
  Index features = 0;
  EXPECT_TRUE(refused(feature_count(feature::Elu{}, -1, features), ErrorCode::argument, {"-1"}));
}

TEST(LinearAttention, RefusesWhatDoesNotFit) {
  const float numbers[64] = {};
  float out[64];
  const ConstTensorView query(numbers, {3, 2}), value(numbers, {3, 4});
  const TensorView result(out, {3, 4});
  const ErrorCode shape = ErrorCode::shape, argument = ErrorCode::argument;
  const auto run = [&](const LinearAttentionOptions& options) {
    return try_linear_attention(query, query, value, result, options);
  };
  const auto with = [](const FeatureMap& map, bool causal = false) {
    LinearAttentionOptions options;
    options.feature_map = map;
    options.causal = causal;
    return options;
  };
  EXPECT_TRUE(refused(try_linear_attention(query, {numbers, {3, 3}}, value, result), shape, {"width", "2", "3"}));
  EXPECT_TRUE(refused(try_linear_attention(query, query, {numbers, {2, 4}}, result), shape, {"length", "3", "2"}));
  EXPECT_TRUE(refused(try_linear_attention(query, query, value, {out, {4, 3}}), shape, {"result", "[3, 4]", "[4, 3]"}));
  EXPECT_TRUE(refused(try_linear_attention({numbers, {5, 2}}, query, value, {out, {5, 4}}, with({}, true)), shape,
                      {"causal", "5", "3"}));
  EXPECT_TRUE(refused(run(with(feature::Softmax{}, true)), argument, {"causal", "softmax"}));
  EXPECT_TRUE(refused(run(with(feature::Favor{-2, 0, {}})), argument, {"favor.features", "-2"}));
  EXPECT_TRUE(refused(run(with(feature::Favor{5, 0, {numbers, {4, 2}}})), shape, {"favor.projection", "[5, 2]", "[4, 2]"}));
  EXPECT_TRUE(refused(run(with(feature::Favor{0, 0, {numbers, {4, 3}}})), shape, {"favor.projection", "[4, 2]", "[4, 3]"}));
  EXPECT_TRUE(refused(run(with(feature::Favor{0, 0, {numbers, {4}}})), shape, {"favor.projection", "rank 1"}));
  EXPECT_TRUE(refused(run(with(feature::Fourier{0, 1, 0, {nullptr, {0, 2}}})), shape, {"fourier.projection", "[0, 2]"}));
  for (const float sigma : {0.0f, -1.0f, not_a_number}) {
    EXPECT_TRUE(refused(run(with(feature::Fourier{0, sigma, 0, {}})), argument, {"sigma", text_of(sigma)}));
  }
  LinearAttentionOptions options;
  for (const float length : {-1.0f, 4.0f, 1.5f, not_a_number}) {
    options.key_lengths = {&length, {1}};
    EXPECT_TRUE(refused(run(options), argument, {"keyLengths", "3", text_of(length)}));
  }
  options.key_lengths = {numbers, {2}};
  EXPECT_TRUE(refused(run(options), shape, {"keyLengths", "1 batch", "[2]"}));
  options.key_lengths = {};
  options.state = {numbers, {2, 5}};
  EXPECT_TRUE(refused(run(options), argument, {"state", "causal"}));
  options.causal = true;
  EXPECT_TRUE(ok(run(options)));
  options.state = {numbers, {2, 4}};
  EXPECT_TRUE(refused(run(options), shape, {"state", "[2, 5]", "[2, 4]"}));
  options.state = {};
  options.next_state = {out, {5, 2}};
  EXPECT_TRUE(refused(run(options), shape, {"nextState", "[2, 5]", "[5, 2]"}));
  options.feature_map = feature::Favor{3, 0, {}};
  EXPECT_TRUE(refused(run(options), shape, {"nextState", "[4, 5]"}));
  options.causal = false;
  EXPECT_TRUE(refused(run(options), argument, {"nextState", "causal"}));
}

// No result can be so large that sizes overflow: memory is refused instead.
TEST(LinearAttention, RefusesImpossibleSizes) {
  const float number = 0;
  float out = 0;
  LinearAttentionOptions options;
  options.feature_map = feature::Favor{INT32_MAX, 0, {}};
  const Strides same{0, 0};
  EXPECT_TRUE(refused(try_linear_attention({&number, {1, 1 << 20}, same}, {&number, {1, 1 << 20}, same},
                                           {&number, {1, 1}}, {&out, {1, 1}}, options),
                      ErrorCode::memory, {"bytes"}));
}

TEST(LinearAttention, Catalogue) {
  for (const char* name : {"linear", "efficient", "performer", "rfa"}) {
    const Mechanism* entry = find_mechanism(name);
    ASSERT_NE(entry, nullptr) << name;
    for (const Index n : {1, 5, 64, 100}) {
      for (const Index d : {3, 8}) {
        Numbers numbers(33);
        const std::vector<float> x = numbers.list(2 * n * d);
        std::vector<float> result(x.size(), not_a_number);
        ASSERT_TRUE(ok(try_run(*entry, {x.data(), {2, n, d}}, {}, {result.data(), {2, n, d}})));
        for (const float y : result) ASSERT_TRUE(std::isfinite(y)) << name << " " << n << " " << d;
      }
    }
    EXPECT_EQ(entry->pattern, nullptr);
  }
}

TEST(LinearAttention, ByName) {
  std::vector<dynamic::Result> results;
  const auto run = [&](const char* arguments) {
    return run_named("linearAttention", Json::parse(arguments, nullptr, false), results);
  };
  const auto result = [&](std::size_t number) { return elements(std::get<Tensor>(results[number].value)); };
  ASSERT_TRUE(ok(run("[[[1]], [[0], [1]], [[1], [3]]]")));
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(agree(result(0), std::vector<double>{7.0 / 3}));
  ASSERT_TRUE(ok(run(R"([[[2]], [[1]], [[5]], {"featureMap": "identity", "causal": true, "state": [[3, 1]]}])")));
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[1].name, "state");
  EXPECT_TRUE(same_bits(result(0), {16}));
  EXPECT_TRUE(same_bits(result(1), {8, 2}));
  ASSERT_TRUE(ok(run(R"([[[[1]], [[1]]], [[[1], [1]], [[1], [1]]], [[[5], [9]], [[5], [9]]],
                        {"featureMap": {"favor": {"features": 4, "seed": 2}}, "keyLengths": [1]}])")));
  EXPECT_TRUE(agree(result(0), std::vector<double>{5, 5}));
  ASSERT_TRUE(ok(run(R"([[[1]], [[1]], [[5]], {"featureMap": {"fourier": {"sigma": 2, "projection": [[1]]}}}])")));
  EXPECT_TRUE(agree(result(0), std::vector<double>{5}));
  EXPECT_TRUE(refused(run(R"([[[1]], [[1]], [[5]], {"featureMap": "gelu"}])"), ErrorCode::argument,
                      {"featureMap", "gelu", "elu", "favor"}));
  EXPECT_TRUE(refused(run(R"([[[1]], [[1]], [[5]], {"featureMap": {}}])"), ErrorCode::argument,
                      {"featureMap", "favor", "fourier"}));
  EXPECT_TRUE(refused(run(R"([[[1]], [[1]], [[5]], {"featureMap": "softmax", "causal": true}])"),
                      ErrorCode::argument, {"causal", "softmax"}));
  EXPECT_TRUE(refused(run(R"([[[1]], [[1]], [[5]], {"featureMap": {"fourier": {"sigma": 0}}}])"),
                      ErrorCode::argument, {"featureMap.fourier.sigma", "0"}));
}

}  // namespace
}  // namespace qkv::test
