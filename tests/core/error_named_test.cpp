// The named interface refuses unknown names, missing options and values of the wrong kind, with
// sentences that name what was seen.
#include <gtest/gtest.h>

#include "support/agree.hpp"
#include "support/values.hpp"

namespace qkv::test {
namespace {

struct BadRequest {
  const char* name;
  const char* operation;
  const char* arguments;  // JSON
  const char* code;
  std::vector<std::string> words;
};

void PrintTo(const BadRequest& request, std::ostream* out) {
  *out << request.operation << " " << request.arguments;
}

// `x` stands for a small matrix.
const BadRequest bad_requests[] = {
    {"NoArguments", "attention", "[]", "argument", {"query", "nothing"}},
    {"NoValue", "attention", "[x, x]", "argument", {"value", "nothing"}},
    {"QueryIsANumber", "attention", "[3, x, x]", "argument", {"query", "number 3"}},
    {"QueryIsText", "attention", "[\"abc\", x, x]", "argument", {"query", "\"abc\""}},
    {"QueryIsBooleans", "attention", "[[[true]], x, x]", "argument", {"query", "booleans", "[1, 1]"}},
    {"QueryIsAnObject", "attention", "[{\"data\": 1}, x, x]", "argument", {"query", "data"}},
    {"QueryIsAList", "attention", "[[\"a\", \"b\"], x, x]", "argument", {"query", "array of 2"}},
    {"OptionsAreANumber", "attention", "[x, x, x, 5]", "argument", {"options", "5"}},
    {"UnknownOption", "attention", "[x, x, x, {\"scales\": 2}]", "argument",
     {"\"scales\"", "scale", "softcap", "dropout"}},
    {"UnknownReturn", "attention", "[x, x, x, {\"returns\": {\"weight\": true}}]", "argument",
     {"returns.weight", "weights", "logSumExp"}},
    {"ReturnIsANumber", "attention", "[x, x, x, {\"returns\": {\"weights\": 1}}]", "argument",
     {"returns.weights", "true or false", "1"}},
    {"ScaleIsText", "attention", "[x, x, x, {\"scale\": \"big\"}]", "argument", {"scale", "\"big\""}},
    {"ScaleIsNan", "attention", "[x, x, x, {\"scale\": \"NaN\"}]", "argument", {"scale", "NaN"}},
    {"UnknownScore", "attention", "[x, x, x, {\"score\": \"dots\"}]", "argument",
     {"score", "\"scaledDot\"", "\"dots\""}},
    {"ScoreOfNothing", "attention", "[x, x, x, {\"score\": {}}]", "argument", {"score", "additive"}},
    {"ScoreOfBoth", "attention",
     "[x, x, x, {\"score\": {\"bilinear\": {\"weight\": x}, \"additive\": "
     "{\"queryWeight\": x, \"keyWeight\": x, \"vector\": [1]}}}]",
     "argument", {"score", "either"}},
    {"UnknownScoreObject", "attention", "[x, x, x, {\"score\": {\"trilinear\": {}}}]", "argument",
     {"score.trilinear", "additive"}},
    {"AdditiveLacksAWeight", "attention",
     "[x, x, x, {\"score\": {\"additive\": {\"queryWeight\": x, \"vector\": [1]}}}]", "argument",
     {"score.additive.keyWeight", "needed"}},
    {"UnknownNormalizer", "attention", "[x, x, x, {\"normalizer\": \"softmin\"}]", "argument",
     {"normalizer", "\"softmin\"", "\"softmax\""}},
    {"SampleWithoutSeed", "attention", "[x, x, x, {\"normalizer\": {\"sample\": {}}}]", "argument",
     {"normalizer.sample.seed", "needed"}},
    {"SeedBelow0", "attention", "[x, x, x, {\"normalizer\": {\"sample\": {\"seed\": -1}}}]", "argument",
     {"seed", "-1"}},
    {"SeedIsAFraction", "attention", "[x, x, x, {\"dropout\": {\"p\": 0.5, \"seed\": 1.5}}]", "argument",
     {"dropout.seed", "1.5"}},
    {"SeedBeyondWholeNumbers", "attention", "[x, x, x, {\"dropout\": {\"p\": 0.5, \"seed\": 1e300}}]",
     "argument", {"dropout.seed", "1e300"}},
    {"DropoutIsANumber", "attention", "[x, x, x, {\"dropout\": 0.5}]", "argument", {"dropout", "0.5"}},
    {"DropoutWithoutSeed", "attention", "[x, x, x, {\"dropout\": {\"p\": 0.5}}]", "argument",
     {"dropout.seed", "needed"}},
    {"BiasIsText", "attention", "[x, x, x, {\"bias\": \"alibi\"}]", "argument", {"bias", "\"alibi\""}},
    {"OutTooSmall", "attention", "[x, x, x, {\"out\": 3}]", "shape", {"out", "3", "4", "[2, 2]"}},
    {"OutIsText", "attention", "[x, x, x, {\"out\": \"here\"}]", "argument", {"out", "Float32Array"}},
    {"LogSumExpOfHard", "attention",
     "[x, x, x, {\"normalizer\": \"hard\", \"returns\": {\"logSumExp\": true}}]", "argument",
     {"logSumExp", "softmax"}},

    // Memory that shape or strides would reach beyond.
    {"ShapeBeyondData", "attention", "[{\"shape\": [2, 3], \"data\": [1, 2, 3, 4, 5]}, x, x]", "shape",
     {"query", "5", "[2, 3]"}},
    {"StridesBeyondData", "attention",
     "[{\"shape\": [2, 2], \"strides\": [3, 1], \"data\": [1, 2, 3, 4]}, x, x]", "shape",
     {"query", "4", "[3, 1]"}},
    {"StridesBeforeData", "attention",
     "[{\"shape\": [2, 2], \"strides\": [-2, 1], \"data\": [1, 2, 3, 4]}, x, x]", "shape",
     {"query", "[-2, 1]", "-2"}},
    {"EnormousStrides", "attention",
     "[{\"shape\": [2, 2], \"strides\": [9007199254740991, 9007199254740991], \"data\": [1, 2, 3, 4]}, x, x]",
     "shape", {"query", "9007199254740991"}},
    {"Rank9", "attention", "[{\"shape\": [1,1,1,1,1,1,1,2,2], \"data\": [1, 2, 3, 4]}, x, x]", "shape",
     {"query", "9", "8"}},
    {"TooManyElements", "attention",
     "[{\"shape\": [2147483648, 2147483648], \"data\": [1, 2, 3, 4]}, x, x]", "shape",
     {"query", "2147483648"}},

    // Masks.
    {"MaskIsAMatrix", "attention", "[x, x, x, {\"mask\": [[true, false], [true, true]]}]", "argument",
     {"mask", "mask.keep", "[2, 2]"}},
    {"MaskIsNumbers", "attention", "[x, x, x, {\"mask\": [[1, 0], [1, 1]]}]", "argument",
     {"mask", "mask.keep"}},
    {"MaskIsText", "attention", "[x, x, x, {\"mask\": \"causal\"}]", "argument", {"mask", "\"causal\""}},
    {"MaskWithoutKind", "attention", "[x, x, x, {\"mask\": {\"offset\": 1}}]", "argument",
     {"mask", "offset"}},
    {"MaskOfUnknownKind", "attention", "[x, x, x, {\"mask\": {\"kind\": \"diagonal\"}}]", "argument",
     {"mask", "\"diagonal\"", "causal", "perHead"}},
    {"MaskWithUnknownOption", "attention", "[x, x, x, {\"mask\": {\"kind\": \"causal\", \"size\": 1}}]",
     "argument", {"mask.size", "offset"}},
    {"CausalOffset", "attention", "[x, x, x, {\"mask\": {\"kind\": \"causal\", \"offset\": \"start\"}}]",
     "argument", {"mask.offset", "\"end\"", "\"start\""}},
    {"WindowIsAFraction", "attention", "[x, x, x, {\"mask\": {\"kind\": \"window\", \"left\": 0.5}}]",
     "argument", {"mask.left", "0.5"}},
    {"StridedWithoutStride", "attention", "[x, x, x, {\"mask\": {\"kind\": \"strided\"}}]", "argument",
     {"mask.stride", "needed"}},
    {"BlocksOfNothing", "attention", "[x, x, x, {\"mask\": {\"kind\": \"blocks\", \"size\": 1}}]",
     "argument", {"mask", "pairs", "layout", "neither"}},
    {"BlocksOfBoth", "attention",
     "[x, x, x, {\"mask\": {\"kind\": \"blocks\", \"size\": 1, \"pairs\": [[0, 0]], \"layout\": [[true]]}}]",
     "argument", {"mask", "both"}},
    {"BlockTriples", "attention",
     "[x, x, x, {\"mask\": {\"kind\": \"blocks\", \"size\": 1, \"pairs\": [[0, 0, 0]]}}]", "shape",
     {"mask.pairs", "[1, 3]"}},
    {"LengthsAreText", "attention", "[x, x, x, {\"mask\": {\"kind\": \"lengths\", \"key\": \"all\"}}]",
     "argument", {"mask.key", "\"all\""}},
    {"LengthsAreFractions", "attention",
     "[x, x, x, {\"mask\": {\"kind\": \"lengths\", \"key\": [1.5]}}]", "argument", {"mask.key", "1.5"}},
    {"LengthsAreTiny", "attention", "[x, x, x, {\"mask\": {\"kind\": \"lengths\", \"key\": [5e-324]}}]",
     "argument", {"mask.key", "e-324"}},
    {"SegmentRows", "attention",
     "[x, x, x, {\"mask\": {\"kind\": \"segments\", \"query\": [[0, 0], [0, 0]], \"key\": [0, 0]}}]",
     "shape", {"mask", "2", "1"}},
    {"MatrixOfOtherNumbers", "attention",
     "[x, x, x, {\"mask\": {\"kind\": \"keep\", \"matrix\": [[1, 2], [0, 1]]}}]", "argument",
     {"mask.matrix", "2", "0 and 1"}},
    {"MatrixOfNan", "attention",
     "[x, x, x, {\"mask\": {\"kind\": \"keep\", \"matrix\": [[\"NaN\", 1], [0, 1]]}}]", "argument",
     {"mask.matrix", "NaN"}},
    {"MatrixSize", "attention",
     "[x, x, x, {\"mask\": {\"kind\": \"ignore\", \"matrix\": [[true, false, true]]}}]", "shape",
     {"[1, 3]", "2, 2]"}},
    {"AndOfNumbers", "attention", "[x, x, x, {\"mask\": {\"kind\": \"and\", \"masks\": [1, 2]}}]",
     "argument", {"mask.masks"}},
    {"AndOfNothing", "attention", "[x, x, x, {\"mask\": {\"kind\": \"and\", \"masks\": []}}]", "argument",
     {"and", "none"}},
    {"WrongPartOfAMask", "attention",
     "[x, x, x, {\"mask\": {\"kind\": \"not\", \"mask\": {\"kind\": \"or\", \"masks\": "
     "[{\"kind\": \"causal\"}, {\"kind\": \"strided\", \"stride\": \"3\"}]}}}]",
     "argument", {"mask.mask.masks[1].stride", "\"3\""}},

    // Masks as matrices.
    {"MatrixWithoutLength", "maskMatrix", "[{\"kind\": \"causal\"}, {\"keyLength\": 3}]", "argument",
     {"queryLength", "needed"}},
    {"MatrixBelow0", "maskMatrix", "[{\"kind\": \"causal\"}, {\"queryLength\": -1, \"keyLength\": 3}]",
     "shape", {"-1"}},
    {"StatsOfNothing", "maskStats", "[null, {\"queryLength\": 1, \"keyLength\": 3}]", "argument",
     {"mask", "nothing"}},
    {"StatsTooLarge", "maskStats",
     "[{\"kind\": \"causal\"}, {\"queryLength\": 4294967296, \"keyLength\": 4294967296}]", "shape",
     {"4294967296"}},

    // Positions.
    {"SinusoidalWithoutDim", "position.sinusoidal", "[{\"length\": 3}]", "argument", {"dim", "needed"}},
    {"SinusoidalLayout", "position.sinusoidal", "[{\"length\": 3, \"dim\": 2, \"layout\": \"mixed\"}]",
     "argument", {"layout", "\"interleaved\"", "\"mixed\""}},
    {"SinusoidalBelow0", "position.sinusoidal", "[{\"length\": -3, \"dim\": 2}]", "shape", {"[-3, 2]"}},
    {"SinusoidalBase", "position.sinusoidal", "[{\"length\": 3, \"dim\": 2, \"base\": -1}]", "argument",
     {"base", "-1"}},
    {"RotaryBoth", "position.rotary", "[x, {\"positions\": [1, 2], \"offset\": 1}]", "argument",
     {"positions", "offset", "both"}},
    {"RotaryPositions", "position.rotary", "[x, {\"positions\": [1, 2, 3]}]", "shape", {"3", "2"}},
    {"RotaryLayout", "position.rotary", "[x, {\"layout\": \"halves\"}]", "argument",
     {"layout", "\"half\"", "\"halves\""}},
    {"RotaryDims", "position.rotary", "[x, {\"dims\": 4}]", "argument", {"dims", "4", "2"}},
    {"SlopesOfNothing", "position.alibiSlopes", "[0]", "argument", {"heads", "0"}},
    {"SlopesBelow0", "position.alibiSlopes", "[-2]", "argument", {"heads", "-2"}},
    {"SlopesOfText", "position.alibiSlopes", "[\"eight\"]", "argument", {"heads", "\"eight\""}},
    {"RelativeTable", "position.relativeBias", "[x, {\"queryLength\": 2, \"keyLength\": 2}]", "shape",
     {"table", "32", "[2, 2]"}},
    {"LearnedWithoutSeed", "position.learned", "[{\"length\": 3, \"dim\": 2}]", "argument",
     {"seed", "needed"}},

    // Layers.
    {"LayerWithoutHeads", "MultiHeadAttention.create", "[{\"embedDim\": 4}]", "argument",
     {"config.numHeads", "needed"}},
    {"LayerOption", "MultiHeadAttention.create", "[{\"embedDim\": 4, \"numHeads\": 2, \"heads\": 1}]",
     "argument", {"config.heads", "numHeads"}},
    {"LayerKvHeads0", "MultiHeadAttention.create", "[{\"embedDim\": 4, \"numHeads\": 2, \"numKvHeads\": 0}]",
     "argument", {"numKvHeads", "0"}},
    {"LayerOverflows", "MultiHeadAttention.create",
     "[{\"embedDim\": 4, \"numHeads\": 4294967296, \"headDim\": 4294967296}]", "argument", {"4294967296"}},
    {"DictIsText", "MultiHeadAttention.load", "[{\"embedDim\": 2, \"numHeads\": 1}, \"file\"]", "argument",
     {"state dict", "\"file\""}},
    {"DictOfText", "MultiHeadAttention.load", "[{\"embedDim\": 2, \"numHeads\": 1}, {\"q_proj.weight\": \"x\"}]",
     "argument", {"q_proj.weight", "\"x\""}},
    {"EncodingKind", "PositionalEncoding.create", "[{\"dim\": 4, \"kind\": \"rotary\"}]", "argument",
     {"config.kind", "\"sinusoidal\"", "\"rotary\""}},
    {"EncodingTable", "PositionalEncoding.forward", "[{\"dim\": 2, \"maxLength\": 5}, x, x]", "shape",
     {"table", "[5, 2]", "[2, 2]"}},
    {"EncodingTooLong", "PositionalEncoding.forward",
     "[{\"dim\": 2, \"maxLength\": 2}, x, [[1, 2], [3, 4], [5, 6]]]", "shape", {"3", "2"}},
    {"TensorOfNothing", "tensor", "[]", "argument", {"tensor", "nothing"}},
    {"TensorOfText", "tensor", "[\"abc\"]", "argument", {"tensor", "\"abc\""}},
};

Json parsed(std::string arguments) {
  const std::string matrix = R"({"shape": [2, 2], "data": [1, 2, 3, 4]})";
  for (std::size_t at = 0; (at = arguments.find('x', at)) != std::string::npos;) {
    const bool word = (at > 0 && (std::isalpha(arguments[at - 1]) || arguments[at - 1] == '"')) ||
                      std::isalpha(arguments[at + 1]);
    if (!word) arguments.replace(at, 1, matrix);
    at += word ? 1 : matrix.size();
  }
  return Json::parse(arguments, nullptr, false);
}

class ErrorNamed : public testing::TestWithParam<BadRequest> {};

TEST_P(ErrorNamed, IsRefused) {
  const BadRequest& bad = GetParam();
  const Json arguments = parsed(bad.arguments);
  ASSERT_TRUE(arguments.is_array()) << "the test's own JSON is wrong";
  std::vector<dynamic::Result> results;
  EXPECT_TRUE(refused(run_named(bad.operation, arguments, results), code_named(bad.code), bad.words));
  EXPECT_TRUE(results.empty());
  // The next call works.
  EXPECT_TRUE(ok(run_named("attention", parsed("[x, x, x]"), results)));
  EXPECT_EQ(results.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Requests, ErrorNamed, testing::ValuesIn(bad_requests),
                         [](const auto& info) { return std::string(info.param.name); });

// What JSON cannot say: disposed tensors, values that the binding could not write.
TEST(ErrorNamedWords, DisposedAndUnusable) {
  std::vector<dynamic::Result> results;
  const Json matrix = parsed("x");
  const auto attention_of = [&](const std::vector<double>& words) {
    Values values;
    values.add(matrix);
    values.add_words(words);
    values.add(matrix);
    return run_named("attention", values, results);
  };
  EXPECT_TRUE(refused(attention_of({10}), ErrorCode::disposed, {"key", "disposed"}));
  std::vector<double> unusable{9};
  dynamic::write_string("rows of 2 and 3 at [1]", unusable);
  EXPECT_TRUE(refused(attention_of(unusable), ErrorCode::argument, {"key", "rows of 2 and 3 at [1]"}));

  // Deep inside an object too.
  const auto mask_of = [&](const std::vector<double>& value) {
    std::vector<double> words{5, 1};
    dynamic::write_string("mask", words);
    words.insert(words.end(), {5, 2});
    dynamic::write_string("kind", words);
    words.push_back(3);
    dynamic::write_string("keep", words);
    dynamic::write_string("matrix", words);
    words.insert(words.end(), value.begin(), value.end());
    Values values;
    for (int i = 0; i < 3; ++i) values.add(matrix);
    values.add_words(words);
    return run_named("attention", values, results);
  };
  EXPECT_TRUE(refused(mask_of({10}), ErrorCode::disposed, {"mask.matrix"}));
  EXPECT_TRUE(refused(mask_of(unusable), ErrorCode::argument, {"mask.matrix", "rows of 2 and 3"}));
}

}  // namespace
}  // namespace qkv::test
