# xsimd 13.2 or newer, headers only, used inside the per-architecture objects. An installed one is
# taken first (-Dxsimd_DIR=... or CMAKE_PREFIX_PATH), else its sources are fetched at a pinned tag.
find_package(xsimd 13.2 QUIET)
if(NOT xsimd_FOUND)
  include(FetchContent)
  FetchContent_Declare(xsimd GIT_REPOSITORY https://github.com/xtensor-stack/xsimd.git
                             GIT_TAG 13.2.0 GIT_SHALLOW TRUE)
  FetchContent_MakeAvailable(xsimd)
  set(xsimd_INCLUDE_DIRS ${xsimd_SOURCE_DIR}/include)
endif()

# Only the headers: some packages' own target brings in another library's complex numbers.
add_library(qkv-xsimd INTERFACE)
target_include_directories(qkv-xsimd SYSTEM INTERFACE ${xsimd_INCLUDE_DIRS})
