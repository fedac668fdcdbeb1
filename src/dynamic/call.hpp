// Calling an operation by its name, with values in and results out: what other languages bind to,
// so that they need to know no option and write no check.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dynamic/read.hpp"

namespace qkv::dynamic {

struct Result {
  std::string name;
  std::variant<double, Tensor, std::string> value;
};

// One call's arguments and results.
class Call {
 public:
  // `words` begins with the number of arguments.
  explicit Call(const double* words) noexcept : words_(words) {}

  // The argument in a place; absent when there are fewer.
  Value argument(std::size_t place) const noexcept;
  Status tensor(std::size_t place, const char* name, ConstTensorView& view) {
    return read_tensor(name, argument(place), scratch_, view);
  }
  Status options(std::size_t place, Fields fields, Fields more = {}) {
    return read_object("", argument(place), fields, scratch_, more);
  }
  Status object(std::size_t place, std::string_view where, Fields fields) {
    return read_object(where, argument(place), fields, scratch_);
  }
  Scratch& scratch() noexcept { return scratch_; }

  void give(const char* name, Tensor tensor) { results_.push_back({name, std::move(tensor)}); }
  void give(const char* name, std::string text) { results_.push_back({name, std::move(text)}); }
  void give(const char* name, double number) { results_.push_back({name, number}); }
  std::vector<Result>& results() noexcept { return results_; }

 private:
  const double* words_;
  Scratch scratch_;
  std::vector<Result> results_;
};

using Operation = Status (*)(Call& call);

struct NamedOperation {
  const char* name;
  Operation run;
};

// All operations: "attention", "position.sinusoidal", "MultiHeadAttention.forward", ...
std::span<const NamedOperation> operations();

// Runs one of them; on an error there are no results.
Status run(const NamedOperation& operation, Call& call) noexcept;

// The parts of the list, one file each.
extern const std::span<const NamedOperation> attention_operations;
extern const std::span<const NamedOperation> position_operations;
extern const std::span<const NamedOperation> layer_operations;
extern const std::span<const NamedOperation> content_operations;
extern const std::span<const NamedOperation> fewer_keys_operations;
extern const std::span<const NamedOperation> linear_attention_operations;
extern const std::span<const NamedOperation> mixer_operations;
extern const std::span<const NamedOperation> picking_operations;
extern const std::span<const NamedOperation> baseline_operations;
extern const std::span<const NamedOperation> catalogue_operations;

}  // namespace qkv::dynamic
