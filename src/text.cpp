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
  // Six digits before the point; a power of ten at a time is near enough for a sentence.
  int exponent = 5;
  for (; magnitude >= 1e6; magnitude /= 10) ++exponent;
  for (; magnitude < 1e5; magnitude *= 10) --exponent;
  auto digits = static_cast<std::int64_t>(magnitude + 0.5);
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

void Piece::append_to(std::string& sentence) const {
  switch (kind_) {
    case Kind::text:
      sentence += text_;
      break;
    case Kind::shape:
      sentence += shape_->to_string();
      break;
    case Kind::integer:
      sentence += std::to_string(integer_);
      break;
    case Kind::number:
      sentence += number_text(number_);
      break;
  }
}

std::string join(std::initializer_list<Piece> pieces) {
  std::string sentence;
  for (const Piece& piece : pieces) piece.append_to(sentence);
  return sentence;
}

Status failure(ErrorCode code, std::initializer_list<Piece> pieces) { return {code, join(pieces)}; }

}  // namespace qkv
