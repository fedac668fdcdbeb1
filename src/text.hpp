// Sentences for errors, put together without streams (they would double the WebAssembly module),
// and the guard that keeps a failed small allocation from leaving the core as an exception.
#pragma once

#include <initializer_list>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

#include "qkv/error.hpp"
#include "qkv/tensor.hpp"

namespace qkv {

// A number as a person writes it, six significant digits: 3, 0.5, 1e-30, NaN, -Infinity.
std::string number_text(double value);

// A piece of a sentence. Pieces are collected first and joined in one place: the code that names an
// error stays small.
class Piece {
 public:
  Piece(const char* text) : kind_(Kind::text), text_(text) {}
  Piece(std::string_view text) : kind_(Kind::text), text_(text) {}
  Piece(const std::string& text) : kind_(Kind::text), text_(text) {}
  Piece(const Shape& shape) : kind_(Kind::shape), shape_(&shape) {}
  template <class Integer>
    requires std::is_integral_v<Integer>
  Piece(Integer number) : kind_(Kind::integer), integer_(static_cast<Index>(number)) {}
  Piece(double number) : kind_(Kind::number), number_(number) {}

  void append_to(std::string& sentence) const;

 private:
  enum class Kind { text, shape, integer, number };

  Kind kind_;
  union {
    std::string_view text_;
    const Shape* shape_;
    Index integer_;
    double number_;
  };
};

std::string join(std::initializer_list<Piece> pieces);
Status failure(ErrorCode code, std::initializer_list<Piece> pieces);

template <class... Parts>
std::string text(const Parts&... parts) {
  return join({Piece(parts)...});
}

template <class... Parts>
Status shape_error(const Parts&... parts) {
  return failure(ErrorCode::shape, {Piece(parts)...});
}

template <class... Parts>
Status argument_error(const Parts&... parts) {
  return failure(ErrorCode::argument, {Piece(parts)...});
}

// Runs a body that returns a Status and may allocate small things (strings, short vectors).
template <class Body>
Status guarded(const Body& body) noexcept {
#if defined(__cpp_exceptions)
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Status::exhausted();
  }
#else
  return body();
#endif
}

}  // namespace qkv

// Leaves the enclosing function when a step fails.
#define QKV_TRY(expression)                                    \
  do {                                                         \
    if (::qkv::Status qkv_status = (expression); !qkv_status.ok()) return qkv_status; \
  } while (false)
