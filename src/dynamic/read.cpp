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
Status check_extent(const std::string& name, Value value) {
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
  const std::string& name;
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

Status expected(const std::string& name, const char* what, Value value) {
  if (value.tag() == Tag::disposed) {
    return {ErrorCode::disposed, text(name, ": this tensor has been disposed")};
  }
  return argument_error(name, ": expected ", what, ", saw ", value.describe());
}

Status read_tensor(const std::string& name, Value value, Scratch& scratch, ConstTensorView& view) {
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

Status read_number(const std::string& name, Value value, double& number) {
  if (value.tag() != Tag::number) return expected(name, "a number", value);
  number = value.number();
  return {};
}

Status read_integer(const std::string& name, Value value, Index& integer) {
  if (value.tag() != Tag::number || !is_integer(value.number())) {
    return expected(name, "a whole number", value);
  }
  integer = static_cast<Index>(value.number());
  return {};
}

Status read_seed(const std::string& name, Value value, std::uint64_t& seed) {
  Index integer = 0;
  if (!read_integer(name, value, integer).ok() || integer < 0) {
    return expected(name, "a seed: a whole number of 0 or more", value);
  }
  seed = static_cast<std::uint64_t>(integer);
  return {};
}

Status read_boolean(const std::string& name, Value value, bool& boolean) {
  if (value.tag() != Tag::boolean) return expected(name, "true or false", value);
  boolean = value.boolean();
  return {};
}

Status read_numbers(const std::string& name, Value value, std::vector<double>& numbers) {
  if ((value.tag() != Tag::float32 && value.tag() != Tag::float64) || value.shape().rank() < 1) {
    return expected(name, "a list of numbers", value);
  }
  QKV_TRY(check_extent(name, value));
  numbers.clear();
  each_number(value, [&](double number) { numbers.push_back(number); });
  return {};
}

Status read_integers(const std::string& name, Value value, std::vector<Index>& integers) {
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

Status read_booleans(const std::string& name, Value value, std::vector<std::uint8_t>& bytes,
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

Status read_word(const std::string& name, Value value, const std::vector<const char*>& words,
                 int& choice) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (value.tag() == Tag::string && value.string() == words[i]) {
      choice = static_cast<int>(i);
      return {};
    }
    list += text(i == 0 ? "\"" : i + 1 == words.size() ? " or \"" : ", \"", words[i], "\"");
  }
  return expected(name, list.c_str(), value);
}

Status read_object(const std::string& where, Value value, const std::vector<Field>& fields,
                   Scratch& scratch) {
  if (!value.absent() && value.tag() != Tag::object) {
    return expected(where.empty() ? "options" : where, "an object", value);
  }
  std::vector<bool> given(fields.size(), false);
  const auto path = [&](const std::string& name) { return where.empty() ? name : where + "." + name; };
  const auto read = [&](const std::string& name, Value entry) -> Status {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (name != fields[i].name) continue;
      if (entry.absent()) return {};
      given[i] = true;
      const std::string full = path(name);
      return std::visit(FieldReader{full, entry, scratch}, fields[i].target);
    }
    std::string known;
    for (const Field& field : fields) known += (known.empty() ? "" : ", ") + std::string(field.name);
    return argument_error("unknown option \"", path(name), "\"; known are ", known);
  };
  if (!value.absent()) QKV_TRY(value.each_entry(read));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].required && !given[i]) {
      return argument_error(path(fields[i].name), " is needed and was not given");
    }
  }
  return {};
}

}  // namespace qkv::dynamic
