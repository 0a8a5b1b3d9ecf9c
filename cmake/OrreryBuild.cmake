# How everything is compiled: language level, warnings, sanitizers, ccache.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
message(STATUS "Orrery ${PROJECT_VERSION}: ${CMAKE_BUILD_TYPE} build")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
# The same objects serve the program and the installed shared library, which shows nothing but its public API.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# Tests and benchmarks are built where their libraries are installed; ./check asks for them by name.
find_package(GTest QUIET)
find_package(benchmark QUIET)
option(ORRERY_TESTS "Build the tests" ${GTest_FOUND})
option(ORRERY_BENCH "Build the benchmarks" ${benchmark_FOUND})
option(ORRERY_FUZZ "Build the libFuzzer targets (clang)" OFF)
option(ORRERY_PRECOMPILED "Compile headers that most files include once" ON)
set(ORRERY_SANITIZE "" CACHE STRING "Sanitizers to build with, such as address,undefined")

# Whether a build folder compiles by way of ccache is decided when it is made: if ccache came later, as ./check after
# ./quickstart installs it, all that is there would be compiled again.
if(NOT DEFINED ORRERY_CCACHE)
  find_program(found_ccache ccache NO_CACHE)
  if(NOT found_ccache)
    set(found_ccache "")
  endif()
  set(ORRERY_CCACHE "${found_ccache}" CACHE FILEPATH "The compiler cache; empty: none")
  mark_as_advanced(ORRERY_CCACHE)
endif()
if(ORRERY_CCACHE)
  # Precompiled headers are cached only if ccache is told that what they define and when they were made may differ.
  # Another clone finds the objects of this one: paths below the project are relative, the folder is not looked at.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_NOHASHDIR=true
                                  "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" "${ORRERY_CCACHE}")
endif()

add_library(orrery_options INTERFACE)
target_compile_options(orrery_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in std::string::insert and operator+ where there are none (GCC bug 105651).
  # Where headers are precompiled it also sees a std::string_view::find that reads beyond all memory.
  target_compile_options(orrery_options INTERFACE -Wno-restrict $<$<BOOL:${ORRERY_PRECOMPILED}>:-Wno-stringop-overread>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # It collects garbage first at 512 MB and not at 128 MB: a batch is done by then. A twentieth of the time.
  target_compile_options(orrery_options INTERFACE --param=ggc-min-heapsize=524288)
endif()
if(ORRERY_SANITIZE)
  target_compile_options(orrery_options INTERFACE -fsanitize=${ORRERY_SANITIZE} -fno-sanitize-recover=all
                                                  -fno-omit-frame-pointer)
  target_link_options(orrery_options INTERFACE -fsanitize=${ORRERY_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # clang 14 cannot compile coroutines with this check.
    target_compile_options(orrery_options INTERFACE -fno-sanitize=function)
  endif()
endif()
# What libFuzzer follows: the code that fuzz targets call. In other code (tests, command line, emulator) it would take a third
# more time to compile. These are the options of -fsanitize=fuzzer-no-link, spelt out: with that one, a target could not use
# the precompiled headers of another that goes without.
function(orrery_followed_by_fuzzer target)
  if(ORRERY_FUZZ)
    target_compile_options(
      ${target} PRIVATE -fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table,stack-depth -fno-builtin-bcmp
                        -fno-builtin-memcmp -fno-builtin-memmem -fno-builtin-strcasecmp -fno-builtin-strcasestr
                        -fno-builtin-strcmp -fno-builtin-strncasecmp -fno-builtin-strncmp -fno-builtin-strstr)
  endif()
endfunction()
# Programs with sanitizers are large, and fuzz targets are many: they take seconds each with the usual linker.
find_program(ORRERY_LLD NAMES ld.lld)
mark_as_advanced(ORRERY_LLD)
if(ORRERY_SANITIZE AND ORRERY_LLD)
  target_link_options(orrery_options INTERFACE -fuse-ld=lld)
endif()

# What the program can say of its build (`orrery --version`, `orrery doctor`).
set(ORRERY_BUILD_FACTS ORRERY_VERSION="${PROJECT_VERSION}" ORRERY_BUILD_TYPE="${CMAKE_BUILD_TYPE}"
                       ORRERY_SANITIZE="${ORRERY_SANITIZE}")
