/* The names that SMPI (SimGrid 3.32 and later) has for what <orrery/emulate.h> offers, called as there, so that
 * annotated programs compile as they are. With SMPI, mpi.h includes this; here, say #include <smpi/smpi.h> or
 * compile with -include smpi/smpi.h.
 *
 * SMPI_SHARED_CALL, smpi_process_*, tracing calls and SMPI's own main functions are not here. */
#ifndef ORRERY_SMPI_SMPI_H
#define ORRERY_SMPI_SMPI_H

#include "../../emulate.h"
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* SMPI's "benched" functions are those for callers that are outside of its measuring; there is no such
 * difference here. */
static __inline__ void smpi_execute(double duration) { orrery_execute(duration); }
static __inline__ void smpi_execute_benched(double duration) { orrery_execute(duration); }
static __inline__ void smpi_execute_flops(double flops) { orrery_execute_flops(flops); }
static __inline__ void smpi_execute_flops_benched(double flops) { orrery_execute_flops(flops); }
static __inline__ void* smpi_shared_malloc(size_t size, const char* file, int line) {
    (void)file;
    (void)line;
    return orrery_shared_malloc(size);
}
static __inline__ void* smpi_shared_malloc_partial(size_t size, const size_t* offsets, int count) {
    return orrery_partial_shared_malloc(size, offsets, count);
}
static __inline__ void smpi_shared_free(void* data) { orrery_shared_free(data); }
static __inline__ int smpi_global_size(void) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

#ifdef __cplusplus
}
#endif

#define SMPI_SHARED_MALLOC(size) smpi_shared_malloc((size), __FILE__, __LINE__)
#define SMPI_PARTIAL_SHARED_MALLOC(size, shared_block_offsets, nb_shared_blocks)                               \
    smpi_shared_malloc_partial((size), (shared_block_offsets), (nb_shared_blocks))
#define SMPI_SHARED_FREE(data) smpi_shared_free(data)

/* A loop whose turns are sampled: SMPI_SAMPLE_LOCAL(int i = 0, i < n, i++, 10, 0.05) { ... }. Its turns are
 * counted by going through it once without its body, which must therefore not change the loop's variable. Once
 * enough turns are measured, the rest of the loop takes their mean time, and is left. */
#define ORRERY_JOIN2(a, b) a##b
#define ORRERY_JOIN(a, b) ORRERY_JOIN2(a, b)
#define ORRERY_LEFT ORRERY_JOIN(orrery_left_, __LINE__)
#define SMPI_SAMPLE_LOOP(loop_init, loop_end, loop_iter, global, iters, thres, tag)                            \
    long ORRERY_LEFT = 0;                                                                                      \
    {                                                                                                          \
        loop_init;                                                                                             \
        while (loop_end) {                                                                                     \
            ++ORRERY_LEFT;                                                                                     \
            (loop_iter);                                                                                       \
        }                                                                                                      \
    }                                                                                                          \
    for (loop_init;                                                                                            \
         (loop_end) && orrery_sample((global), __FILE__, __LINE__, (tag), (iters), (thres), ORRERY_LEFT--);    \
         (void)orrery_sampled(), (loop_iter))
#define SMPI_SAMPLE_LOCAL(loop_init, loop_end, loop_iter, iters, thres)                                        \
    SMPI_SAMPLE_LOOP(loop_init, loop_end, loop_iter, 0, iters, thres, "")
#define SMPI_SAMPLE_LOCAL_TAG(loop_init, loop_end, loop_iter, iters, thres, tag)                               \
    SMPI_SAMPLE_LOOP(loop_init, loop_end, loop_iter, 0, iters, thres, tag)
#define SMPI_SAMPLE_GLOBAL(loop_init, loop_end, loop_iter, iters, thres)                                       \
    SMPI_SAMPLE_LOOP(loop_init, loop_end, loop_iter, 1, iters, thres, "")
#define SMPI_SAMPLE_GLOBAL_TAG(loop_init, loop_end, loop_iter, iters, thres, tag)                              \
    SMPI_SAMPLE_LOOP(loop_init, loop_end, loop_iter, 1, iters, thres, tag)
#define SMPI_SAMPLE_DELAY(duration) ORRERY_SAMPLE_DELAY(duration)
#define SMPI_SAMPLE_FLOPS(flops) ORRERY_SAMPLE_FLOPS(flops)

/* Old names for private globals: ours always are. */
#define SMPI_VARINIT_GLOBAL(name, type) type name
#define SMPI_VARINIT_GLOBAL_AND_SET(name, type, expr) type name = expr
#define SMPI_VARGET_GLOBAL(name) name

#endif
