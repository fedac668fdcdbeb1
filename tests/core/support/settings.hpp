// Global choices, put back at the end of a scope.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "qkv/backend.hpp"

namespace qkv::test {

class KeepBackend {
 public:
  KeepBackend() {
    std::string_view name;
    EXPECT_TRUE(try_backend(name).ok());
    name_ = name;
  }
  ~KeepBackend() { EXPECT_TRUE(try_set_backend(name_).ok()); }

 private:
  std::string name_;
};

class KeepThreads {
 public:
  KeepThreads() : count_(threads()) {}
  ~KeepThreads() { EXPECT_TRUE(try_set_threads(count_).ok()); }

  // As many as there were.
  int count() const { return count_; }

 private:
  int count_;
};

}  // namespace qkv::test
