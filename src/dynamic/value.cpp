#include "dynamic/value.hpp"

#include <cstdint>

#include "text.hpp"

namespace qkv::dynamic {

const void* Value::address() const noexcept {
  return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(words_[1]));
}

Shape Value::sizes(Index from) const noexcept {
  const auto rank = static_cast<std::size_t>(words_[3]);
  Index values[Shape::max_rank];
  for (std::size_t axis = 0; axis < rank && axis < Shape::max_rank; ++axis) {
    values[axis] = static_cast<Index>(words_[from + static_cast<Index>(axis)]);
  }
  return Shape(values, rank);
}

const double* Value::end() const noexcept {
  switch (tag()) {
    case Tag::absent:
    case Tag::disposed:
      return words_ + 1;
    case Tag::boolean:
    case Tag::number:
      return words_ + 2;
    case Tag::string:
    case Tag::unusable:
      return words_ + 2 + static_cast<Index>(words_[1]);
    case Tag::float32:
    case Tag::float64:
    case Tag::booleans:
      return words_ + 4 + 2 * static_cast<Index>(words_[3]);
    case Tag::array:
    case Tag::object:
      break;
  }
  const double* at = words_ + 2;
  for (Index i = 0; i < count(); ++i) {
    if (tag() == Tag::object) at += 1 + static_cast<Index>(*at);
    at = Value(at).end();
  }
  return at;
}

// UTF-16 code units to UTF-8.
std::string Value::read_string(const double* words) {
  std::string result;
  const auto length = static_cast<Index>(*words);
  for (Index i = 1; i <= length; ++i) {
    auto code = static_cast<std::uint32_t>(words[i]);
    if (code >= 0xD800 && code < 0xDC00 && i < length) {
      const auto low = static_cast<std::uint32_t>(words[i + 1]);
      if (low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        ++i;
      }
    }
    const auto tail = [&](int shift) { result += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) {
      result += static_cast<char>(code);
    } else if (code < 0x800) {
      result += static_cast<char>(0xC0 | code >> 6);
      tail(0);
    } else if (code < 0x10000) {
      result += static_cast<char>(0xE0 | code >> 12);
      tail(6);
      tail(0);
    } else {
      result += static_cast<char>(0xF0 | code >> 18);
      tail(12);
      tail(6);
      tail(0);
    }
  }
  return result;
}

void write_string(const std::string& text, std::vector<double>& words) {
  const std::size_t start = words.size();
  words.push_back(0);
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    const int more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    std::uint32_t code = more == 0 ? lead : lead & (0x3F >> more);
    for (int k = 0; k < more && i < text.size(); ++k) {
      code = code << 6 | (static_cast<unsigned char>(text[i++]) & 0x3F);
    }
    if (code >= 0x10000) {
      words.push_back(0xD800 + ((code - 0x10000) >> 10));
      code = 0xDC00 + ((code - 0x10000) & 0x3FF);
    }
    words.push_back(code);
  }
  words[start] = static_cast<double>(words.size() - start - 1);
}

std::string Value::describe() const {
  switch (tag()) {
    case Tag::absent:
      return "nothing";
    case Tag::boolean:
      return boolean() ? "true" : "false";
    case Tag::number:
      return text("the number ", number());
    case Tag::string:
      return text("\"", string(), "\"");
    case Tag::array:
      return text("an array of ", count());
    case Tag::object: {
      std::string keys;
      // The walk's status is ok: the body's always is.
      (void)each_entry([&](std::string_view name, Value) -> Status {
        keys += text(keys.empty() ? "" : ", ", name);
        return {};
      });
      return text("an object { ", keys, " }");
    }
    case Tag::float32:
    case Tag::float64:
      return text("numbers of shape ", shape());
    case Tag::booleans:
      return text("booleans of shape ", shape());
    case Tag::unusable:
      return string();
    case Tag::disposed:
      return "a disposed tensor";
  }
  return {};
}

}  // namespace qkv::dynamic
