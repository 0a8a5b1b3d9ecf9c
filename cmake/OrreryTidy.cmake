# `ninja tidy`: clang-tidy over src/, one step per file, so that it runs in parallel. Every file is asked for each time;
# what was found clean, in this clone or another, comes from ccache. See tidy.sh.
find_program(CLANG_TIDY NAMES clang-tidy clang-tidy-14)
find_program(CLANG NAMES clang++ clang++-14)
mark_as_advanced(CLANG_TIDY CLANG)
if(NOT CLANG_TIDY OR NOT CLANG)
  return()
endif()

set(ORRERY_TIDY_ENVIRONMENT "CLANG_TIDY=${CLANG_TIDY}" "CLANG=${CLANG}")
if(CCACHE)
  list(APPEND ORRERY_TIDY_ENVIRONMENT "CCACHE=${CCACHE}" "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=true)
endif()
set(ORRERY_TIDY_STEPS)
file(GLOB_RECURSE ORRERY_TIDY_SOURCES CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src/*.cpp")
foreach(source IN LISTS ORRERY_TIDY_SOURCES)
  set(stamp "${CMAKE_BINARY_DIR}/tidy/${source}.ok")
  get_filename_component(folder "${stamp}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(
    OUTPUT "tidy-${source}" # never there, so always to be made
    COMMAND "${CMAKE_COMMAND}" -E env ${ORRERY_TIDY_ENVIRONMENT} "${PROJECT_SOURCE_DIR}/cmake/tidy.sh"
            "${CMAKE_BINARY_DIR}/compile_commands.json" "${PROJECT_SOURCE_DIR}/${source}" "${stamp}"
    COMMENT "clang-tidy ${source}"
    VERBATIM)
  set_source_files_properties("tidy-${source}" PROPERTIES SYMBOLIC TRUE)
  list(APPEND ORRERY_TIDY_STEPS "tidy-${source}")
endforeach()
add_custom_target(tidy DEPENDS ${ORRERY_TIDY_STEPS})
