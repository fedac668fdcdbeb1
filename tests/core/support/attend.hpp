// Runs a PlainCall through the library's public interface.
#pragma once

#include "plain_call.hpp"
#include "support/agree.hpp"
#include "support/placed.hpp"

namespace qkv::test {

// Which results to ask for besides the output, and how inputs and results lie in memory.
struct Asked {
  bool further = true;  // weights, scores and, for the softmax, logSumExp
  Layout inputs = Layout::row_major;
  Layout results = Layout::row_major;
  std::optional<Dropout> dropout;
  std::optional<std::uint64_t> sample_seed;  // replaces the normalizer by Sample
};

inline Results<float> attend(const PlainCall& call, const Asked& asked = {}) {
  const Layout in = asked.inputs, out = asked.results;
  Placed query({call.batch, call.heads, call.queries, call.width}, call.query, in);
  Placed key({call.batch, call.kv_heads, call.keys, call.key_width}, call.key, in);
  Placed value({call.batch, call.kv_heads, call.keys, call.value_width}, call.value, in);
  Placed query_weight({call.hidden, call.width}, Layout::row_major);
  Placed key_weight(query_weight.shape()), vector(query_weight.shape());
  Placed weight(query_weight.shape()), bias(query_weight.shape()), sinks(query_weight.shape());

  AttentionOptions options;
  switch (call.score) {
    case ScoreKind::scaled_dot:
      break;
    case ScoreKind::dot:
      options.score = score::Dot{};
      break;
    case ScoreKind::cosine:
      options.score = score::Cosine{};
      break;
    case ScoreKind::additive:
      query_weight = Placed({call.hidden, call.width}, call.query_weight, in);
      key_weight = Placed({call.hidden, call.key_width}, call.key_weight, in);
      vector = Placed({call.hidden}, call.vector, in);
      options.score = score::Additive{query_weight.view(), key_weight.view(), vector.view()};
      break;
    case ScoreKind::bilinear:
      weight = Placed({call.width, call.key_width}, call.weight, in);
      options.score = score::Bilinear{weight.view()};
      break;
  }
  switch (call.normalizer) {
    case NormalizerKind::softmax:
      break;
    case NormalizerKind::relu:
      options.normalizer = normalizer::Relu{};
      break;
    case NormalizerKind::sigmoid:
      options.normalizer = normalizer::Sigmoid{};
      break;
    case NormalizerKind::hard:
      options.normalizer = normalizer::Hard{};
      break;
  }
  if (asked.sample_seed) options.normalizer = normalizer::Sample{*asked.sample_seed};
  options.scale = call.scale;
  options.softcap = call.softcap;
  options.mask = call.mask;
  options.dropout = asked.dropout;
  if (!call.bias.empty()) {
    bias = Placed({call.batch, call.heads, call.queries, call.keys}, call.bias, in);
    options.bias = bias.view();
  }
  if (!call.sinks.empty()) {
    sinks = Placed({call.heads}, call.sinks, in);
    options.sinks = sinks.view();
  }

  constexpr float blank = 12345;
  const Shape pairs{call.batch, call.heads, call.queries, call.keys};
  Placed output({call.batch, call.heads, call.queries, call.value_width}, out, blank);
  Placed weights(pairs, out, blank), scores(pairs, out, blank);
  Placed log_sum_exp({call.batch, call.heads, call.queries}, out, blank);
  const bool softmax = call.normalizer == NormalizerKind::softmax && !asked.sample_seed;
  if (asked.further) {
    options.returns.weights = weights.view();
    options.returns.scores = scores.view();
    if (softmax) options.returns.log_sum_exp = log_sum_exp.view();
  }
  EXPECT_TRUE(ok(try_attention(query.view(), key.view(), value.view(), output.view(), options)));
  EXPECT_TRUE(output.gaps_untouched() && weights.gaps_untouched() && scores.gaps_untouched() &&
              log_sum_exp.gaps_untouched())
      << "written between the elements of a result";

  Results<float> results;
  results.output = output.values();
  if (asked.further) {
    results.weights = weights.values();
    results.scores = scores.values();
    if (softmax) results.log_sum_exp = log_sum_exp.values();
  }
  return results;
}

// Compares every result that `got` has.
template <class Want>
testing::AssertionResult agree(const PlainCall& call, const Results<float>& got,
                               const Results<Want>& want, Tolerance tolerance = {}) {
  const Shape pairs{call.batch, call.heads, call.queries, call.keys};
  const Shape rows{call.batch, call.heads, call.queries};
  const Shape output{call.batch, call.heads, call.queries, call.value_width};
  testing::AssertionResult result = agree(got.output, want.output, tolerance, &output);
  if (!result) return result << "\nin the output";
  if (!got.scores.empty()) {
    result = agree(got.scores, want.scores, tolerance, &pairs);
    if (!result) return result << "\nin the scores";
    result = agree(got.weights, want.weights, tolerance, &pairs);
    if (!result) return result << "\nin the weights";
  }
  if (!got.log_sum_exp.empty()) {
    result = agree(got.log_sum_exp, want.log_sum_exp, tolerance, &rows);
    if (!result) return result << "\nin logSumExp";
  }
  return result;
}

inline testing::AssertionResult same_bits(const Results<float>& a, const Results<float>& b) {
  for (const auto part : {&Results<float>::output, &Results<float>::weights,
                          &Results<float>::scores, &Results<float>::log_sum_exp}) {
    testing::AssertionResult result = same_bits(a.*part, b.*part);
    if (!result) return result;
  }
  return testing::AssertionSuccess();
}

}  // namespace qkv::test
