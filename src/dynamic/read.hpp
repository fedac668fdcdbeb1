// From values to what the operations take, with a sentence for everything that does not fit.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dynamic/value.hpp"
#include "qkv/mask.hpp"
#include "qkv/tensor.hpp"

namespace qkv::dynamic {

// Tensors made while a call's values are read; they live as long as the call.
using Scratch = std::vector<Tensor>;

// A view of float32 data where the value holds such, else a converted copy in `scratch`.
// Errors: argument (no numbers), shape (reaches beyond the data), disposed, memory.
Status read_tensor(std::string_view name, Value value, Scratch& scratch, ConstTensorView& view);

Status read_number(std::string_view name, Value value, double& number);
Status read_integer(std::string_view name, Value value, Index& integer);
Status read_seed(std::string_view name, Value value, std::uint64_t& seed);
Status read_boolean(std::string_view name, Value value, bool& boolean);
Status read_numbers(std::string_view name, Value value, std::vector<double>& numbers);
Status read_integers(std::string_view name, Value value, std::vector<Index>& integers);

// Booleans, or numbers that are all 0 or 1, as bytes kept in `bytes`.
Status read_booleans(std::string_view name, Value value, std::vector<std::uint8_t>& bytes,
                     BoolView& view);

// One of several words, by its place in the list.
Status read_word(std::string_view name, Value value, std::initializer_list<const char*> words,
                 int& choice);

// The sentence for a value of the wrong kind.
Status expected(std::string_view name, const char* what, Value value);

// A reader of one option that no plain target can hold.
class Custom {
 public:
  virtual Status operator()(std::string_view name, Value value) const = 0;

 protected:
  ~Custom() = default;
};

template <class Body>
struct CustomReader final : Custom {
  explicit CustomReader(Body reader) : body(std::move(reader)) {}
  Status operator()(std::string_view name, Value value) const override {
    return body(name, value);
  }
  Body body;
};

// An option: its name and where its value goes.
struct Field {
  using Target =
      std::variant<double*, float*, std::optional<float>*, Index*, std::optional<Index>*, bool*,
                   std::uint64_t*, std::optional<std::uint64_t>*, std::vector<double>*,
                   std::vector<Index>*, ConstTensorView*, const Custom*>;

  const char* name;
  Target target;
  bool required = false;
};

// Fields written out where they are read, or a list that was made; valid for one call.
class Fields : public std::span<const Field> {
 public:
  Fields() = default;
  Fields(std::initializer_list<Field> list) noexcept : span(list.begin(), list.size()) {}
  explicit Fields(const std::vector<Field>& list) noexcept : span(list) {}
};

// Reads an object whose entries are `fields` and `more`; an absent value is an empty object, and an absent
// entry leaves its target as it is. `where` names the object in sentences ("" for options at the
// top). Errors: argument (unknown, missing or unreadable entries), and those of the readers.
Status read_object(std::string_view where, Value value, Fields fields, Scratch& scratch,
                   Fields more = {});

// A mask from its description. Errors: argument, shape.
Status read_mask(std::string_view name, Value value, Mask& mask);

}  // namespace qkv::dynamic
