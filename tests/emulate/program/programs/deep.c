/* Recursion until the stack ends; with an argument, another fault. */
#include "runner.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int deeper(int n) {
    char room[200];
    memset(room, n & 0x7f, sizeof room);
    if (n % 50 == 0) yield(); /* a stack without guard page is looked at here */
    return deeper(n + 1) + room[n % 200];
}
__attribute__((noinline)) int broken(volatile int* at) { return *at; }
int main(int argc, char** argv) {
    yield();
    if (my_rank() != my_size() / 2) return 0;
    if (argc > 1 && strcmp(argv[1], "segv") == 0) return broken((volatile int*)strtol("8", 0, 10));
    if (argc > 1 && strcmp(argv[1], "abort") == 0) abort();
    return deeper(1);
}
