// Values of another language, written as one stream of doubles and read here without knowing more
// of that language than this. A value is a tag and what belongs to it:
//
//   absent                          array   count, values...
//   boolean  0 or 1                 object  count, then for each entry: key length, key..., value
//   number   itself                 float32, float64, booleans (one byte each)
//   string   length, code units...          address, readable elements, rank, sizes..., strides...
//   unusable a string: what was seen where no value could be written
//   disposed a tensor that has been disposed
#pragma once

#include <string>
#include <vector>

#include "qkv/tensor.hpp"

namespace qkv::dynamic {

enum class Tag { absent, boolean, number, string, array, object, float32, float64, booleans, unusable, disposed };

class Value {
 public:
  explicit Value(const double* words) noexcept : words_(words) {}

  Tag tag() const noexcept { return static_cast<Tag>(static_cast<int>(words_[0])); }
  bool absent() const noexcept { return tag() == Tag::absent; }
  bool is_tensor() const noexcept {
    return tag() == Tag::float32 || tag() == Tag::float64 || tag() == Tag::booleans;
  }

  double number() const noexcept { return words_[1]; }
  bool boolean() const noexcept { return words_[1] != 0; }
  std::string string() const { return read_string(words_ + 1); }

  // Of a tensor.
  const void* address() const noexcept;
  Index readable() const noexcept { return static_cast<Index>(words_[2]); }
  Shape shape() const noexcept { return sizes(4); }
  Strides strides() const noexcept { return sizes(4 + static_cast<Index>(words_[3])); }

  // Of an array: body(value) for each; of an object: body(name, value). A body returns a Status, and
  // the first that is not ok ends the walk.
  Index count() const noexcept { return static_cast<Index>(words_[1]); }
  template <class Body>
  Status each_item(const Body& body) const {
    const double* at = words_ + 2;
    for (Index i = 0; i < count(); ++i) {
      const Value item(at);
      if (Status status = body(item); !status.ok()) return status;
      at = item.end();
    }
    return {};
  }
  template <class Body>
  Status each_entry(const Body& body) const {
    const double* at = words_ + 2;
    for (Index i = 0; i < count(); ++i) {
      const std::string name = read_string(at);
      const Value value(at + 1 + static_cast<Index>(*at));
      if (Status status = body(name, value); !status.ok()) return status;
      at = value.end();
    }
    return {};
  }

  // The word after this value.
  const double* end() const noexcept;

  // What it is, for a sentence: the number 3, "abc", a tensor of shape [2, 3], nothing.
  std::string describe() const;

 private:
  static std::string read_string(const double* words);
  Shape sizes(Index from) const noexcept;

  const double* words_;
};

// Appends a UTF-8 text as values hold it: length, then UTF-16 code units.
void write_string(const std::string& text, std::vector<double>& words);

}  // namespace qkv::dynamic
