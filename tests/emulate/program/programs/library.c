/* The C library per rank: getopt, rand, strtok, environment, time. */
#define _GNU_SOURCE
#include "runner.h"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
    const int rank = my_rank();
    /* Each letter with a switch in between; arguments that are no options come last. */
    static const struct option longs[] = {
        {"size", required_argument, 0, 's'}, {"quick", no_argument, 0, 'q'}, {"level", optional_argument, 0, 'l'}, {0, 0, 0, 0}};
    char seen[200] = "";
    int c;
    while ((c = getopt_long(argc, argv, "abx:", longs, 0)) != -1) {
        char one[40];
        snprintf(one, sizeof one, "%c%s ", c, optarg ? optarg : "");
        strcat(seen, one);
        yield();
    }
    for (int i = optind; i < argc; ++i) strcat(strcat(seen, argv[i]), " ");
    if (argc > 1 && strcmp(seen, "a b x7 s10 q l l3 ? one two -three ") != 0) {
        printf("rank %d: %s\n", rank, seen);
        return 1;
    }
    srand((unsigned)rank + 1);
    srand48(rank);
    int r[3];
    double d[3];
    for (int i = 0; i < 3; ++i) {
        r[i] = rand();
        d[i] = drand48();
        yield();
    }
    struct random_data own;
    char words[128];
    memset(&own, 0, sizeof own);
    initstate_r((unsigned)rank + 1, words, sizeof words, &own);
    struct drand48_data own48;
    srand48_r(rank, &own48);
    for (int i = 0; i < 3; ++i) {
        int expected;
        double expected48;
        random_r(&own, &expected);
        drand48_r(&own48, &expected48);
        if (expected != r[i] || expected48 != d[i]) return 2;
    }
    char text[] = "a,b,c";
    int parts = 0;
    for (char* t = strtok(text, ","); t; t = strtok(0, ",")) {
        if (t[0] != "abc"[parts]) return 3;
        ++parts;
        yield();
    }
    if (parts != 3) return 4;
    char number[20];
    snprintf(number, sizeof number, "%d", rank);
    setenv("MINE", number, 1);
    yield();
    if (strcmp(getenv("MINE"), number) != 0) return 5;
    unsetenv("MINE");
    if (getenv("MINE") != 0 || getenv("PATH") == 0) return 6;
    if (runner_rank) {
        struct timespec before, after;
        struct timeval tv;
        clock_gettime(CLOCK_MONOTONIC, &before);
        usleep(1500000);
        clock_gettime(CLOCK_MONOTONIC, &after);
        gettimeofday(&tv, 0);
        if (after.tv_sec - before.tv_sec != 1 || after.tv_nsec - before.tv_nsec != 500000000) return 7;
        if (tv.tv_sec != after.tv_sec || time(0) != tv.tv_sec) return 8;
        sleep(1000000); /* simulated */
    }
    printf("rank %d ", rank);
    yield();
    fprintf(stdout, "well\n");
    fprintf(stderr, "told\n");
    return 0;
}
