#include "backend.hpp"

#include <array>
#include <atomic>
#include <cstdlib>

#include "arch/detect.hpp"
#include "text.hpp"

namespace qkv {
namespace {

// Chosen at first use; a null pointer until then. Two threads that choose at once choose alike.
std::atomic<const Kernels*> chosen{nullptr};

// Best first, null where this build or this processor lacks one.
std::array<const Kernels*, 6> candidates() noexcept {
  static const arch::Features features = arch::detect();
  return {features.avx512 ? arch::avx512() : nullptr, features.avx2 ? arch::avx2() : nullptr,
          features.sse2 ? arch::sse2() : nullptr,     features.neon64 ? arch::neon64() : nullptr,
          features.wasm ? arch::wasm() : nullptr,     arch::scalar()};
}

Status find(std::string_view name, const char* asked_by, const Kernels*& kernels) {
  std::string names;
  for (const Kernels* candidate : candidates()) {
    if (candidate == nullptr) continue;
    if (name == candidate->name) {
      kernels = candidate;
      return {};
    }
    names += (names.empty() ? "" : ", ") + std::string(candidate->name);
  }
  return argument_error(asked_by, " names the backend \"", name, "\"; this machine has ", names);
}

}  // namespace

Status active_kernels(const Kernels*& kernels) noexcept {
  kernels = chosen.load(std::memory_order_acquire);
  if (kernels != nullptr) return {};
  return guarded([&]() -> Status {
    const char* forced = std::getenv("QKV_BACKEND");
    if (forced != nullptr && *forced != '\0') {
      QKV_TRY(find(forced, "QKV_BACKEND", kernels));
    } else {
      for (const Kernels* candidate : candidates()) {
        if (kernels == nullptr) kernels = candidate;
      }
    }
    chosen.store(kernels, std::memory_order_release);
    return {};
  });
}

std::vector<std::string_view> backends() {
  std::vector<std::string_view> names;
  for (const Kernels* candidate : candidates()) {
    if (candidate != nullptr) names.emplace_back(candidate->name);
  }
  return names;
}

Status try_backend(std::string_view& name) noexcept {
  const Kernels* kernels = nullptr;
  QKV_TRY(active_kernels(kernels));
  name = kernels->name;
  return {};
}

Status try_set_backend(std::string_view name) noexcept {
  return guarded([&]() -> Status {
    const Kernels* kernels = nullptr;
    QKV_TRY(find(name, "set_backend", kernels));
    chosen.store(kernels, std::memory_order_release);
    return {};
  });
}

const char* version() noexcept { return QKV_VERSION; }

}  // namespace qkv
