# What most files include, compiled once: the standard library's and fmt's headers take a second of each unit otherwise.
#
#   orrery_precompiled(TARGET [ALSO header...])   makes them for this target's compiler options
#   orrery_precompiled(TARGET FROM other)         takes those of a target that has the same
#
# Files say themselves what they include: clang-tidy (cmake/tidy.sh) reads them without this, as ORRERY_PRECOMPILED=OFF does.
set(ORRERY_COMMON_HEADERS <algorithm> <array> <bit> <charconv> <chrono> <cmath> <cstdint> <cstdio> <cstdlib> <cstring> <deque>
    <filesystem> <fmt/format.h> <fstream> <functional> <limits> <map> <memory> <numeric> <optional> <set> <span> <sstream>
    <string> <string_view> <tuple> <unordered_map> <utility> <vector>)

function(orrery_precompiled target)
  cmake_parse_arguments(PARSE_ARGV 1 headers "" "FROM" "ALSO")
  if(NOT ORRERY_PRECOMPILED)
    return()
  elseif(headers_FROM)
    target_precompile_headers(${target} REUSE_FROM ${headers_FROM})
  else()
    target_precompile_headers(${target} PRIVATE ${ORRERY_COMMON_HEADERS} ${headers_ALSO})
  endif()
endfunction()
