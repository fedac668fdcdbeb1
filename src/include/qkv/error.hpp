// How qkv reports what went wrong.
//
// The core never throws, prints or aborts. Every operation exists as `try_<name>`, which is noexcept
// and returns a Status; `<name>` is the same operation for code that uses exceptions, and throws
// qkv::Error when the status is not ok. The sentence is the same in C++, C and JavaScript and names
// the sizes or the word that was seen. After an error nothing has leaked and the next call works.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "qkv/export.hpp"

namespace qkv {

enum class ErrorCode {
  none,      // all is well
  shape,     // ranks, lengths or widths that do not fit together
  argument,  // a value, option or word that the operation does not take
  memory,    // the system would not give the memory that the sentence names
  disposed,  // a tensor was used after it was disposed (JavaScript)
};

// The attribute stands on a declaration of its own: compilers disagree on where QKV_API may stand
// beside it.
class [[nodiscard]] Status;

// Outcome of an operation: a code and, unless the code is none, a sentence for the user. As cheap as
// a null pointer while all is well.
class QKV_API Status {
 public:
  Status() noexcept = default;
  Status(ErrorCode code, std::string message);
  Status(Status&& other) noexcept : failure_(std::exchange(other.failure_, nullptr)) {}
  Status& operator=(Status&& other) noexcept {
    std::swap(failure_, other.failure_);
    return *this;
  }
  ~Status() {
    if (failure_ != nullptr) forget();
  }

  // Memory is so short that not even a sentence can be made.
  static Status exhausted() noexcept;

  bool ok() const noexcept { return failure_ == nullptr; }
  ErrorCode code() const noexcept;
  const std::string& message() const noexcept;

 private:
  struct Failure;
  static const Failure exhaustion;
  void forget() noexcept;

  const Failure* failure_ = nullptr;
};

#if defined(__cpp_exceptions)

// Thrown by every function of the public interface that has a `try_` twin.
class Error : public std::runtime_error {
 public:
  explicit Error(const Status& status) : std::runtime_error(status.message()), code_(status.code()) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

// Turns a status into an exception.
inline void raise(const Status& status) {
  if (!status.ok()) throw Error(status);
}

#endif

}  // namespace qkv
