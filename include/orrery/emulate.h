/* What a program may say to the emulator (`orrery run`): how long something takes, what need not be computed
 * every time, which memory may be shared by all ranks. docs/emulation-compute.md and docs/emulation-memory.md
 * explain it.
 *
 * C and C++. Without the emulator, with any MPI, everything here does nothing: pieces to be sampled are always
 * run, memory is ordinary memory. Nothing has to be linked for that. The names that SMPI (SimGrid) has for the
 * same are in <smpi/smpi.h>. */
#ifndef ORRERY_EMULATE_H
#define ORRERY_EMULATE_H

#include <stddef.h> /* NOLINT(modernize-deprecated-headers): this is C too */
#include <stdlib.h> /* NOLINT(modernize-deprecated-headers) */

#ifdef __cplusplus
extern "C" {
#endif

/* The emulator's side; null without it. */
#define ORRERY_IF_EMULATED __attribute__((weak))
struct orrery_kernel_site {
    const char* routine;
    const void* model; /* these two are the emulator's */
    unsigned epoch;
};
int orrery_emulate_active(void) ORRERY_IF_EMULATED;
void orrery_emulate_execute(double seconds) ORRERY_IF_EMULATED;
void orrery_emulate_execute_flops(double flops) ORRERY_IF_EMULATED;
void orrery_emulate_kernel(struct orrery_kernel_site* site, double m, double n, double k) ORRERY_IF_EMULATED;
int orrery_emulate_sample(int global, const char* file, int line, const char* tag, int most, double threshold,
                          long left) ORRERY_IF_EMULATED;
void orrery_emulate_sampled(void) ORRERY_IF_EMULATED;
void* orrery_emulate_shared_malloc(size_t size) ORRERY_IF_EMULATED;
void* orrery_emulate_partial_malloc(size_t size, const size_t* offsets, int count) ORRERY_IF_EMULATED;
void orrery_emulate_shared_free(void* block) ORRERY_IF_EMULATED;
int orrery_emulate_is_shared(const void* address) ORRERY_IF_EMULATED;

/* True in an emulated rank. */
static __inline__ int orrery_emulated(void) { return orrery_emulate_active != NULL && orrery_emulate_active(); }

/* The rank computes for that long, or that many floating-point operations at its host's speed. Nothing is done
 * for numbers that are not above zero. */
static __inline__ void orrery_execute(double seconds) {
    if (orrery_emulate_execute != NULL) orrery_emulate_execute(seconds);
}
static __inline__ void orrery_execute_flops(double flops) {
    if (orrery_emulate_execute_flops != NULL) orrery_emulate_execute_flops(flops);
}

/* As long as the model of a routine says (`orrery run --kernels FILE`), for its sizes. */
static __inline__ void orrery_kernel(struct orrery_kernel_site* site, double m, double n, double k) {
    if (orrery_emulate_kernel != NULL) orrery_emulate_kernel(site, m, n, k);
}
#define ORRERY_KERNEL(routine, m, n, k)                                                                        \
    do {                                                                                                       \
        static struct orrery_kernel_site orrery_site_ = {(routine), NULL, 0};                                  \
        orrery_kernel(&orrery_site_, (double)(m), (double)(n), (double)(k));                                   \
    } while (0)

/* ORRERY_SAMPLE_LOCAL(n, threshold) { ... }: the piece is run and timed the first n times, or until the mean of
 * its times has a relative standard error below the threshold (either may be 0: does not count); from then on
 * it is not run any more, and takes its mean time. LOCAL: each rank on its own; GLOBAL: all ranks together. Two
 * on one line of source are one. ORRERY_SAMPLE_DELAY(seconds) { ... } and ORRERY_SAMPLE_FLOPS(flops) { ... }:
 * never run under emulation, takes that long. */
static __inline__ int orrery_sample(int global, const char* file, int line, const char* tag, int most,
                                    double threshold, long left) {
    return orrery_emulate_sample == NULL ||
           orrery_emulate_sample(global, file, line, tag, most, threshold, left);
}
static __inline__ int orrery_sampled(void) {
    if (orrery_emulate_sampled != NULL) orrery_emulate_sampled();
    return 0;
}
#define ORRERY_SAMPLE_PIECE(global, n, threshold, tag)                                                         \
    for (int orrery_run_ = orrery_sample((global), __FILE__, __LINE__, (tag), (n), (threshold), 1L);           \
         orrery_run_; orrery_run_ = orrery_sampled())
#define ORRERY_SAMPLE_LOCAL(n, threshold) ORRERY_SAMPLE_PIECE(0, n, threshold, "")
#define ORRERY_SAMPLE_GLOBAL(n, threshold) ORRERY_SAMPLE_PIECE(1, n, threshold, "")
#define ORRERY_SAMPLE_LOCAL_TAG(n, threshold, tag) ORRERY_SAMPLE_PIECE(0, n, threshold, tag)
#define ORRERY_SAMPLE_GLOBAL_TAG(n, threshold, tag) ORRERY_SAMPLE_PIECE(1, n, threshold, tag)
#define ORRERY_SAMPLE_DELAY(seconds)                                                                           \
    for (int orrery_run_ = (orrery_execute(seconds), !orrery_emulated()); orrery_run_; orrery_run_ = 0)
#define ORRERY_SAMPLE_FLOPS(flops)                                                                             \
    for (int orrery_run_ = (orrery_execute_flops(flops), !orrery_emulated()); orrery_run_; orrery_run_ = 0)

/* Memory whose content does not matter: the blocks of all ranks lie on the same few pages. Of a partially
 * shared block, offsets[0] to offsets[1], offsets[2] to offsets[3], ... (count pairs, in ascending order) are
 * shared, the rest is the rank's own. free() does as well as ORRERY_SHARED_FREE. */
static __inline__ void* orrery_shared_malloc(size_t size) {
    return orrery_emulate_shared_malloc != NULL ? orrery_emulate_shared_malloc(size) : malloc(size);
}
static __inline__ void* orrery_partial_shared_malloc(size_t size, const size_t* offsets, int count) {
    return orrery_emulate_partial_malloc != NULL ? orrery_emulate_partial_malloc(size, offsets, count)
                                                 : malloc(size);
}
static __inline__ void orrery_shared_free(void* block) {
    if (orrery_emulate_shared_free != NULL)
        orrery_emulate_shared_free(block);
    else
        free(block);
}
/* True for an address in such memory, also if it was made so by --share-above. */
static __inline__ int orrery_is_shared(const void* address) {
    return orrery_emulate_is_shared != NULL && orrery_emulate_is_shared(address);
}
#define ORRERY_SHARED_MALLOC(size) orrery_shared_malloc(size)
#define ORRERY_PARTIAL_SHARED_MALLOC(size, offsets, count)                                                     \
    orrery_partial_shared_malloc((size), (offsets), (count))
#define ORRERY_SHARED_FREE(block) orrery_shared_free(block)

#ifdef __cplusplus
}
#endif

#endif
