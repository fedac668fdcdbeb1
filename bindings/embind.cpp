// The module's few doors: operations by number, memory, and what runs them. Values and results pass
// as streams of doubles (src/dynamic/value.hpp); everything convenient is TypeScript.
#include <emscripten/bind.h>
#include <malloc.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "dynamic/call.hpp"
#include "qkv/backend.hpp"
#include "text.hpp"

namespace {

using namespace qkv;

// The last call's results, kept until the next call.
std::vector<double> reply;

double address(const void* pointer) { return static_cast<double>(reinterpret_cast<std::uintptr_t>(pointer)); }

// Status, then the sentence, or the number of results and for each its name, kind and value.
double call(int index, double words) {
  reply.clear();
  const auto* stream = reinterpret_cast<const double*>(static_cast<std::uintptr_t>(words));
  dynamic::Call request(stream);
  const Status status = dynamic::run(dynamic::operations()[static_cast<std::size_t>(index)], request);
  reply.push_back(static_cast<double>(status.code()));
  if (!status.ok()) {
    dynamic::write_string(status.message(), reply);
    return address(reply.data());
  }
  reply.push_back(static_cast<double>(request.results().size()));
  for (dynamic::Result& result : request.results()) {
    dynamic::write_string(result.name, reply);
    if (const double* number = std::get_if<double>(&result.value)) {
      reply.push_back(1);
      reply.push_back(*number);
      continue;
    }
    Tensor& tensor = std::get<Tensor>(result.value);
    const Shape shape = tensor.shape();
    reply.push_back(2);
    reply.push_back(address(tensor.detach()));
    reply.push_back(shape.rank());
    for (const Index size : shape) reply.push_back(static_cast<double>(size));
  }
  return address(reply.data());
}

int operation(const std::string& name) {
  const auto all = dynamic::operations();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (name == all[i].name) return static_cast<int>(i);
  }
  return -1;
}

double allocate(double bytes) { return address(std::malloc(static_cast<std::size_t>(bytes))); }
void give_back(double pointer) { std::free(reinterpret_cast<void*>(static_cast<std::uintptr_t>(pointer))); }
double memory() { return mallinfo().uordblks; }

std::string backend() {
  std::string_view name;
  return try_backend(name).ok() ? std::string(name) : std::string();
}
std::string core_version() { return version(); }

}  // namespace

EMSCRIPTEN_BINDINGS(qkv) {
  emscripten::function("operation", &operation);
  emscripten::function("call", &call);
  emscripten::function("allocate", &allocate);
  emscripten::function("release", &give_back);
  emscripten::function("memory", &memory);
  emscripten::function("version", &core_version);
  emscripten::function("backend", &backend);
}
