// Every case of every golden file, one test each, through the core's named interface.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "random/philox.hpp"
#include "support/agree.hpp"
#include "support/values.hpp"

namespace qkv::test {
namespace {

struct GoldenCase {
  std::string file, name;
  Json json;
};

// What gtest prints of a case when it fails, beside its own message.
void PrintTo(const GoldenCase& golden, std::ostream* out) {
  *out << golden.file << ": " << golden.name << " (" << golden.json.value("note", "") << ")";
}

Json read_json(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return Json::parse(text.str(), nullptr, false);
}

std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(QKV_GOLDEN, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() == ".json") files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

const std::vector<GoldenCase>& golden_cases() {
  static const std::vector<GoldenCase> cases = [] {
    std::vector<GoldenCase> list;
    for (const auto& path : golden_files()) {
      const Json file = read_json(path);
      if (!file.is_object() || file.value("format", "") != "qkv-golden") continue;
      for (const Json& json : file["cases"]) {
        list.push_back({path.stem().string(), json.value("name", ""), json});
      }
    }
    return list;
  }();
  return cases;
}

// A file that vanished, or that no longer parses, would take its cases with it in silence.
TEST(GoldenFiles, AreAllThere) {
  EXPECT_GT(golden_cases().size(), 650u);
  std::map<std::string, int> counts;
  for (const GoldenCase& golden : golden_cases()) ++counts[golden.file];
  for (const char* file :
       {"attention", "block", "content", "conventions", "fewer_keys", "linear_attention",
        "mask_presets", "masks", "mixers", "multihead", "philox", "picking", "positions",
        "worked_example"}) {
    EXPECT_GT(counts[file], 0) << file;
  }
  for (const auto& path : golden_files()) {
    const Json file = read_json(path);
    ASSERT_TRUE(file.is_object()) << path << " is no JSON object";
    EXPECT_EQ(file.value("format", ""), "qkv-golden") << path;
    EXPECT_EQ(file.value("version", 0), 1) << path;
  }
}

// Every operation of the interface has a case, but for those whose draws are the library's own, the
// copy, the projection that every case of a layer runs four times, and the catalogue, which runs what
// has cases of its own.
TEST(GoldenFiles, CoverTheOperations) {
  std::set<std::string> covered = {"linear",          "position.learned", "tensor",
                                   "mechanisms",      "mechanism.run",    "mechanism.draw",
                                   "mechanism.cost",  "mechanism.pattern"};
  for (const GoldenCase& golden : golden_cases()) covered.insert(golden.json.value("operation", ""));
  for (const auto& operation : dynamic::operations()) {
    EXPECT_EQ(covered.count(operation.name), 1u) << operation.name;
  }
}

Status run_philox(const Json& arguments, std::vector<dynamic::Result>& results) {
  random::Counter counter{};
  for (std::size_t i = 0; i < 4; ++i) counter[i] = arguments[0][i].get<std::uint32_t>();
  const std::uint64_t seed =
      arguments[1][0].get<std::uint64_t>() | arguments[1][1].get<std::uint64_t>() << 32;
  const random::Counter drawn = random::philox(counter, seed);
  for (std::size_t i = 0; i < 4; ++i) results.push_back({"", static_cast<double>(drawn[i])});
  return {};
}

// The forward pass of a layer whose state dict is another library's: loaded first, then run with what
// that gives.
Status run_foreign_layer(const Json& arguments, const Json& options,
                         std::vector<dynamic::Result>& results) {
  std::vector<dynamic::Result> parameters;
  Status loaded =
      run_named("MultiHeadAttention.load", Json::array({arguments[0], arguments[1]}), parameters);
  if (!loaded.ok()) return loaded;
  std::vector<std::pair<std::string, const Tensor*>> tensors;
  for (const auto& parameter : parameters) {
    tensors.emplace_back(parameter.name, &std::get<Tensor>(parameter.value));
  }
  Values values;
  values.add(arguments[0]);
  values.add(tensors);
  for (std::size_t i = 2; i < arguments.size(); ++i) values.add(arguments[i]);
  while (values.words()[0] < 5) values.add(Json());
  values.add(options);
  return run_named("MultiHeadAttention.forward", values, results);
}

Status run_case(const Json& golden, std::vector<dynamic::Result>& results) {
  const std::string operation = golden["operation"];
  Json arguments = golden["arguments"];
  if (operation == "philox") return run_philox(arguments, results);
  if (operation == "MultiHeadAttention.forward") {
    return run_foreign_layer(arguments, golden.value("options", Json::object()), results);
  }
  if (golden.contains("options")) arguments.push_back(golden["options"]);
  return run_named(operation, arguments, results);
}

std::vector<double> numbers_in(const Json& list) {
  std::vector<double> numbers;
  for (const Json& entry : list) {
    const auto number = number_in(entry);
    EXPECT_TRUE(number) << "no number: " << entry.dump();
    numbers.push_back(number.value_or(0));
  }
  return numbers;
}

const dynamic::Result* find_result(const std::vector<dynamic::Result>& results,
                                   const std::string& name) {
  for (const auto& result : results) {
    if (result.name == name) return &result;
  }
  return nullptr;
}

class Golden : public testing::TestWithParam<GoldenCase> {};

TEST_P(Golden, Case) {
  const Json& golden = GetParam().json;
  std::vector<dynamic::Result> results;
  const Status status = run_case(golden, results);

  if (golden.contains("error")) {
    const Json& error = golden["error"];
    std::vector<std::string> words;
    for (const Json& word : error["mentions"]) words.push_back(word.get<std::string>());
    EXPECT_TRUE(refused(status, code_named(error["code"]), words));
    EXPECT_FALSE(words.empty());
    EXPECT_TRUE(results.empty());
    return;
  }

  ASSERT_TRUE(ok(status));
  ASSERT_FALSE(golden["expected"].empty());
  const Tolerance tolerance{golden["tolerance"]["relative"], golden["tolerance"]["absolute"]};
  for (const auto& [name, want] : golden["expected"].items()) {
    SCOPED_TRACE(name);
    if (golden["operation"] == "philox") {
      std::vector<double> drawn;
      for (const auto& result : results) drawn.push_back(std::get<double>(result.value));
      EXPECT_TRUE(agree(drawn, numbers_in(want["data"]), tolerance));
      continue;
    }
    const dynamic::Result* result = find_result(results, name);
    ASSERT_NE(result, nullptr) << "no such result";
    if (const auto number = number_in(want)) {
      ASSERT_TRUE(std::holds_alternative<double>(result->value));
      EXPECT_TRUE(agree(std::vector<double>{std::get<double>(result->value)},
                        std::vector<double>{*number}, tolerance));
      continue;
    }
    ASSERT_TRUE(std::holds_alternative<Tensor>(result->value));
    const Tensor& tensor = std::get<Tensor>(result->value);
    const Shape shape(sizes_in(want["shape"]));
    ASSERT_EQ(tensor.shape().to_string(), shape.to_string());
    EXPECT_TRUE(agree(elements(tensor), numbers_in(want["data"]), tolerance, &shape));
  }
}

// File and name, with what GoogleTest allows in one.
std::string test_name(const testing::TestParamInfo<GoldenCase>& info) {
  std::string name;
  for (const char letter : info.param.file + "_" + info.param.name) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9');
    if (plain) {
      name += letter;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  // Two names may differ only in what is not allowed.
  return name + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Files, Golden, testing::ValuesIn(golden_cases()), test_name);

}  // namespace
}  // namespace qkv::test
