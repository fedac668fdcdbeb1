// Tests ask for memory that no machine has. A sanitizer's allocator is to refuse it as the system's
// does, with a null pointer, where it would otherwise end the program.
extern "C" {
[[gnu::used, gnu::visibility("default")]] const char* __asan_default_options() {
  return "allocator_may_return_null=1:detect_stack_use_after_return=1";
}
[[gnu::used, gnu::visibility("default")]] const char* __tsan_default_options() {
  return "allocator_may_return_null=1";
}
}
