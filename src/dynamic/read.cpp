#include "dynamic/read.hpp"

#include <cmath>

#include "memory.hpp"
#include "strided.hpp"
#include "text.hpp"

namespace qkv::dynamic {
namespace {

constexpr double largest_integer = 9007199254740992.0;  // 2^53: beyond it doubles skip integers

bool is_integer(double number) {
  return std::floor(number) == number && std::fabs(number) <= largest_integer;
}

// Every element that shape and strides reach lies within the readable data.
Status check_extent(std::string_view name, Value value) {
  const Shape shape = value.shape();
  const Strides strides = value.strides();
  if (shape.rank() > Shape::max_rank) {
    return shape_error(name, ": rank ", shape.rank(), " is over the limit of ", Shape::max_rank);
  }
  const Index elements = shape.elements();
  if (elements < 0) return shape_error(name, ": a tensor of shape ", shape, " is not possible");
  if (elements == 0) return {};
  double lowest = 0, highest = 0;  // as doubles: strides can be absurd
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const double reach = static_cast<double>(shape[axis] - 1) * static_cast<double>(strides[axis]);
    (reach < 0 ? lowest : highest) += reach;
  }
  if (lowest < 0 || highest >= static_cast<double>(value.readable())) {
    return shape_error(name, ": data holds ", value.readable(), " elements, shape ", shape,
                       " with strides ", strides, " reaches from ", lowest, " to ", highest);
  }
  return {};
}

// Calls body(number) for every element, in row-major order.
template <class Body>
void each_number(Value value, const Body& body) {
  const Shape shape = value.shape();
  const Strides strides = value.strides();
  const Index elements = shape.elements();
  for (Index i = 0; i < elements; ++i) {
    const Index at = offset_of(i, shape, strides, shape.rank());
    body(value.tag() == Tag::float32 ? static_cast<const float*>(value.address())[at]
                                     : static_cast<const double*>(value.address())[at]);
  }
}

// Reads one value into the target of its field.
struct FieldReader {
  std::string_view name;
  Value value;
  Scratch& scratch;

  Status operator()(double* to) const { return read_number(name, value, *to); }
  Status operator()(float* to) const {
    double number = 0;
    QKV_TRY(read_number(name, value, number));
    *to = static_cast<float>(number);
    return {};
  }
  Status operator()(Index* to) const { return read_integer(name, value, *to); }
  Status operator()(bool* to) const { return read_boolean(name, value, *to); }
  Status operator()(std::uint64_t* to) const { return read_seed(name, value, *to); }
  template <class T>
  Status operator()(std::optional<T>* to) const {
    T target{};
    QKV_TRY((*this)(&target));
    *to = target;
    return {};
  }
  Status operator()(std::vector<double>* to) const { return read_numbers(name, value, *to); }
  Status operator()(std::vector<Index>* to) const { return read_integers(name, value, *to); }
  Status operator()(ConstTensorView* to) const {
    return read_tensor(name, value, scratch, *to);
  }
  Status operator()(const Custom* reader) const { return (*reader)(name, value); }
};

}  // namespace

Status expected(std::string_view name, const char* what, Value value) {
  if (value.tag() == Tag::disposed) {
    return {ErrorCode::disposed, text(name, ": this tensor has been disposed")};
  }
  return argument_error(name, ": expected ", what, ", saw ", value.describe());
}

Status read_tensor(std::string_view name, Value value, Scratch& scratch, ConstTensorView& view) {
  if (value.tag() != Tag::float32 && value.tag() != Tag::float64) {
    return expected(name, "a tensor of numbers", value);
  }
  QKV_TRY(check_extent(name, value));
  if (value.tag() == Tag::float32) {
    view = {static_cast<const float*>(value.address()), value.shape(), value.strides()};
    return {};
  }
  Tensor converted;
  QKV_TRY(Tensor::create(value.shape(), converted));
  Index at = 0;
  each_number(value, [&](double number) { converted[at++] = static_cast<float>(number); });
  scratch.push_back(std::move(converted));
  view = scratch.back();
  return {};
}

Status read_number(std::string_view name, Value value, double& number) {
  if (value.tag() != Tag::number) return expected(name, "a number", value);
  number = value.number();
  return {};
}

