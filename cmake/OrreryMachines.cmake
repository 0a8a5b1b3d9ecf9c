# The built-in machines (machines/*.toml) become part of the program: a source file with their texts.
file(GLOB ORRERY_MACHINES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/machines/*.toml")
set(ORRERY_BUILT_IN_MACHINES "${CMAKE_CURRENT_BINARY_DIR}/generated/built_in_machines.cpp")
add_custom_command(
  OUTPUT "${ORRERY_BUILT_IN_MACHINES}"
  COMMAND "${CMAKE_COMMAND}" -D "MACHINES=${ORRERY_MACHINES}" -D "OUTPUT=${ORRERY_BUILT_IN_MACHINES}"
          -P "${PROJECT_SOURCE_DIR}/cmake/embed_machines.cmake"
  DEPENDS ${ORRERY_MACHINES} "${PROJECT_SOURCE_DIR}/cmake/embed_machines.cmake"
  COMMENT "Built-in machines"
  VERBATIM)
