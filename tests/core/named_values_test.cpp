// Values of another language: how they are read, and that the named interface computes what the C++
// one does.
#include <gtest/gtest.h>

#include "qkv/position.hpp"
#include "support/agree.hpp"
#include "support/values.hpp"

namespace qkv::test {
namespace {

std::vector<float> only_output(const char* operation, const Json& arguments) {
  std::vector<dynamic::Result> results;
  EXPECT_TRUE(ok(run_named(operation, arguments, results)));
  if (results.empty() || !std::holds_alternative<Tensor>(results[0].value)) return {};
  EXPECT_EQ(results[0].name, "output");
  return elements(std::get<Tensor>(results[0].value));
}

Json json(const char* text) { return Json::parse(text, nullptr, false); }

TEST(NamedValues, Strings) {
  for (const std::string& text : {std::string(), std::string("abc"), std::string("\xC3\xA9\xE6\xB3\xA8"),
                                  std::string("\xF0\x9F\x98\x80!"), std::string("\x7F\xDF\xBF\xEF\xBF\xBF")}) {
    std::vector<double> words{static_cast<double>(dynamic::Tag::string)};
    dynamic::write_string(text, words);
    const dynamic::Value value(words.data());
    EXPECT_EQ(value.string(), text);
    EXPECT_EQ(value.end(), words.data() + words.size());
  }
  // A pair of units for what lies beyond the first 65536.
  std::vector<double> words;
  dynamic::write_string("\xF0\x9F\x98\x80", words);
  EXPECT_EQ(words, (std::vector<double>{2, 0xD83D, 0xDE00}));
}

TEST(NamedValues, Descriptions) {
  const std::pair<const char*, const char*> cases[] = {
      {"[null]", "nothing"},
      {"[true]", "true"},
      {"[2.5]", "the number 2.5"},
      {"[\"abc\"]", "\"abc\""},
      {"[[\"a\", {}]]", "an array of 2"},
      {"[{\"left\": 1, \"right\": 2}]", "an object { left, right }"},
      {"[{\"shape\": [1, 2], \"data\": [3, 4]}]", "numbers of shape [1, 2]"},
      {"[[[1], [2]]]", "numbers of shape [2, 1]"},
      {"[[]]", "numbers of shape [0]"},
      {"[[true, false]]", "booleans of shape [2]"},
  };
  for (const auto& [arguments, want] : cases) {
    Values values;
    const Json list = json(arguments);
    for (const Json& argument : list) values.add(argument);
    const dynamic::Call call(values.words());
    EXPECT_EQ(call.argument(0).describe(), want);
    EXPECT_TRUE(call.argument(1).absent());
  }
}

// Every kind of value, one after the other: each ends where the next begins.
TEST(NamedValues, Ends) {
  Values values;
  const Json all = json(R"([null, true, 3, "text", [], [[1, 2], [3, 4]], [[true]], ["a", [1], {"b": null}],
                            {"kind": "and", "masks": [{"kind": "causal"}, {"kind": "not", "mask": {}}]},
                            {"shape": [2, 1], "data": [1, 2]}, 7])");
  for (const Json& one : all) values.add(one);
  const dynamic::Call call(values.words());
  EXPECT_EQ(call.argument(10).number(), 7);
  EXPECT_EQ(call.argument(3).string(), "text");
}

TEST(NamedValues, AnyFormOfNumbersIsATensor) {
  const std::vector<float> want = {1, 2, 3, 4};
  for (const char* form :
       {R"([{"shape": [2, 2], "data": [1, 2, 3, 4]}])", R"([[[1, 2], [3, 4]]])",
        R"([{"shape": [2, 2], "strides": [3, 1], "data": [1, 2, 9, 3, 4]}])",
        R"([{"shape": [2, 2], "strides": [1, 2], "data": [1, 3, 2, 4]}])"}) {
    EXPECT_TRUE(same_bits(only_output("tensor", json(form)), want)) << form;
  }
  EXPECT_TRUE(only_output("tensor", json("[[]]")).empty());
}

TEST(NamedValues, SeveralConvertedTensorsLiveAsLongAsTheCall) {
  // float64 each, so that every one is converted into memory of the call's.
  const std::vector<float> got = only_output(
      "attention", json(R"([[[1, 0]], [[1, 0], [0, 1]], [[1], [3]],
                            {"bias": [[0.5, 0.25]], "score": {"bilinear": {"weight": [[1, 2], [3, 4]]}}}])"));
  const double first = std::exp(1 + 0.5), second = std::exp(2 + 0.25);
  EXPECT_TRUE(agree(got, std::vector<double>{(first + 3 * second) / (first + second)}));
}

TEST(NamedValues, AbsentEntriesLeaveDefaults) {
  const Json plain = json("[[[1, 2]], [[3, 4]], [[5, 6]]]");
  Json with_null = plain;
  with_null.push_back(json(R"({"scale": null, "mask": null, "bias": null, "returns": null})"));
  EXPECT_TRUE(same_bits(only_output("attention", plain), only_output("attention", with_null)));
}

TEST(NamedValues, FurtherResultsAreNamed) {
  std::vector<dynamic::Result> results;
  ASSERT_TRUE(ok(run_named(
      "attention", json(R"([[[[1]], [[2]]], [[3], [4], [5]], [[6, 7], [8, 9], [0, 1]],
                            {"returns": {"weights": true, "scores": true, "logSumExp": true}}])"),
      results)));
  const std::pair<const char*, const char*> want[] = {{"output", "[2, 1, 2]"},
                                                      {"weights", "[2, 1, 3]"},
                                                      {"scores", "[2, 1, 3]"},
                                                      {"logSumExp", "[2, 1]"}};
  ASSERT_EQ(results.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(results[i].name, want[i].first);
    EXPECT_EQ(std::get<Tensor>(results[i].value).shape().to_string(), want[i].second);
  }
}

