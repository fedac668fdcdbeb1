// qkv natively, as a contender: qkv-bench THREADS. Answers the messages that contenders/host.mjs
// describes, one line of JSON each.
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>

#include "work.hpp"

namespace {

using nlohmann::json;

struct Prepared {
  std::unique_ptr<Work> work;
  double estimate = 0;  // milliseconds of a call
};

std::map<std::string, Prepared> prepared;

double timed(Work& work, long calls) {
  const auto start = std::chrono::steady_clock::now();
  for (long call = 0; call < calls; ++call) work.run();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  return took.count();
}

json prepare(const json& shape) {
  const std::string name = shape.at("name");
  prepared.erase(name);
  std::unique_ptr<Work> work = shape.contains("probe")   ? make_probe(shape.at("probe"))
                               : shape.contains("layer") ? make_layer(shape)
                                                         : make_attention(shape);
  const double first = timed(*work, 1);
  json answer = {{"firstMs", first}};
  if (work->flops() > 0) answer["flops"] = work->flops();
  if (work->bytes() > 0) answer["bytes"] = work->bytes();
  prepared[name] = {std::move(work), first};
  return answer;
}

json warm(Prepared& one, double milliseconds) {
  double spent = 0;
  do spent += one.estimate = timed(*one.work, 1);
  while (spent < milliseconds);
  return {{"ms", one.estimate}};
}

json sample(Prepared& one, double milliseconds) {
  if (one.estimate < milliseconds) timed(*one.work, 1);
  const long calls = std::lround(std::fmin(std::fmax(1, milliseconds / one.estimate), 1e6));
  one.estimate = timed(*one.work, calls) / static_cast<double>(calls);
  return {{"ms", one.estimate}, {"calls", calls}};
}

json write_output(const Work& work, const std::string& path) {
  const qkv::Tensor* output = work.output();
  if (output == nullptr) throw std::invalid_argument("a probe has no output");
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(output->data()),
             static_cast<std::streamsize>(output->size() * sizeof(float)));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
  return json::object();
}

// The most memory this process has held. Linux counts it in getrusage from the process that started
// this one, which may be larger; its own figure is in /proc.
long long peak_bytes() {
#if defined(__linux__)
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::atoll(line.c_str() + 6) * 1024;
  }
  throw std::runtime_error("/proc/self/status does not tell VmHWM");
#else
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;  // bytes on macOS
#endif
}

const long long peak_at_start = peak_bytes();

json answer(const json& message) {
  const std::string what = message.at("do");
  if (what == "formulations") return {{"formulations", {"views"}}};
  if (what == "prepare") return prepare(message.at("shape"));
  if (what == "memory") return {{"bytes", peak_bytes() - peak_at_start}};
  if (what == "release") return {{"released", prepared.erase(message.at("name"))}};
  Prepared& one = prepared.at(message.at("name"));
  if (what == "warm") return warm(one, message.at("milliseconds"));
  if (what == "sample") return sample(one, message.at("milliseconds"));
  if (what == "output") return write_output(*one.work, message.at("file"));
  throw std::invalid_argument("no contender answers \"" + what + "\"");
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::cerr << "usage: qkv-bench THREADS\n";
    return 2;
  }
  qkv::set_threads(std::atoi(words[1]));
  std::cout << json{{"threads", qkv::threads()},
                    {"version", qkv::version()},
                    {"backend", qkv::backend()}}
            << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    json reply;
    try {
      reply = answer(json::parse(line));
    } catch (const std::exception& error) {
      reply = {{"error", error.what()}};
    }
    std::cout << reply << std::endl;
  }
}
