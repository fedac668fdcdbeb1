// The inputs, number for number those of numbers.mjs.
#pragma once

#include <cstdint>
#include <qkv/qkv.hpp>

inline std::uint32_t hash(std::uint32_t place, std::uint32_t seed) {
  std::uint32_t bits = (place + 1) * 0x9e3779b1u ^ seed * 0x85ebca6bu;
  bits = (bits ^ bits >> 15) * 0x2c1b3c6du;
  bits = (bits ^ bits >> 12) * 0x297a2d39u;
  return bits ^ bits >> 15;
}

inline qkv::Tensor numbers(const qkv::Shape& shape, std::uint32_t seed, float scale = 2) {
  qkv::Tensor tensor(shape);
  for (qkv::Index place = 0; place < tensor.size(); ++place) {
    const auto bits = hash(static_cast<std::uint32_t>(place), seed) >> 8;
    tensor[place] = (static_cast<float>(bits) / 8388608.0f - 1) * scale;
  }
  return tensor;
}
