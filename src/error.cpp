#include "qkv/error.hpp"

#include <new>

namespace qkv {

struct Status::Failure {
  ErrorCode code;
  std::string message;
};

namespace {

const std::string no_words;

}  // namespace

// Made before it is needed; the words are short enough to be held in place.
const Status::Failure Status::exhaustion{ErrorCode::memory, "out of memory"};

Status Status::exhausted() noexcept {
  Status status;
  status.failure_ = &exhaustion;
  return status;
}

Status::Status(ErrorCode code, std::string message)
    : failure_(new Failure{code, std::move(message)}) {}

ErrorCode Status::code() const noexcept {
  return failure_ == nullptr ? ErrorCode::none : failure_->code;
}

const std::string& Status::message() const noexcept {
  return failure_ == nullptr ? no_words : failure_->message;
}

void Status::forget() noexcept {
  if (failure_ != &exhaustion) delete failure_;
}

}  // namespace qkv
