# Run by cpack: the Debian packages that the program and its libraries need, as dpkg-shlibdeps finds them.
set(work "${CPACK_PACKAGE_DIRECTORY}/depends")
file(MAKE_DIRECTORY "${work}/debian")
file(WRITE "${work}/debian/control" "Source: orrery\nPackage: orrery\nArchitecture: any\n")
set(build "${CPACK_ORRERY_BUILD}")
execute_process(
  COMMAND dpkg-shlibdeps -O --ignore-missing-info "-l${build}/src" "${build}/orrery" "${build}/src/liborrery.so"
          "${build}/lib/orrery/liborrery_mpi.so" "${build}/lib/orrery/liborrery_blas.so"
  WORKING_DIRECTORY "${work}"
  OUTPUT_VARIABLE depends
  ERROR_VARIABLE complaint
  RESULT_VARIABLE failed
  OUTPUT_STRIP_TRAILING_WHITESPACE)
if(failed)
  message(FATAL_ERROR "dpkg-shlibdeps: ${complaint}")
endif()
string(REGEX REPLACE ".*shlibs:Depends=" "" CPACK_DEBIAN_PACKAGE_DEPENDS "${depends}")
