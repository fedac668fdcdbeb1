#include "text.hpp"

#include <cmath>

namespace qkv {

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  if (value == 0) return "0";
  const std::string sign = value < 0 ? "-" : "";
  double magnitude = std::fabs(value);
  if (magnitude < 9e15 && magnitude == std::floor(magnitude)) {
    return text(sign, static_cast<std::int64_t>(magnitude));
  }
  int exponent = static_cast<int>(std::floor(std::log10(magnitude)));
  auto digits = static_cast<std::int64_t>(std::llround(magnitude / std::pow(10.0, exponent - 5)));
  if (digits >= 1000000) {
    digits /= 10;
    ++exponent;
  }
  std::string figures = std::to_string(digits);  // six of them
  std::string result;
  std::string suffix;
  if (exponent >= 0 && exponent < 6) {
    result = text(figures.substr(0, exponent + 1), ".", figures.substr(exponent + 1));
  } else if (exponent < 0 && exponent >= -5) {
    result = text("0.", std::string(-exponent - 1, '0'), figures);
  } else {
    result = text(figures.substr(0, 1), ".", figures.substr(1));
    suffix = text("e", exponent);
  }
  while (result.back() == '0') result.pop_back();
  if (result.back() == '.') result.pop_back();
  return text(sign, result, suffix);
}

}  // namespace qkv
