// The module's few doors: operations by number, and memory. Values and results pass as streams of
// doubles (src/dynamic/value.hpp), so that a door takes and gives numbers alone; everything convenient
// is TypeScript.
#include <emscripten/bind.h>
#include <malloc.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "dynamic/call.hpp"
#include "qkv/backend.hpp"

namespace {

using namespace qkv;

// What a door has to say, kept until the next one is used.
std::vector<double> reply;

double address(const void* pointer) { return static_cast<double>(reinterpret_cast<std::uintptr_t>(pointer)); }

template <class T>
T* pointer(double address) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}

// Version, backend, and the names of all operations; the place of a name is its number.
double describe() {
  reply.clear();
  dynamic::write_string(version(), reply);
  std::string_view name;
  dynamic::write_string(try_backend(name).ok() ? std::string(name) : std::string(), reply);
  const auto operations = dynamic::operations();
  reply.push_back(static_cast<double>(operations.size()));
  for (const dynamic::NamedOperation& operation : operations) {
    dynamic::write_string(operation.name, reply);
  }
  return address(reply.data());
}

// Status, then the sentence, or the number of results and for each its name, kind and value.
double call(double operation, double words) {
  reply.clear();
  dynamic::Call request(pointer<const double>(words));
  const Status status =
      dynamic::run(dynamic::operations()[static_cast<std::size_t>(operation)], request);
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
    if (const std::string* text = std::get_if<std::string>(&result.value)) {
      reply.push_back(3);
      dynamic::write_string(*text, reply);
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

// Memory of at least 8 bytes' alignment, or null.
double allocate_bytes(double bytes) { return address(std::malloc(static_cast<std::size_t>(bytes))); }
void give_back(double address) { std::free(pointer<void>(address)); }
// In use, in bytes.
double used() { return static_cast<double>(mallinfo().uordblks); }

}  // namespace

EMSCRIPTEN_BINDINGS(qkv) {
  emscripten::function("describe", &describe);
  emscripten::function("call", &call);
  emscripten::function("allocate", &allocate_bytes);
  emscripten::function("release", &give_back);
  emscripten::function("used", &used);
}
