// Further doors of the modules with threads: what the loader needs to give them some.
#include <emscripten/bind.h>

#include "qkv/backend.hpp"
#include "threads/helpers.hpp"

// To be called in a helper's own instance, which has nothing of Embind around it.
extern "C" __attribute__((export_name("serve"))) void serve() { qkv::serve(); }

EMSCRIPTEN_BINDINGS(qkv_threads) {
  emscripten::function("enlist", +[] { qkv::enlist_helper(); });
  emscripten::function("sleep", +[](double allowed) { qkv::let_callers_sleep(allowed != 0); });
  emscripten::function("threads", +[]() -> double { return qkv::threads(); });
}
