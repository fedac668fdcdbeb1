// A counter-based random generator: the n-th number of a stream is a function of (seed, n), so any
// thread can draw any number in any order and every platform draws the same bits.
// Philox4x32-10, Salmon et al. 2011, "Parallel Random Numbers: As Easy as 1, 2, 3".
#pragma once

#include <array>
#include <cstdint>

namespace qkv::random {

using Counter = std::array<std::uint32_t, 4>;

inline Counter philox(Counter counter, std::uint64_t seed) noexcept {
  auto key0 = static_cast<std::uint32_t>(seed);
  auto key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t left = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t right = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(right >> 32) ^ counter[1] ^ key0,
               static_cast<std::uint32_t>(right),
               static_cast<std::uint32_t>(left >> 32) ^ counter[3] ^ key1,
               static_cast<std::uint32_t>(left)};
    key0 += 0x9E3779B9;  // the golden ratio
    key1 += 0xBB67AE85;  // sqrt(3) - 1
  }
  return counter;
}

// Streams keep uses of one seed apart.
enum class Stream : std::uint32_t { dropout = 1, sample, mask, normal, uniform };

// Four numbers for four neighbouring elements: element / 4 within a row, row, and stream.
inline Counter draw(std::uint64_t seed, Stream stream, std::uint64_t row,
                    std::uint64_t quad) noexcept {
  // A stream holds 2^34 elements per row; its high bits share a word with the stream's number.
  return philox({static_cast<std::uint32_t>(quad), static_cast<std::uint32_t>(row),
                 static_cast<std::uint32_t>(row >> 32),
                 static_cast<std::uint32_t>(stream) << 16 ^ static_cast<std::uint32_t>(quad >> 32)},
                seed);
}

// Uniform on (0, 1), never an end, from 23 bits, so that the sum is exact.
inline float uniform(std::uint32_t bits) noexcept {
  return (static_cast<float>(bits >> 9) + 0.5f) * (1.0f / 8388608.0f);
}

}  // namespace qkv::random
