// What this processor can run, asked without any instruction set's flags.
#pragma once

namespace qkv::arch {

struct Features {
  bool sse2 = false;
  bool avx2 = false;    // with FMA
  bool avx512 = false;  // F, CD, DQ and BW, as on every server with it since 2017
  bool neon64 = false;
  bool wasm = false;
};

Features detect() noexcept;

}  // namespace qkv::arch
