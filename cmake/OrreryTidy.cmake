# `ninja tidy`: clang-tidy over src/, one step per file, so that it runs in parallel and again only for what changed
# (the file itself, a header of ours that it includes, or .clang-tidy).
find_program(CLANG_TIDY NAMES clang-tidy clang-tidy-14)
mark_as_advanced(CLANG_TIDY)
if(NOT CLANG_TIDY)
  return()
endif()

set(ORRERY_TIDY_STAMPS)
file(GLOB_RECURSE ORRERY_TIDY_SOURCES CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src/*.cpp")
foreach(source IN LISTS ORRERY_TIDY_SOURCES)
  set(stamp "${CMAKE_BINARY_DIR}/tidy/${source}")
  get_filename_component(folder "${stamp}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(
    OUTPUT "${stamp}.ok"
    COMMAND "${CLANG_TIDY}" -p "${CMAKE_BINARY_DIR}" --quiet --extra-arg=-Wno-unknown-warning-option
            "${PROJECT_SOURCE_DIR}/${source}"
    COMMAND "${CMAKE_CXX_COMPILER}" -std=c++20 "-I${PROJECT_SOURCE_DIR}/src" "-I${PROJECT_SOURCE_DIR}/include" -MM -MG
            -MT "${stamp}.ok" -MF "${stamp}.d" "${PROJECT_SOURCE_DIR}/${source}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}.ok"
    DEPENDS "${PROJECT_SOURCE_DIR}/${source}" "${PROJECT_SOURCE_DIR}/.clang-tidy"
    DEPFILE "${stamp}.d"
    COMMENT "clang-tidy ${source}"
    VERBATIM)
  list(APPEND ORRERY_TIDY_STAMPS "${stamp}.ok")
endforeach()
add_custom_target(tidy DEPENDS ${ORRERY_TIDY_STAMPS})
