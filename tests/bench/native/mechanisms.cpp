// Every mechanism of the catalogue over growing lengths: qkv-bench-mechanisms [most multiply-adds [name]].
// One head of width 64, one thread. Prints a line of JSON for each mechanism and length.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "numbers.hpp"
#include "work.hpp"

namespace {

using nlohmann::json;
using qkv::Index;

constexpr Index width = 64;

double now_ms() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(time).count();
}

// Bytes that this process holds, or held at most since `forget_peak`, of Linux; 0 elsewhere.
double held(const char* what) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(what)) return std::atof(line.c_str() + std::string(what).size()) * 1024;
  }
  return 0;
}
void forget_peak() {
#if defined(__GLIBC__)
  malloc_trim(0);  // what earlier calls gave back is held otherwise, and would hide what is taken anew
#endif
  std::ofstream("/proc/self/clear_refs") << 5;
}

// The fastest of several calls: what disturbs a machine only ever adds.
double fastest(const qkv::Mechanism& mechanism, const qkv::Tensor& x,
               std::span<const qkv::ConstTensorView> weights, qkv::Tensor& result) {
  double best = HUGE_VAL, spent = 0;
  for (int call = 0; call < 3 || (call < 50 && spent < 60); ++call) {
    const double start = now_ms();
    qkv::raise(qkv::try_run(mechanism, x, {}, result, weights));
    const double took = now_ms() - start;
    best = std::min(best, took);
    spent += took;
    if (spent > 1500) break;
  }
  return best;
}

// |a - b| / |b|, or nothing where the shapes differ.
json apart(const qkv::Tensor& a, const qkv::Tensor& b) {
  if (!(a.shape() == b.shape())) return nullptr;
  double difference = 0, size = 0;
  for (Index i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(difference / size);
}

}  // namespace

int main(int count, char** arguments) {
  const double most = count > 1 ? std::atof(arguments[1]) : 4e10;
  qkv::set_threads(1);
  std::map<Index, qkv::Tensor> exact;
  const std::string only = count > 2 ? arguments[2] : "";
  for (const qkv::Mechanism* mechanism : qkv::mechanisms()) {
    if (!only.empty() && mechanism->name != only && mechanism != qkv::mechanisms().front()) continue;
    for (Index n = 256; n <= 65536; n *= 2) {
      qkv::MechanismCost cost;
      qkv::raise(qkv::try_cost(*mechanism, n, width, {}, cost));
      if (cost.multiply_adds > most) break;
      const qkv::Tensor x = numbers({n, width}, 1, 1);
      qkv::Tensor result(qkv::result_shape(*mechanism, x.shape(), {}));
      forget_peak();
      const double before = held("VmRSS:");
      std::vector<qkv::Tensor> drawn(mechanism->weights.size());
      qkv::raise(qkv::try_draw_weights(*mechanism, n, width, {}, drawn));
      const std::vector<qkv::ConstTensorView> weights(drawn.begin(), drawn.end());
      qkv::raise(qkv::try_run(*mechanism, x, {}, result, weights));
      const double peak = std::max(0.0, held("VmHWM:") - before);
      const double ms = fastest(*mechanism, x, weights, result);
      json line = {{"name", mechanism->name}, {"family", qkv::family_name(mechanism->family)},
                   {"n", n},
                   {"ms", ms},                {"multiplyAdds", cost.multiply_adds},
                   {"bytes", cost.bytes},     {"peakBytes", peak}};
      if (n <= 4096) {
        if (mechanism == qkv::mechanisms().front()) exact[n] = qkv::Tensor(qkv::ConstTensorView(result));
        line["error"] = apart(result, exact.at(n));
      }
      std::cout << line.dump() << std::endl;
    }
  }
}
