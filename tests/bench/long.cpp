// Long sequences natively: time and peak memory of one call of (1, 1, length, 64), printed as JSON.
//   qkv-bench LENGTH full|window
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <qkv/qkv.hpp>
#include <vector>

namespace {

constexpr qkv::Index width = 64;

// Of the process so far.
long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

std::vector<float> numbers(qkv::Index count, unsigned seed) {
  std::vector<float> list(static_cast<std::size_t>(count));
  for (float& number : list) {
    seed = seed * 1664525 + 1013904223;
    number = static_cast<float>(seed >> 8) / 8388608.0f - 1;
  }
  return list;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::fputs("usage: qkv-bench LENGTH full|window\n", stderr);
    return 2;
  }
  const qkv::Index length = std::atoll(words[1]);
  const long before = peak_kilobytes();
  const qkv::Shape shape{1, 1, length, width};
  const std::vector<float> query = numbers(shape.elements(), 1), key = numbers(shape.elements(), 2),
                           value = numbers(shape.elements(), 3);
  std::vector<float> output(query.size());
  qkv::AttentionOptions options;
  if (std::strcmp(words[2], "window") == 0) options.mask = qkv::mask::window(256, 256);

  double best = 1e30;
  for (int round = 0; round < 3; ++round) {
    const auto start = std::chrono::steady_clock::now();
    qkv::attention({query.data(), shape}, {key.data(), shape}, {value.data(), shape},
                   {output.data(), shape}, options);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (took.count() < best) best = took.count();
    if (best > 3000) break;  // long enough to be a measurement by itself
  }
  const std::string_view backend = qkv::backend();
  std::printf("{\"backend\": \"%.*s\", \"threads\": %d, \"ms\": %.3f, \"peakBytes\": %lld}\n",
              static_cast<int>(backend.size()), backend.data(), qkv::threads(), best,
              (peak_kilobytes() - before) * 1024LL);
}
