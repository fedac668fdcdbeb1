// Comparisons that say where and by how much two results differ.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "qkv/error.hpp"
#include "qkv/tensor.hpp"

namespace qkv::test {

struct Tolerance {
  double relative = 1e-6;
  double absolute = 1e-6;
};

inline testing::AssertionResult ok(const Status& status) {
  if (status.ok()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "error " << static_cast<int>(status.code()) << ": "
                                     << status.message();
}

// The indices of an element in a shape, for a message.
inline std::string place_in(const Shape& shape, Index element) {
  std::string place;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    place = std::to_string(element % shape[axis]) + (place.empty() ? "" : ", ") + place;
    element /= shape[axis];
  }
  return "[" + place + "]";
}

// |got - want| <= absolute + relative |want|; NaN meets NaN and an infinity meets itself.
template <class Got, class Want>
testing::AssertionResult agree(const std::vector<Got>& got, const std::vector<Want>& want,
                               Tolerance tolerance = {}, const Shape* shape = nullptr) {
  if (got.size() != want.size()) {
    return testing::AssertionFailure() << got.size() << " elements, expected " << want.size();
  }
  const auto room = [&](double y) { return tolerance.absolute + tolerance.relative * std::fabs(y); };
  // Written so that whatever is not finite is wrong unless it is the same.
  const auto right = [&](double x, double y) {
    const double difference = std::fabs(x - y);
    return (difference <= room(y) && difference < HUGE_VAL) || x == y ||
           (std::isnan(x) && std::isnan(y));
  };
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) wrong += right(got[i], want[i]) ? 0 : 1;
  if (wrong == 0) return testing::AssertionSuccess();

  std::size_t worst = got.size();
  double worst_excess = 0, most_absolute = 0, most_relative = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double x = got[i], y = want[i];
    const bool finite = std::isfinite(x) && std::isfinite(y);
    const double difference = finite ? std::fabs(x - y) : HUGE_VAL;
    if (finite) {
      most_absolute = std::fmax(most_absolute, difference);
      if (y != 0) most_relative = std::fmax(most_relative, difference / std::fabs(y));
    }
    const double excess = difference / room(y);
    if (!right(x, y) && (worst == got.size() || excess > worst_excess)) {
      worst = i;
      worst_excess = excess;
    }
  }
  return testing::AssertionFailure()
         << wrong << " of " << got.size() << " elements differ; worst at "
         << (shape != nullptr ? place_in(*shape, static_cast<Index>(worst)) : std::to_string(worst))
         << ": got " << testing::PrintToString(static_cast<double>(got[worst])) << ", want "
         << testing::PrintToString(static_cast<double>(want[worst])) << "; largest difference "
         << most_absolute << " absolute, " << most_relative << " relative; tolerance "
         << tolerance.absolute << " + " << tolerance.relative << " |want|";
}

inline testing::AssertionResult same_bits(const std::vector<float>& a,
                                          const std::vector<float>& b) {
  if (a.size() != b.size()) {
    return testing::AssertionFailure() << a.size() << " and " << b.size() << " elements";
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(&a[i], &b[i], sizeof(float)) != 0) {
      return testing::AssertionFailure() << "bits differ first at " << i << ": "
                                         << testing::PrintToString(a[i]) << " and "
                                         << testing::PrintToString(b[i]);
    }
  }
  return testing::AssertionSuccess();
}

// An error of this code whose sentence holds every one of these words.
inline testing::AssertionResult refused(const Status& status, ErrorCode code,
                                        const std::vector<std::string>& words) {
  if (status.code() != code) {
    return testing::AssertionFailure() << "code " << static_cast<int>(status.code()) << ", expected "
                                       << static_cast<int>(code) << ": " << status.message();
  }
  for (const std::string& word : words) {
    if (status.message().find(word) == std::string::npos) {
      return testing::AssertionFailure()
             << "the sentence does not name \"" << word << "\": " << status.message();
    }
  }
  return testing::AssertionSuccess();
}

// Memory for a result. The library's own constructor throws, which WebAssembly's tests cannot.
struct Made : Tensor {
  explicit Made(const Shape& shape) { EXPECT_TRUE(ok(create(shape, *this))); }
};

// The elements of a tensor.
inline std::vector<float> elements(const Tensor& tensor) {
  return std::vector<float>(tensor.data(), tensor.data() + tensor.size());
}

}  // namespace qkv::test
