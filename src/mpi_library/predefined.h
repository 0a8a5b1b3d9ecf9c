// The predefined objects of MPI and their fixed indices, once for the library and for mpi.h.
//
// The handle of an object is handle_of(kind, index) of handles.h: MPI_INT is datatype 7, 0x0c000007. The null
// handle of each kind has index 0. Indices are part of the binary interface: they are added to, never changed.
#pragma once

// X(name, index, C++ type that gives size and alignment, class). The classes are those of the standard's table
// of what each operation is allowed on (MPI-3.1, 5.9.2), and some more:
//   c_integer fortran_integer floating logical complex byte multi: that table. multi: addresses, offsets,
//   counts text: characters; marker: MPI_LB, MPI_UB; packed: MPI_PACKED; pair: value and index; twin: two of
//   the same
// A Fortran default INTEGER, REAL or LOGICAL has 4 bytes, a DOUBLE PRECISION 8.
#define ORRERY_MPI_DATATYPES(X)                                                                                \
    X(MPI_BYTE, 1, unsigned char, byte)                                                                        \
    X(MPI_PACKED, 2, unsigned char, packed)                                                                    \
    X(MPI_CHAR, 3, char, text)                                                                                 \
    X(MPI_SIGNED_CHAR, 4, signed char, c_integer)                                                              \
    X(MPI_UNSIGNED_CHAR, 5, unsigned char, c_integer)                                                          \
    X(MPI_SHORT, 6, short, c_integer)                                                                          \
    X(MPI_INT, 7, int, c_integer)                                                                              \
    X(MPI_LONG, 8, long, c_integer)                                                                            \
    X(MPI_LONG_LONG_INT, 9, long long, c_integer)                                                              \
    X(MPI_UNSIGNED_SHORT, 10, unsigned short, c_integer)                                                       \
    X(MPI_UNSIGNED, 11, unsigned, c_integer)                                                                   \
    X(MPI_UNSIGNED_LONG, 12, unsigned long, c_integer)                                                         \
    X(MPI_UNSIGNED_LONG_LONG, 13, unsigned long long, c_integer)                                               \
    X(MPI_FLOAT, 14, float, floating)                                                                          \
    X(MPI_DOUBLE, 15, double, floating)                                                                        \
    X(MPI_LONG_DOUBLE, 16, long double, floating)                                                              \
    X(MPI_WCHAR, 17, wchar_t, text)                                                                            \
    X(MPI_C_BOOL, 18, bool, logical)                                                                           \
    X(MPI_INT8_T, 19, std::int8_t, c_integer)                                                                  \
    X(MPI_INT16_T, 20, std::int16_t, c_integer)                                                                \
    X(MPI_INT32_T, 21, std::int32_t, c_integer)                                                                \
    X(MPI_INT64_T, 22, std::int64_t, c_integer)                                                                \
    X(MPI_UINT8_T, 23, std::uint8_t, c_integer)                                                                \
    X(MPI_UINT16_T, 24, std::uint16_t, c_integer)                                                              \
    X(MPI_UINT32_T, 25, std::uint32_t, c_integer)                                                              \
    X(MPI_UINT64_T, 26, std::uint64_t, c_integer)                                                              \
    X(MPI_AINT, 27, std::int64_t, multi)                                                                       \
    X(MPI_COUNT, 28, std::int64_t, multi)                                                                      \
    X(MPI_OFFSET, 29, std::int64_t, multi)                                                                     \
    X(MPI_C_COMPLEX, 30, std::complex<float>, complex)                                                         \
    X(MPI_C_DOUBLE_COMPLEX, 31, std::complex<double>, complex)                                                 \
    X(MPI_C_LONG_DOUBLE_COMPLEX, 32, std::complex<long double>, complex)                                       \
    X(MPI_CXX_BOOL, 33, bool, logical)                                                                         \
    X(MPI_CXX_FLOAT_COMPLEX, 34, std::complex<float>, complex)                                                 \
    X(MPI_CXX_DOUBLE_COMPLEX, 35, std::complex<double>, complex)                                               \
    X(MPI_CXX_LONG_DOUBLE_COMPLEX, 36, std::complex<long double>, complex)                                     \
    X(MPI_CHARACTER, 40, char, text)                                                                           \
    X(MPI_LOGICAL, 41, std::int32_t, logical)                                                                  \
    X(MPI_INTEGER, 42, std::int32_t, fortran_integer)                                                          \
    X(MPI_REAL, 43, float, floating)                                                                           \
    X(MPI_DOUBLE_PRECISION, 44, double, floating)                                                              \
    X(MPI_COMPLEX, 45, std::complex<float>, complex)                                                           \
    X(MPI_DOUBLE_COMPLEX, 46, std::complex<double>, complex)                                                   \
    X(MPI_INTEGER1, 47, std::int8_t, fortran_integer)                                                          \
    X(MPI_INTEGER2, 48, std::int16_t, fortran_integer)                                                         \
    X(MPI_INTEGER4, 49, std::int32_t, fortran_integer)                                                         \
    X(MPI_INTEGER8, 50, std::int64_t, fortran_integer)                                                         \
    X(MPI_INTEGER16, 51, Int128, fortran_integer)                                                              \
    X(MPI_REAL4, 52, float, floating)                                                                          \
    X(MPI_REAL8, 53, double, floating)                                                                         \
    X(MPI_REAL16, 54, Float128, floating)                                                                      \
    X(MPI_COMPLEX8, 55, std::complex<float>, complex)                                                          \
    X(MPI_COMPLEX16, 56, std::complex<double>, complex)                                                        \
    X(MPI_COMPLEX32, 57, Complex256, complex)                                                                  \
    X(MPI_LOGICAL1, 58, std::int8_t, logical)                                                                  \
    X(MPI_LOGICAL2, 59, std::int16_t, logical)                                                                 \
    X(MPI_LOGICAL4, 60, std::int32_t, logical)                                                                 \
    X(MPI_LOGICAL8, 61, std::int64_t, logical)                                                                 \
    X(MPI_FLOAT_INT, 70, Pair<float>, pair)                                                                    \
    X(MPI_DOUBLE_INT, 71, Pair<double>, pair)                                                                  \
    X(MPI_LONG_INT, 72, Pair<long>, pair)                                                                      \
    X(MPI_2INT, 73, Pair<int>, pair)                                                                           \
    X(MPI_SHORT_INT, 74, Pair<short>, pair)                                                                    \
    X(MPI_LONG_DOUBLE_INT, 75, Pair<long double>, pair)                                                        \
    X(MPI_2INTEGER, 76, Twin<std::int32_t>, twin)                                                              \
    X(MPI_2REAL, 77, Twin<float>, twin)                                                                        \
    X(MPI_2DOUBLE_PRECISION, 78, Twin<double>, twin)                                                           \
    X(MPI_2COMPLEX, 79, Twin<std::complex<float>>, twin)                                                       \
    X(MPI_2DOUBLE_COMPLEX, 80, Twin<std::complex<double>>, twin)                                               \
    X(MPI_LB, 90, Nothing, marker)                                                                             \
    X(MPI_UB, 91, Nothing, marker)

