// Which instruction set runs the kernels, and on how many threads.
//
// The library holds the kernels for several instruction sets and picks the best one this processor
// has at first use. The environment variable QKV_BACKEND forces one by name; a name that is unknown,
// or that this processor or build lacks, is an error of every operation until it is corrected.
#pragma once

#include <string_view>
#include <vector>

#include "qkv/error.hpp"
#include "qkv/export.hpp"

namespace qkv {

// Version of the library, "major.minor.patch".
QKV_API const char* version() noexcept;

// Names of the backends that this build holds and this processor runs, best first:
// avx512, avx2, sse2 | neon64 | simd128, relaxed; always scalar, plain loops, last.
QKV_API std::vector<std::string_view> backends();

// Name of the backend in use. Errors: argument (QKV_BACKEND names none of backends()).
QKV_API Status try_backend(std::string_view& name) noexcept;

// Chooses a backend for all later calls; do so while no other call runs. Errors: argument.
QKV_API Status try_set_backend(std::string_view name) noexcept;

// Number of threads that one call may use: the processors this process may run on unless set.
QKV_API int threads() noexcept;

// Sets it, 1 or more. Results do not depend on it, bit for bit. Errors: argument.
QKV_API Status try_set_threads(int count) noexcept;

#if defined(__cpp_exceptions)
inline std::string_view backend() {
  std::string_view name;
  raise(try_backend(name));
  return name;
}
inline void set_backend(std::string_view name) { raise(try_set_backend(name)); }
inline void set_threads(int count) { raise(try_set_threads(count)); }
#endif

}  // namespace qkv
