// Elementary functions in double precision that give the same bits on every platform, which a
// system's own need not, and hold no tables, which would be a tenth of the WebAssembly module.
// Relative errors: exp and log 5e-16, tanh 3e-14, sine and cosine 3e-16 (absolute); what uses them
// rounds to float in the end.
#pragma once

namespace qkv {

// e^x; 0 below -745, infinity above 709.8, NaN for NaN.
double exact_exp(double x) noexcept;

// Natural logarithm; -infinity for 0, NaN below it.
double exact_log(double x) noexcept;

// Hyperbolic tangent.
double exact_tanh(double x) noexcept;

// Sine and cosine of an angle in radians, exact to 1e-15 for angles up to 3e9.
void exact_sine_cosine(double angle, double& sine, double& cosine) noexcept;

// cos(2 pi turns) for turns in [0, 1].
double cos_of_turns(double turns) noexcept;

}  // namespace qkv
