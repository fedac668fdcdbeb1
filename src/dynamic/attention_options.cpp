#include "dynamic/attention_options.hpp"

#include "text.hpp"

namespace qkv::dynamic {
namespace {

Status read_score(std::string_view name, Value value, Scratch& scratch, Score& score) {
  if (value.tag() != Tag::object) {
    int choice = 0;
    if (!read_word(name, value, {"scaledDot", "dot", "cosine"}, choice).ok()) {
      return expected(name, "\"scaledDot\", \"dot\", \"cosine\", { additive } or { bilinear }", value);
    }
    if (choice == 0) score = score::ScaledDot{};
    if (choice == 1) score = score::Dot{};
    if (choice == 2) score = score::Cosine{};
    return {};
  }
  int given = 0;
  const CustomReader additive([&](std::string_view field, Value entry) -> Status {
    score::Additive weights;
    ++given;
    QKV_TRY(read_object(field, entry,
                        {{"queryWeight", &weights.query_weight, true},
                         {"keyWeight", &weights.key_weight, true},
                         {"vector", &weights.vector, true}},
                        scratch));
    score = weights;
    return {};
  });
  const CustomReader bilinear([&](std::string_view field, Value entry) -> Status {
    score::Bilinear weights;
    ++given;
    QKV_TRY(read_object(field, entry, {{"weight", &weights.weight, true}}, scratch));
    score = weights;
    return {};
  });
  QKV_TRY(read_object(name, value, {{"additive", &additive}, {"bilinear", &bilinear}}, scratch));
  if (given != 1) return expected(name, "either { additive } or { bilinear }", value);
  return {};
}

Status read_normalizer(std::string_view name, Value value, Scratch& scratch,
                       Normalizer& normalizer) {
  if (value.tag() != Tag::object) {
    int choice = 0;
    if (!read_word(name, value, {"softmax", "relu", "sigmoid", "hard"}, choice).ok()) {
      return expected(name, "\"softmax\", \"relu\", \"sigmoid\", \"hard\" or { sample: { seed } }", value);
    }
    if (choice == 0) normalizer = normalizer::Softmax{};
    if (choice == 1) normalizer = normalizer::Relu{};
    if (choice == 2) normalizer = normalizer::Sigmoid{};
    if (choice == 3) normalizer = normalizer::Hard{};
    return {};
  }
  const CustomReader sample([&](std::string_view field, Value entry) -> Status {
    normalizer::Sample draw;
    QKV_TRY(read_object(field, entry, {{"seed", &draw.seed, true}}, scratch));
    normalizer = draw;
    return {};
  });
  return read_object(name, value, {{"sample", &sample, true}}, scratch);
}

}  // namespace

Status AttentionOptionReader::read(Call& call, std::size_t place, AttentionOptions& target,
                                   Fields more) {
  // All may be left out, `more` too.
  if (call.argument(place).absent()) return {};
  Scratch& scratch = call.scratch();
  const CustomReader score([&](std::string_view name, Value value) {
    return read_score(name, value, scratch, target.score);
  });
  const CustomReader normalizer([&](std::string_view name, Value value) {
    return read_normalizer(name, value, scratch, target.normalizer);
  });
  const CustomReader mask([&](std::string_view name, Value value) {
    return read_mask(name, value, target.mask);
  });
  const CustomReader dropout([&](std::string_view name, Value value) -> Status {
    Dropout drop;
    QKV_TRY(read_object(name, value, {{"p", &drop.p, true}, {"seed", &drop.seed, true}}, scratch));
    target.dropout = drop;
    return {};
  });
  const CustomReader returns([&](std::string_view name, Value value) {
    return read_object(
        name, value,
        {{"weights", &weights_}, {"scores", &scores_}, {"logSumExp", &log_sum_exp_}}, scratch);
  });
  const CustomReader out([&](std::string_view name, Value value) -> Status {
    Index elements = 0;
    if (!read_integer(name, value, elements).ok()) return expected(name, "a Float32Array", value);
    out_ = elements;
    return {};
  });
  return call.options(place,
                      {{"score", &score},
                       {"scale", &target.scale},
                       {"softcap", &target.softcap},
                       {"bias", &target.bias},
                       {"mask", &mask},
                       {"normalizer", &normalizer},
                       {"sinks", &target.sinks},
                       {"dropout", &dropout},
                       {"returns", &returns},
                       {"out", &out}},
                      more);
}

Status AttentionOptionReader::reserve(const Shape& shape, const Shape& by_head, Index key_length,
                                      AttentionOptions& target) {
  if (out_ && *out_ != shape.elements()) {
    return shape_error("out: holds ", *out_, " elements, the output ", shape, " has ",
                       shape.elements());
  }
  QKV_TRY(Tensor::create(shape, output_));
  Shape pairs = by_head;
  pairs[by_head.rank() - 1] = key_length;
  if (weights_) {
    QKV_TRY(Tensor::create(pairs, weights_memory_));
    target.returns.weights = weights_memory_;
  }
  if (scores_) {
    QKV_TRY(Tensor::create(pairs, scores_memory_));
    target.returns.scores = scores_memory_;
  }
  if (log_sum_exp_) {
    QKV_TRY(Tensor::create(Shape(by_head.begin(), static_cast<std::size_t>(by_head.rank()) - 1),
                           log_sum_exp_memory_));
    target.returns.log_sum_exp = log_sum_exp_memory_;
  }
  return {};
}

void AttentionOptionReader::give(Call& call) {
  call.give("output", std::move(output_));
  if (weights_) call.give("weights", std::move(weights_memory_));
  if (scores_) call.give("scores", std::move(scores_memory_));
  if (log_sum_exp_) call.give("logSumExp", std::move(log_sum_exp_memory_));
}

}  // namespace qkv::dynamic