TEST(NamedValues, OutHoldsTheOutput) {
  EXPECT_EQ(only_output("attention", json(R"([[[1]], [[1]], [[5, 6]], {"out": 2}])")).size(), 2u);
}

// A mask's heads and batch are axes where they are named.
TEST(NamedValues, MaskMatrixAxes) {
  const std::pair<const char*, const char*> cases[] = {
      {"{\"queryLength\": 2, \"keyLength\": 3}", "[2, 3]"},
      {"{\"queryLength\": 2, \"keyLength\": 3, \"heads\": 1}", "[1, 2, 3]"},
      {"{\"queryLength\": 2, \"keyLength\": 3, \"heads\": 2, \"batch\": 1}", "[1, 2, 2, 3]"},
      {"{\"queryLength\": 0, \"keyLength\": 3}", "[0, 3]"}};
  for (const auto& [options, want] : cases) {
    std::vector<dynamic::Result> results;
    ASSERT_TRUE(ok(run_named("maskMatrix", Json::array({json("{\"kind\": \"causal\"}"), json(options)}),
                             results)));
    EXPECT_EQ(std::get<Tensor>(results[0].value).shape().to_string(), want);
  }
}

TEST(NamedValues, LearnedIsThatOfCpp) {
  Tensor want;
  ASSERT_TRUE(ok(Tensor::create({5, 3}, want)));
  ASSERT_TRUE(ok(position::try_learned(9007199254740991, want)));
  EXPECT_TRUE(same_bits(
      only_output("position.learned", json(R"([{"length": 5, "dim": 3, "seed": 9007199254740991}])")),
      elements(want)));
}

TEST(NamedValues, Linear) {
  EXPECT_TRUE(same_bits(only_output("linear", json("[[[1, 2]], [[3, 4], [5, 6], [7, 8]]]")), {11, 17, 23}));
  EXPECT_TRUE(same_bits(only_output("linear", json("[[[1, 2]], [[3, 4], [5, 6]], [10, 20]]")), {21, 37}));
}

TEST(NamedValues, NamesAreUnique) {
  for (const auto& operation : dynamic::operations()) {
    EXPECT_EQ(find_operation(operation.name), &operation) << operation.name;
  }
}

}  // namespace
}  // namespace qkv::test
