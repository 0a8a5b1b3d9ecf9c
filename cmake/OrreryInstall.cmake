# What `cmake --install` and the Debian package hold: the program, the library with its headers and CMake package,
# the manual pages, the manual, the examples and the built-in machines as files to copy from.
include(CMakePackageConfigHelpers)

# The manual pages are made from what the program says of itself, so they cannot drift from it.
set(ORRERY_MAN_DIR "${CMAKE_BINARY_DIR}/man")
add_custom_command(
  OUTPUT "${ORRERY_MAN_DIR}/orrery.1.gz"
  COMMAND "${PROJECT_SOURCE_DIR}/cmake/man.sh" "$<TARGET_FILE:orrery>" "${ORRERY_MAN_DIR}"
  DEPENDS orrery "${PROJECT_SOURCE_DIR}/cmake/man.sh"
  COMMENT "Manual pages"
  VERBATIM)
add_custom_target(man ALL DEPENDS "${ORRERY_MAN_DIR}/orrery.1.gz")

# So are the completions for shells.
set(ORRERY_COMPLETION_DIR "${CMAKE_BINARY_DIR}/completions")
set(ORRERY_COMPLETIONS "${ORRERY_COMPLETION_DIR}/orrery" "${ORRERY_COMPLETION_DIR}/_orrery" "${ORRERY_COMPLETION_DIR}/orrery.fish")
add_custom_command(
  OUTPUT ${ORRERY_COMPLETIONS}
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${ORRERY_COMPLETION_DIR}"
  COMMAND "$<TARGET_FILE:orrery>" completion bash > "${ORRERY_COMPLETION_DIR}/orrery"
  COMMAND "$<TARGET_FILE:orrery>" completion zsh > "${ORRERY_COMPLETION_DIR}/_orrery"
  COMMAND "$<TARGET_FILE:orrery>" completion fish > "${ORRERY_COMPLETION_DIR}/orrery.fish"
  DEPENDS orrery
  COMMENT "Completions for bash, zsh and fish"
  VERBATIM)
add_custom_target(completions ALL DEPENDS ${ORRERY_COMPLETIONS})

set(ORRERY_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/orrery")
install(TARGETS orrery RUNTIME)
install(TARGETS orrery_library EXPORT orrery LIBRARY)
foreach(library IN ITEMS orrery-trace-openmpi orrery-trace-mpich)
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/orrery")
  endif()
endforeach()
install(DIRECTORY include/orrery TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
# What programs for `orrery run` are built with: header and modules, the library, the compiler wrappers.
set(ORRERY_WRAPPERS "${CMAKE_BINARY_DIR}/src/emulate/wrappers/installed")
install(TARGETS orrery_mpi orrery_blas LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/orrery")
install(FILES "${CMAKE_BINARY_DIR}/include/orrery/mpi/mpi.h" "${CMAKE_BINARY_DIR}/include/orrery/mpi/mpif.h"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/orrery/mpi")
install(DIRECTORY "${CMAKE_BINARY_DIR}/lib/orrery/" DESTINATION "${CMAKE_INSTALL_LIBDIR}/orrery"
        FILES_MATCHING PATTERN "orrery_start.o" PATTERN "liborrery_start.a" PATTERN "liborrery_mpifort.a" PATTERN "*.mod")
install(PROGRAMS "${ORRERY_WRAPPERS}/orrery-mpicc" TYPE BIN)
install(FILES "${ORRERY_WRAPPERS}/orrery-mpicxx" "${ORRERY_WRAPPERS}/orrery-mpif90" "${ORRERY_WRAPPERS}/orrery-mpif77" TYPE BIN)
install(FILES "${ORRERY_WRAPPERS}/orrery-mpi.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(EXPORT orrery NAMESPACE orrery:: FILE orrery-targets.cmake DESTINATION "${ORRERY_PACKAGE_DIR}")
configure_package_config_file(cmake/orrery-config.cmake.in orrery-config.cmake INSTALL_DESTINATION "${ORRERY_PACKAGE_DIR}")
write_basic_package_version_file(orrery-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/orrery-config.cmake" "${CMAKE_CURRENT_BINARY_DIR}/orrery-config-version.cmake"
        DESTINATION "${ORRERY_PACKAGE_DIR}")
install(DIRECTORY "${ORRERY_MAN_DIR}/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" FILES_MATCHING PATTERN "*.1.gz")
install(FILES "${ORRERY_COMPLETION_DIR}/orrery" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${ORRERY_COMPLETION_DIR}/_orrery" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
install(FILES "${ORRERY_COMPLETION_DIR}/orrery.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
install(FILES README.md CHANGELOG.md CITATION.cff TYPE DOC)
install(FILES LICENSE TYPE DOC RENAME copyright)
install(DIRECTORY docs/ TYPE DOC FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "*.json")
install(DIRECTORY examples TYPE DOC)
install(DIRECTORY machines DESTINATION "${CMAKE_INSTALL_DATADIR}/orrery" FILES_MATCHING PATTERN "*.toml")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}") # wherever cpack is called
set(CPACK_PACKAGE_CONTACT "The Orrery developers") # as in CITATION.cff
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# No MPI is needed: tracing libraries are loaded into programs that bring theirs, and the programs that measure an MPI run
# where it is. So the dependencies are those of all other files (cmake/debian_depends.cmake).
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "openmpi-bin, mpich, gcc")
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/cmake/debian_depends.cmake")
set(CPACK_ORRERY_BUILD "${CMAKE_BINARY_DIR}")
include(CPack)
