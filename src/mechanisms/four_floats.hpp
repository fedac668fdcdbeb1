// Four floats at once, by the compilers' own vectors: loops that no kernel of the table does,
// written so that they are fast even where everything is compiled for size.
#pragma once

#include <cstring>

namespace qkv {

using Four = float __attribute__((vector_size(16)));

inline Four load_four(const float* from) noexcept {
  Four four;
  std::memcpy(&four, from, sizeof four);
  return four;
}
inline void store_four(float* to, const Four& four) noexcept {
  std::memcpy(to, &four, sizeof four);
}

}  // namespace qkv
