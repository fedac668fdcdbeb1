#pragma once

#include <cstdint>

namespace qkv {

// Every size, stride, offset and position.
using Index = std::int64_t;

}  // namespace qkv
