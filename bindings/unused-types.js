// A JavaScript library for the linker. Embind registers every basic type, whether a function uses it
// or not. These are the types of no function of embind.cpp; without their registration a page has a
// kilobyte less to fetch. The linker compares the number of parameters with what it knows of each.
addToLibrary({
  _embind_register_bigint: (type, name, size, least, largest) => {},
  _embind_register_bigint__deps: [],
  _embind_register_emval: (type) => {},
  _embind_register_emval__deps: [],
  _embind_register_memory_view: (type, index, name) => {},
  _embind_register_memory_view__deps: [],
  _embind_register_std_wstring: (type, size, name) => {},
  _embind_register_std_wstring__deps: [],
  // Names a type in a message about one that was not registered. The module's own way of doing so
  // brings along all of printf.
  $getTypeName: (type) => String(type),
  $getTypeName__deps: [],
});
