// Sentences for errors, put together without streams (they would double the WebAssembly module),
// and the guard that keeps a failed small allocation from leaving the core as an exception.
#pragma once

#include <new>
#include <string>
#include <string_view>
#include <type_traits>

#include "qkv/error.hpp"
#include "qkv/tensor.hpp"

namespace qkv {

// A number as a person writes it, six significant digits: 3, 0.5, 1e-30, NaN, -Infinity.
std::string number_text(double value);

inline void append_text(std::string& to, std::string_view part) { to += part; }
inline void append_text(std::string& to, const Shape& part) { to += part.to_string(); }
template <class T>
  requires std::is_arithmetic_v<T>
void append_text(std::string& to, T part) {
  if constexpr (std::is_integral_v<T>) {
    to += std::to_string(part);
  } else {
    to += number_text(part);
  }
}

template <class... Parts>
std::string text(const Parts&... parts) {
  std::string result;
  (append_text(result, parts), ...);
  return result;
}

template <class... Parts>
Status shape_error(const Parts&... parts) {
  return {ErrorCode::shape, text(parts...)};
}

template <class... Parts>
Status argument_error(const Parts&... parts) {
  return {ErrorCode::argument, text(parts...)};
}

// Runs a body that returns a Status and may allocate small things (strings, short vectors).
template <class Body>
Status guarded(const Body& body) noexcept {
#if defined(__cpp_exceptions)
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return {ErrorCode::memory, {}};  // there is no memory for a sentence either
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
