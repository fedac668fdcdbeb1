// Values for the core's named interface, written from JSON the way another language's binding writes
// them from its own: {shape, data, strides?} is float32, nested arrays of numbers are float64.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dynamic/call.hpp"

namespace qkv::test {

using Json = nlohmann::ordered_json;

// JSON has no NaN and no infinities: strings stand for them.
inline std::optional<double> number_in(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (!json.is_string()) return std::nullopt;
  const auto word = json.get<std::string>();
  if (word == "NaN") return NAN;
  if (word == "Infinity") return HUGE_VAL;
  if (word == "-Infinity") return -HUGE_VAL;
  return std::nullopt;
}

inline std::vector<Index> sizes_in(const Json& json) {
  std::vector<Index> sizes;
  for (const Json& size : json) sizes.push_back(size.get<Index>());
  return sizes;
}

// The words of a call's arguments, and the memory that its tensors lie in: each in a heap block of
// exactly its size.
class Values {
 public:
  Values() { words_.push_back(0); }

  void add(const Json& json) {
    words_[0] += 1;
    write(json);
  }
  // An object of tensors by name.
  void add(const std::vector<std::pair<std::string, const Tensor*>>& tensors) {
    words_[0] += 1;
    push(dynamic::Tag::object, static_cast<double>(tensors.size()));
    for (const auto& [name, tensor] : tensors) {
      dynamic::write_string(name, words_);
      const Shape shape = tensor->shape();
      write_tensor(dynamic::Tag::float32, tensor->data(), tensor->size(),
                   std::vector<Index>(shape.begin(), shape.end()));
    }
  }
  // Words as a binding might write them, for values that JSON does not have.
  void add_words(const std::vector<double>& words) {
    words_[0] += 1;
    words_.insert(words_.end(), words.begin(), words.end());
  }

  const double* words() const { return words_.data(); }

 private:
  void push(dynamic::Tag tag) { words_.push_back(static_cast<double>(tag)); }
  void push(dynamic::Tag tag, double word) {
    push(tag);
    words_.push_back(word);
  }

  template <class Element>
  Element* keep(const std::vector<Element>& elements) {
    std::shared_ptr<Element[]> block(new Element[elements.size()]);
    std::copy(elements.begin(), elements.end(), block.get());
    blocks_.push_back(block);
    return block.get();
  }

  // Of any rank, also one that a Shape cannot hold. Row-major unless strides are given.
  void write_tensor(dynamic::Tag tag, const void* data, Index readable,
                    const std::vector<Index>& sizes, std::vector<Index> strides = {}) {
    if (strides.empty()) {
      double step = 1;
      strides.resize(sizes.size());
      for (std::size_t axis = sizes.size(); axis > 0; --axis) {
        strides[axis - 1] = step < 1e18 ? static_cast<Index>(step) : 0;
        step *= static_cast<double>(sizes[axis - 1] > 0 ? sizes[axis - 1] : 1);
      }
    }
    push(tag, static_cast<double>(reinterpret_cast<std::uintptr_t>(data)));
    words_.push_back(static_cast<double>(readable));
    words_.push_back(static_cast<double>(sizes.size()));
    for (const Index size : sizes) words_.push_back(static_cast<double>(size));
    for (const Index stride : strides) words_.push_back(static_cast<double>(stride));
  }

  void write(const Json& json) {
    if (json.is_null()) return push(dynamic::Tag::absent);
    if (json.is_boolean()) return push(dynamic::Tag::boolean, json.get<bool>() ? 1 : 0);
    if (const auto number = number_in(json)) return push(dynamic::Tag::number, *number);
    if (json.is_string()) {
      push(dynamic::Tag::string);
      return dynamic::write_string(json.get<std::string>(), words_);
    }
    if (json.is_array()) return write_array(json);
    if (json.contains("shape") && json.contains("data")) return write_float32(json);
    push(dynamic::Tag::object, static_cast<double>(json.size()));
    for (const auto& [name, entry] : json.items()) {
      dynamic::write_string(name, words_);
      write(entry);
    }
  }

  void write_float32(const Json& json) {
    std::vector<float> data;
    for (const Json& entry : json["data"]) {
      const auto number = number_in(entry);
      EXPECT_TRUE(number) << "no number: " << entry.dump();
      data.push_back(static_cast<float>(number.value_or(0)));
    }
    write_tensor(dynamic::Tag::float32, keep(data), static_cast<Index>(data.size()),
                 sizes_in(json["shape"]),
                 json.contains("strides") ? sizes_in(json["strides"]) : std::vector<Index>());
  }

  // A nested array of numbers or of booleans is a tensor; of anything else, an array.
  void write_array(const Json& json) {
    std::vector<Index> sizes;
    std::vector<double> numbers;
    std::vector<std::uint8_t> booleans;
    if (!collect(json, 0, sizes, numbers, booleans)) {
      push(dynamic::Tag::array, static_cast<double>(json.size()));
      for (const Json& entry : json) write(entry);
      return;
    }
    if (!booleans.empty()) {
      write_tensor(dynamic::Tag::booleans, keep(booleans), static_cast<Index>(booleans.size()), sizes);
    } else {
      write_tensor(dynamic::Tag::float64, keep(numbers), static_cast<Index>(numbers.size()), sizes);
    }
  }

  bool collect(const Json& json, std::size_t depth, std::vector<Index>& sizes,
               std::vector<double>& numbers, std::vector<std::uint8_t>& booleans) {
    if (!json.is_array()) {
      if (depth != sizes.size()) return false;
      if (json.is_boolean()) {
        booleans.push_back(json.get<bool>() ? 1 : 0);
      } else if (const auto number = number_in(json)) {
        numbers.push_back(*number);
      } else {
        return false;
      }
      return numbers.empty() || booleans.empty();
    }
    if (depth == sizes.size()) {
      if (!numbers.empty() || !booleans.empty()) return false;
      sizes.push_back(static_cast<Index>(json.size()));
    }
    if (sizes[depth] != static_cast<Index>(json.size())) return false;
    for (const Json& entry : json) {
      if (!collect(entry, depth + 1, sizes, numbers, booleans)) return false;
    }
    return true;
  }

  std::vector<double> words_;
  std::vector<std::shared_ptr<void>> blocks_;
};

inline const dynamic::NamedOperation* find_operation(const std::string& name) {
  for (const dynamic::NamedOperation& operation : dynamic::operations()) {
    if (name == operation.name) return &operation;
  }
  return nullptr;
}

// Runs an operation by name. A name that does not exist is a failed test.
inline Status run_named(const std::string& name, const Values& values,
                        std::vector<dynamic::Result>& results) {
  const dynamic::NamedOperation* operation = find_operation(name);
  EXPECT_NE(operation, nullptr) << "no operation " << name;
  if (operation == nullptr) return {ErrorCode::argument, "no such operation"};
  dynamic::Call call(values.words());
  Status status = dynamic::run(*operation, call);
  results = std::move(call.results());
  return status;
}

inline Status run_named(const std::string& name, const Json& arguments,
                        std::vector<dynamic::Result>& results) {
  Values values;
  for (const Json& argument : arguments) values.add(argument);
  return run_named(name, values, results);
}

inline ErrorCode code_named(const std::string& word) {
  if (word == "shape") return ErrorCode::shape;
  if (word == "argument") return ErrorCode::argument;
  if (word == "memory") return ErrorCode::memory;
  if (word == "disposed") return ErrorCode::disposed;
  ADD_FAILURE() << "no error code " << word;
  return ErrorCode::none;
}

}  // namespace qkv::test
