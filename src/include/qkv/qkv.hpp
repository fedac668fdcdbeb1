// qkv: every kind of attention on one SIMD core. Includes the whole public interface.
#pragma once

#include "qkv/attention.hpp"
#include "qkv/backend.hpp"
#include "qkv/baselines.hpp"
#include "qkv/block.hpp"
#include "qkv/content.hpp"
#include "qkv/error.hpp"
#include "qkv/fewer_keys.hpp"
#include "qkv/layers.hpp"
#include "qkv/linear.hpp"
#include "qkv/linear_attention.hpp"
#include "qkv/mask.hpp"
#include "qkv/mechanism.hpp"
#include "qkv/mixers.hpp"
#include "qkv/picking.hpp"
#include "qkv/position.hpp"
#include "qkv/tensor.hpp"
