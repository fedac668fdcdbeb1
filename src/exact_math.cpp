#include "exact_math.hpp"

#include <cmath>
#include <limits>

namespace qkv {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double ln2_high = 0.693147180369123816490;  // its last 32 bits are 0: n times it is exact
constexpr double ln2_low = 1.90821492927058770002e-10;

}  // namespace

double exact_exp(double x) noexcept {
  if (std::isnan(x)) return x;
  if (x > 709.8) return infinity;
  if (x < -745.2) return 0;
  // x = n ln 2 + r with |r| <= ln(2) / 2; the series of e^r ends below 1e-17 after 14 terms.
  const double n = std::floor(x * 1.44269504088896340736 + 0.5);
  const double r = (x - n * ln2_high) - n * ln2_low;
  double sum = 1;
  for (int term = 14; term > 0; --term) sum = 1 + r * sum / term;
  return std::ldexp(sum, static_cast<int>(n));
}

double exact_log(double x) noexcept {
  if (std::isnan(x) || x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return -infinity;
  if (x == infinity) return x;
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // x = m 2^exponent, m in [1/2, 1)
  if (m < 0.70710678118654752440) {
    m *= 2;
    --exponent;
  }
  // log m = 2 atanh s with s = (m - 1) / (m + 1), |s| <= 0.172.
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  double sum = 0;
  for (int power = 23; power > 1; power -= 2) sum = square * (1.0 / power + sum);
  return exponent * ln2_high + (2 * s + (2 * s * sum + exponent * ln2_low));
}

double exact_tanh(double x) noexcept {
  const double size = std::fabs(x);
  if (size < 1e-3) return x - x * x * x * (1.0 / 3 - x * x * (2.0 / 15));
  const double e = exact_exp(-2 * size);
  const double value = (1 - e) / (1 + e);
  return x < 0 ? -value : value;
}

void exact_sine_cosine(double angle, double& sine, double& cosine) noexcept {
  // Whole turns away first: an angle this large is not exact, but still one, and the series need it.
  constexpr double turn = 6.28318530717958647693;
  while (std::fabs(angle) > 3e9) angle -= turn * std::floor(angle / turn);
  // angle = n pi/2 + r with |r| <= pi/4. Pi/2 in parts of 22 bits: n, of up to 31 bits, times each
  // of the first three is exact, and so are the differences.
  const double n = std::floor(angle * 0.636619772367581343076 + 0.5);
  double r = angle - n * 0x1.921fbp+0;
  r -= n * 0x1.5110bp-22;
  r -= n * 0x1.184698p-44;
  r -= n * 0x1.3198a2e037073p-69;
  const double square = r * r;
  double s = 1, c = 1;
  for (int term = 20; term > 0; term -= 2) {
    s = 1 - square * s / (term * (term + 1));
    c = 1 - square * c / (term * (term - 1));
  }
  s *= r;
  const double quarter = n - 4 * std::floor(n / 4);
  const bool swapped = quarter == 1 || quarter == 3;
  sine = swapped ? c : s;
  cosine = swapped ? s : c;
  if (quarter >= 2) sine = -sine;
  if (quarter == 1 || quarter == 2) cosine = -cosine;
}

double cos_of_turns(double turns) noexcept {
  double sine = 0, cosine = 0;
  exact_sine_cosine(turns * 6.28318530717958647693, sine, cosine);
  return cosine;
}

}  // namespace qkv
