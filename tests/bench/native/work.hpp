// What is timed: a prepared call of one shape, or a probe of the machine.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <qkv/qkv.hpp>
#include <string>

class Work {
 public:
  virtual ~Work() = default;
  virtual void run() = 0;
  // Of the last run; a probe has none.
  virtual const qkv::Tensor* output() const { return nullptr; }
  // What one run of a probe does; 0 where the shape says it.
  virtual double flops() const { return 0; }
  virtual double bytes() const { return 0; }
};

std::unique_ptr<Work> make_attention(const nlohmann::json& shape);
std::unique_ptr<Work> make_layer(const nlohmann::json& shape);
std::unique_ptr<Work> make_probe(const std::string& name);  // "fma", "copy" or "read"
