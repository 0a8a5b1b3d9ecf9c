// What the functions that generate_blas writes are made of.
//
// They are compiled twice: with ORRERY_BLAS_LIBRARY for liborrery_blas.so, where they have their C names, and
// without it for the emulator, where they are in a namespace and listed in a table.
#pragma once

#include "emulate/program/symbol.h"

#include <orrery/emulate.h>

#include <algorithm>
#include <cstddef>
#include <span>

namespace orrery::emulate::blas {

inline constexpr int cblas_left = 141; // CblasLeft

inline bool is_left(char side) { return side == 'L' || side == 'l'; }

inline void set_pivots(int* pivots, int count) {
    for (int i = 0; i < count; ++i) pivots[i] = i + 1;
}

// Of `parts` numbers each. A negative stride begins at the end, as in the BLAS.
template <typename T>
void copy_vector(int count, int parts, const T* from, int from_stride, T* to, int to_stride) {
    const auto start = [count](int stride) { return stride < 0 ? std::ptrdiff_t{1 - count} * stride : 0; };
    std::ptrdiff_t source = start(from_stride);
    std::ptrdiff_t target = start(to_stride);
    for (int i = 0; i < count; ++i) {
        for (int part = 0; part < parts; ++part) to[target * parts + part] = from[source * parts + part];
        source += from_stride;
        target += to_stride;
    }
}

inline void spend(orrery_kernel_site& site, int m, int n, int k) { orrery_kernel(&site, m, n, k); }

} // namespace orrery::emulate::blas

#ifdef ORRERY_BLAS_LIBRARY

#define ORRERY_BLAS extern "C" __attribute__((visibility("default")))
#define ORRERY_BLAS_BEGIN using namespace orrery::emulate::blas;
#define ORRERY_BLAS_END
#define ORRERY_BLAS_TABLE_BEGIN
#define ORRERY_BLAS_ROW(name)
#define ORRERY_BLAS_TABLE_END

#else

namespace orrery::emulate {
// --kernels: the names of the BLAS and LAPACK that are bound to models, in the order of their table.
std::span<const Symbol> blas_symbols();
} // namespace orrery::emulate

#define ORRERY_BLAS
#define ORRERY_BLAS_BEGIN                                                                                      \
    namespace orrery::emulate::blas {                                                                          \
    namespace {
#define ORRERY_BLAS_END                                                                                        \
    }                                                                                                          \
    }
#define ORRERY_BLAS_TABLE_BEGIN                                                                                \
    namespace orrery::emulate {                                                                                \
    std::span<const Symbol> blas_symbols() {                                                                   \
        static const Symbol all[] = {
#define ORRERY_BLAS_ROW(name) {#name, reinterpret_cast<void*>(&blas::name)},
#define ORRERY_BLAS_TABLE_END                                                                                  \
    }                                                                                                          \
    ;                                                                                                          \
    return all;                                                                                                \
    }                                                                                                          \
    }

#endif
