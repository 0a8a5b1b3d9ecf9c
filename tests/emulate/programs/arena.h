// Put before a program (-include): its dynamic memory, and with it every buffer that it gives to MPI, lies in a
// variable.
#ifndef ARENA_H
#define ARENA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Alignas(64) unsigned char arena_bytes[6 << 20];
static size_t arena_used, arena_blocks;

static void* arena_malloc(size_t bytes) {
    size_t taken = (bytes + 63) / 64 * 64;
    if (taken > sizeof arena_bytes - arena_used) {
        printf("the arena is too small\n");
        exit(1);
    }
    unsigned char* block = arena_bytes + arena_used;
    arena_used += taken;
    ++arena_blocks;
    return block;
}

static void* arena_calloc(size_t count, size_t bytes) {
    return memset(arena_malloc(count * bytes), 0, count * bytes);
}

static void arena_free(void* block) {
    if (block != NULL && --arena_blocks == 0) arena_used = 0; // all at once
}

#define malloc arena_malloc
#define calloc arena_calloc
#define free arena_free

#endif
