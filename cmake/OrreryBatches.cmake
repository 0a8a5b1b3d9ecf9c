# Compiles the sources of a target in batches: one unit includes several .cpp files of one folder, so that the headers they
# share are read once. A third of the time of a whole build.
#
#   orrery_batches(TARGET [EXCEPT regex])
#
# A batch holds files of one folder of src/ (to its second level), up to ORRERY_BATCH_BYTES of text. Names in anonymous
# namespaces are therefore shared by a folder: each says what it is for. ORRERY_BATCHES=OFF compiles every file by itself,
# for work on one file.
option(ORRERY_BATCHES "Compile several source files of a folder in one unit" ON)
set(ORRERY_BATCH_BYTES 90000 CACHE STRING "Most source text in one unit, in bytes")
mark_as_advanced(ORRERY_BATCH_BYTES)

# For code that does not simulate: it takes less time to make, and no more to run.
function(orrery_little_optimised target)
  if(ORRERY_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  elseif(CMAKE_BUILD_TYPE STREQUAL Release)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

function(orrery_batches target)
  cmake_parse_arguments(PARSE_ARGV 1 batch "" "EXCEPT" "")
  if(NOT ORRERY_BATCHES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(source_dir ${target} SOURCE_DIR)
  set(files)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${source_dir}" NORMALIZE)
    cmake_path(IS_PREFIX PROJECT_SOURCE_DIR "${source}" ours)
    cmake_path(IS_PREFIX CMAKE_BINARY_DIR "${source}" generated)
    if(ours AND NOT generated AND source MATCHES "\\.cpp$" AND NOT (batch_EXCEPT AND source MATCHES "${batch_EXCEPT}"))
      list(APPEND files "${source}")
    endif()
  endforeach()
  list(SORT files)
  set(folder)
  set(bytes 0)
  set(number 0)
  foreach(file IN LISTS files)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE path)
    string(REGEX MATCH "^[^/]+/[^/]+(/[^/]+/)?" here "${path}")
    file(SIZE "${file}" size)
    math(EXPR bytes "${bytes} + ${size}")
    if(NOT here STREQUAL folder OR bytes GREATER ORRERY_BATCH_BYTES)
      math(EXPR number "${number} + 1")
      set(folder "${here}")
      set(bytes ${size})
    endif()
    set_property(SOURCE "${file}" TARGET_DIRECTORY ${target} PROPERTY UNITY_GROUP "${target}_${number}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
                        UNITY_BUILD_CODE_BEFORE_INCLUDE "// NOLINTNEXTLINE(bugprone-suspicious-include)")
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # GCC takes a class of a .cpp file that is included for one of a header.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()
