// The threads of WebAssembly, which can start none itself: whoever loads the module starts workers,
// each with an instance of its own on the module's memory, and sends each of them here.
#pragma once

namespace qkv {

// Another thread is about to call serve(): worker_limit() is one more from now on.
void enlist_helper() noexcept;

// Takes part in loops for ever.
[[noreturn]] void serve() noexcept;

// Whether callers of loops may sleep while helpers finish. A page's own thread may not; until it is
// told, the pool takes its callers for such.
void let_callers_sleep(bool allowed) noexcept;

}  // namespace qkv