Status read_integer(std::string_view name, Value value, Index& integer) {
  if (value.tag() != Tag::number || !is_integer(value.number())) {
    return expected(name, "a whole number", value);
  }
  integer = static_cast<Index>(value.number());
  return {};
}

Status read_seed(std::string_view name, Value value, std::uint64_t& seed) {
  Index integer = 0;
  if (!read_integer(name, value, integer).ok() || integer < 0) {
    return expected(name, "a seed: a whole number of 0 or more", value);
  }
  seed = static_cast<std::uint64_t>(integer);
  return {};
}

Status read_boolean(std::string_view name, Value value, bool& boolean) {
  if (value.tag() != Tag::boolean) return expected(name, "true or false", value);
  boolean = value.boolean();
  return {};
}

Status read_numbers(std::string_view name, Value value, std::vector<double>& numbers) {
  if ((value.tag() != Tag::float32 && value.tag() != Tag::float64) || value.shape().rank() < 1) {
    return expected(name, "a list of numbers", value);
  }
  QKV_TRY(check_extent(name, value));
  numbers.clear();
  each_number(value, [&](double number) { numbers.push_back(number); });
  return {};
}

Status read_integers(std::string_view name, Value value, std::vector<Index>& integers) {
  std::vector<double> numbers;
  QKV_TRY(read_numbers(name, value, numbers));
  integers.clear();
  for (const double number : numbers) {
    if (!is_integer(number)) {
      return argument_error(name, ": expected whole numbers, saw ", number);
    }
    integers.push_back(static_cast<Index>(number));
  }
  return {};
}

Status read_booleans(std::string_view name, Value value, std::vector<std::uint8_t>& bytes,
                     BoolView& view) {
  if (!value.is_tensor()) return expected(name, "a matrix of booleans", value);
  QKV_TRY(check_extent(name, value));
  if (value.tag() == Tag::booleans) {
    view = {static_cast<const std::uint8_t*>(value.address()), value.shape(), value.strides()};
    return {};
  }
  double strange = 0;
  bytes.clear();
  each_number(value, [&](double number) {
    if (number != 0 && number != 1) strange = number;
    bytes.push_back(number != 0 ? 1 : 0);
  });
  if (strange != 0) {
    return argument_error(name, ": expected booleans (or 0 and 1), saw ", strange);
  }
  view = {bytes.data(), value.shape()};
  return {};
}

Status read_word(std::string_view name, Value value, std::initializer_list<const char*> words,
                 int& choice) {
  std::string list;
  const std::string given = value.tag() == Tag::string ? value.string() : std::string();
  std::size_t i = 0;
  for (const char* word : words) {
    if (given == word) {
      choice = static_cast<int>(i);
      return {};
    }
    list += text(i == 0 ? "\"" : i + 1 == words.size() ? " or \"" : ", \"", word, "\"");
    ++i;
  }
  return expected(name, list.c_str(), value);
}

Status read_object(std::string_view where, Value value, Fields fields, Scratch& scratch,
                   Fields more) {
  if (!value.absent() && value.tag() != Tag::object) {
    return expected(where.empty() ? std::string_view("options") : where, "an object", value);
  }
  const auto path = [&](std::string_view name) {
    return where.empty() ? std::string(name) : text(where, ".", name);
  };
  std::vector<const Field*> missing;
  for (const Fields part : {fields, more}) {
    for (const Field& field : part) {
      if (field.required) missing.push_back(&field);
    }
  }
  const auto read = [&](std::string_view name, Value entry) -> Status {
    for (const Fields part : {fields, more}) {
      for (const Field& field : part) {
        if (name != field.name) continue;
        if (entry.absent()) return {};
        std::erase(missing, &field);
        const std::string full = path(name);
        return std::visit(FieldReader{full, entry, scratch}, field.target);
      }
    }
    std::string known;
    for (const Fields part : {fields, more}) {
      for (const Field& field : part) known += text(known.empty() ? "" : ", ", field.name);
    }
    return argument_error("unknown option \"", path(name), "\"; known are ", known);
  };
  if (!value.absent()) QKV_TRY(value.each_entry(read));
  if (!missing.empty()) {
    return argument_error(path(missing.front()->name), " is needed and was not given");
  }
  return {};
}

}  // namespace qkv::dynamic
