// What a program sends and receives, counted by the program itself next to its MPI calls.
//
// A trace of the program must hold the same numbers; this header knows nothing of the tracer, so the two check
// each other. The counts of each rank go to a file of their own: writing them sends no message.
#ifndef ORRERY_EXAMPLES_COUNT_H
#define ORRERY_EXAMPLES_COUNT_H

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { most_collectives = 32 };

typedef struct {
    long long calls;
    long long bytes;
} Tally;

static struct {
    Tally sent;
    Tally received;
    const char* names[most_collectives];
    Tally collectives[most_collectives];
} counted;

static inline void count_one(Tally* tally, size_t bytes) {
    ++tally->calls;
    tally->bytes += (long long)bytes;
}

// A message to or from `peer`; there is none if that is MPI_PROC_NULL.
static inline void count_send(int peer, size_t bytes) {
    if (peer != MPI_PROC_NULL) count_one(&counted.sent, bytes);
}
static inline void count_receive(int peer, size_t bytes) {
    if (peer != MPI_PROC_NULL) count_one(&counted.received, bytes);
}

// A call of the collective operation `name` ("allreduce", "ibcast"). `bytes`:
//   bcast, reduce, allreduce, scan, exscan                 all the data
//   gather(v), allgather(v)                                what this rank gives
//   scatter(v)                                             what this rank gets
//   alltoall, reduce_scatter_block, neighbor_*             one block
//   alltoallv, neighbor_alltoallv                          all that this rank gives
static inline void count_collective(const char* name, size_t bytes) {
    int i = 0;
    while (i < most_collectives && counted.names[i] && strcmp(counted.names[i], name) != 0) ++i;
    if (i == most_collectives) return;
    counted.names[i] = name;
    count_one(&counted.collectives[i], bytes);
}

// Writes `file`.<rank>.json; nothing if `file` is NULL. Returns 0 if that went well.
static inline int count_write(const char* file, int rank) {
    char name[4096];
    FILE* out;
    int i;
    if (!file) return 0;
    snprintf(name, sizeof name, "%s.%d.json", file, rank);
    if (!(out = fopen(name, "w"))) {
        perror(name);
        return 1;
    }
    fprintf(out, "{\"rank\": %d,\n \"sent\": {\"messages\": %lld, \"bytes\": %lld},\n", rank,
            counted.sent.calls, counted.sent.bytes);
    fprintf(out, " \"received\": {\"messages\": %lld, \"bytes\": %lld},\n \"collectives\": {",
            counted.received.calls, counted.received.bytes);
    for (i = 0; i < most_collectives && counted.names[i]; ++i) {
        fprintf(out, "%s\n  \"%s\": {\"calls\": %lld, \"bytes\": %lld}", i ? "," : "", counted.names[i],
                counted.collectives[i].calls, counted.collectives[i].bytes);
    }
    fprintf(out, "}}\n");
    return fclose(out);
}

#endif
