// Runs one PlainCall on every backend and holds each to the float64 reference and to the scalar backend.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "qkv/backend.hpp"
#include "reference.hpp"
#include "support/attend.hpp"
#include "support/dense_mask.hpp"
#include "support/settings.hpp"

namespace qkv::test {

// The lengths and widths at which registers, panels, tiles and words of tiles begin and end.
inline constexpr Index sweep_sizes[] = {0,  1,  2,  3,  4,  5,  7,   8,   9,   15,  16,
                                        17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1025};

enum class SweepMask { none, causal, causal_end, window, sparse, holes };

inline constexpr SweepMask sweep_masks[] = {SweepMask::none,   SweepMask::causal,
                                            SweepMask::causal_end, SweepMask::window,
                                            SweepMask::sparse, SweepMask::holes};

inline const char* name_of(SweepMask mask) {
  constexpr const char* names[] = {"none", "causal", "causalEnd", "window", "sparse", "holes"};
  return names[static_cast<int>(mask)];
}

// Gives a call its mask, for the library and as a matrix for the reference.
inline void set_mask(PlainCall& call, SweepMask kind) {
  const MaskSizes sizes{call.queries, call.keys, call.heads, call.batch};
  MaskCase chosen;
  switch (kind) {
    case SweepMask::none:
      call.mask = Mask();
      call.allowed.clear();
      return;
    case SweepMask::causal:
      chosen = causal_case(0);
      break;
    case SweepMask::causal_end:
      chosen = causal_end_case(sizes);
      break;
    case SweepMask::window:
      chosen = window_case(3, 2);
      break;
    case SweepMask::sparse:  // so few pairs in a tile that they are run one query at a time
      chosen = strided_case(19, false);
      break;
    case SweepMask::holes: {
      Numbers numbers(static_cast<std::uint64_t>(call.queries * 10000 + call.keys));
      chosen = matrix_case({call.queries, call.keys}, true, 0.4, numbers);
      break;
    }
  }
  call.mask = chosen.mask;
  call.allowed = dense(chosen.allowed, sizes);
}

inline std::string describe(const PlainCall& call) {
  const auto number = [](const char* name, Index value) {
    return std::string(" ") + name + " " + std::to_string(value);
  };
  return "batch " + std::to_string(call.batch) + number("heads", call.heads) +
         number("kv_heads", call.kv_heads) + number("queries", call.queries) +
         number("keys", call.keys) + number("width", call.width) +
         number("value_width", call.value_width) + number("score", static_cast<int>(call.score)) +
         number("normalizer", static_cast<int>(call.normalizer));
}

// Scalar first. All there are, or, in a run that forces one, scalar and that one: the other runs look
// after the others.
inline std::vector<std::string_view> backends_to_sweep() {
  std::vector<std::string_view> names = backends();
  std::reverse(names.begin(), names.end());
  if (const char* forced = std::getenv("QKV_BACKEND"); forced != nullptr && *forced != '\0') {
    std::erase_if(names, [&](std::string_view name) { return name != "scalar" && name != forced; });
  }
  return names;
}

// False when a backend went wrong: a sweep then stops, as the next thousand sizes would only repeat it.
inline bool sweep(const PlainCall& call, const Asked& asked = {}, Tolerance tolerance = {}) {
  const KeepBackend keep;
  const Results<double> want = reference(call);
  Results<float> scalar;
  bool right = true;
  for (const std::string_view name : backends_to_sweep()) {
    EXPECT_TRUE(ok(try_set_backend(name)));
    const Results<float> got = attend(call, asked);
    if (name == "scalar") scalar = got;
    const testing::AssertionResult exact = agree(call, got, want, tolerance);
    const testing::AssertionResult alike = agree(call, got, scalar, tolerance);
    EXPECT_TRUE(exact) << name << " against the reference: " << describe(call);
    EXPECT_TRUE(alike) << name << " against scalar: " << describe(call);
    right = right && exact && alike;
  }
  return right && !testing::Test::HasFailure();
}

}  // namespace qkv::test
