// A JavaScript library for the linker. Embind registers every basic type, whether a function uses it
// or not; the functions of embind.cpp take and give doubles. Without the others' registration a page
// has two kilobytes less to fetch. The linker compares the number of parameters with what it knows of
// each.
addToLibrary({
  _embind_register_bigint: (type, name, size, least, largest) => {},
  _embind_register_bigint__deps: [],
  _embind_register_bool: (type, name, trueValue, falseValue) => {},
  _embind_register_bool__deps: [],
  _embind_register_emval: (type) => {},
  _embind_register_emval__deps: [],
  _embind_register_integer: (type, name, size, least, largest) => {},
  // What the registration of doubles needs too, without saying so.
  _embind_register_integer__deps: ['$GenericWireTypeSize'],
  _embind_register_memory_view: (type, index, name) => {},
  _embind_register_memory_view__deps: [],
  _embind_register_std_string: (type, name) => {},
  _embind_register_std_string__deps: [],
  _embind_register_std_wstring: (type, size, name) => {},
  _embind_register_std_wstring__deps: [],
  // Names a type in a message about one that was not registered. The module's own way of doing so
  // brings along all of printf.
  $getTypeName: (type) => String(type),
  $getTypeName__deps: [],
  // A page has no environment variables: an error, by WASI's numbers, says so.
  environ_get: (pointers, buffer) => 1,
  environ_get__deps: [],
  environ_sizes_get: (count, bytes) => 1,
  environ_sizes_get__deps: [],
});
