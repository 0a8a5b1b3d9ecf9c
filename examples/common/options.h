// The options of the examples: a name and a value each, such as "--size 512".
#ifndef ORRERY_EXAMPLES_OPTIONS_H
#define ORRERY_EXAMPLES_OPTIONS_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Ends the program on all ranks, with one message. To be called by all of them.
static inline void stop(const char* format, ...) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        va_list values;
        va_start(values, format);
        vfprintf(stderr, format, values);
        va_end(values);
        fputc('\n', stderr);
    }
    MPI_Finalize();
    exit(2);
}

// Stops unless the arguments are pairs of one of `names` ("--size --steps") and a value.
static inline void check_options(int argc, char** argv, const char* names) {
    int i;
    for (i = 1; i < argc; i += 2) {
        const char* found = strstr(names, argv[i]);
        const size_t length = strlen(argv[i]);
        if (strncmp(argv[i], "--", 2) != 0 || !found || (found[length] != ' ' && found[length] != '\0')) {
            stop("%s: unknown option %s; there are %s", argv[0], argv[i], names);
        }
        if (i + 1 == argc) stop("%s: option %s needs a value", argv[0], argv[i]);
    }
}

static inline const char* text_option(int argc, char** argv, const char* name, const char* otherwise) {
    int i;
    for (i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], name) == 0) return argv[i + 1];
    }
    return otherwise;
}

// A whole number of at least `least`.
static inline int number_option(int argc, char** argv, const char* name, int otherwise, int least) {
    const char* text = text_option(argc, argv, name, NULL);
    char* end;
    long value;
    if (!text) return otherwise;
    value = strtol(text, &end, 10);
    if (*end || end == text || value < least || value > 1000000000) {
        stop("%s: option %s takes a whole number from %d on, not %s", argv[0], name, least, text);
    }
    return (int)value;
}

#endif
