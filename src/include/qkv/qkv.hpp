// qkv: every kind of attention on one SIMD core. Includes the whole public interface.
#pragma once

#include "qkv/attention.hpp"
#include "qkv/backend.hpp"
#include "qkv/error.hpp"
#include "qkv/layers.hpp"
#include "qkv/linear.hpp"
#include "qkv/mask.hpp"
#include "qkv/position.hpp"
#include "qkv/tensor.hpp"
