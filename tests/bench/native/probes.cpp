// What the machine can do at best: multiply-adds between registers, and traffic with memory.
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "fma_peak.hpp"
#include "work.hpp"

namespace {

// Written to, so that what led to the value must be computed.
volatile double observed;

class FmaPeak : public Work {
 public:
  void run() override { flops_ = fma_peak(20000); }
  double flops() const override { return flops_; }

 private:
  double flops_ = 0;
};

// Far more than the caches hold.
constexpr std::size_t floats = std::size_t{1} << 25;

class Copy : public Work {
 public:
  Copy() : from_(floats, 1.0f), to_(floats) {}
  void run() override {
    std::memcpy(to_.data(), from_.data(), floats * sizeof(float));
    observed = to_[floats / 2];
  }
  double bytes() const override { return 2.0 * floats * sizeof(float); }  // read and written

 private:
  std::vector<float> from_, to_;
};

class Read : public Work {
 public:
  Read() : words_(floats / 2, 1) {}
  // Whole numbers, which a compiler may add up in any order, and so in vectors.
  void run() override {
    observed = static_cast<double>(std::accumulate(words_.begin(), words_.end(), std::uint64_t{0}));
  }
  double bytes() const override { return static_cast<double>(words_.size() * sizeof(words_[0])); }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace

std::unique_ptr<Work> make_probe(const std::string& name) {
  if (name == "fma") return std::make_unique<FmaPeak>();
  if (name == "copy") return std::make_unique<Copy>();
  if (name == "read") return std::make_unique<Read>();
  throw std::invalid_argument("no probe \"" + name + "\"");
}
