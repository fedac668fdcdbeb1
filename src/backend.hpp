// The kernels in use.
#pragma once

#include "kernels/table.hpp"
#include "qkv/backend.hpp"

namespace qkv {

// Errors: argument (QKV_BACKEND).
Status active_kernels(const Kernels*& kernels) noexcept;

}  // namespace qkv