// X(name, other): two names of one object.
#define ORRERY_MPI_DATATYPE_ALIASES(X)                                                                         \
    X(MPI_LONG_LONG, MPI_LONG_LONG_INT)                                                                        \
    X(MPI_C_FLOAT_COMPLEX, MPI_C_COMPLEX)

// X(name, index).
#define ORRERY_MPI_OPS(X)                                                                                      \
    X(MPI_MAX, 1)                                                                                              \
    X(MPI_MIN, 2)                                                                                              \
    X(MPI_SUM, 3)                                                                                              \
    X(MPI_PROD, 4)                                                                                             \
    X(MPI_LAND, 5)                                                                                             \
    X(MPI_BAND, 6)                                                                                             \
    X(MPI_LOR, 7)                                                                                              \
    X(MPI_BOR, 8)                                                                                              \
    X(MPI_LXOR, 9)                                                                                             \
    X(MPI_BXOR, 10)                                                                                            \
    X(MPI_MINLOC, 11)                                                                                          \
    X(MPI_MAXLOC, 12)                                                                                          \
    X(MPI_REPLACE, 13)                                                                                         \
    X(MPI_NO_OP, 14)

#define ORRERY_MPI_ERRHANDLERS(X)                                                                              \
    X(MPI_ERRORS_ARE_FATAL, 1)                                                                                 \
    X(MPI_ERRORS_RETURN, 2)

#define ORRERY_MPI_INFOS(X) X(MPI_INFO_ENV, 1)

// X(name, index): the other kinds.
#define ORRERY_MPI_COMMS(X)                                                                                    \
    X(MPI_COMM_WORLD, 1)                                                                                       \
    X(MPI_COMM_SELF, 2)
#define ORRERY_MPI_GROUPS(X) X(MPI_GROUP_EMPTY, 1)
#define ORRERY_MPI_MESSAGES(X) X(MPI_MESSAGE_NO_PROC, 1)

// Predefined attributes: their keyvals are small numbers, those that the application makes begin at 256.
// X(name, number); of communicators, then of windows.
#define ORRERY_MPI_KEYVALS(X)                                                                                  \
    X(MPI_TAG_UB, 1)                                                                                           \
    X(MPI_HOST, 2)                                                                                             \
    X(MPI_IO, 3)                                                                                               \
    X(MPI_WTIME_IS_GLOBAL, 4)                                                                                  \
    X(MPI_UNIVERSE_SIZE, 5)                                                                                    \
    X(MPI_LASTUSEDCODE, 6)                                                                                     \
    X(MPI_APPNUM, 7)                                                                                           \
    X(MPI_WIN_BASE, 8)                                                                                         \
    X(MPI_WIN_SIZE, 9)                                                                                         \
    X(MPI_WIN_DISP_UNIT, 10)                                                                                   \
    X(MPI_WIN_CREATE_FLAVOR, 11)                                                                               \
    X(MPI_WIN_MODEL, 12)
