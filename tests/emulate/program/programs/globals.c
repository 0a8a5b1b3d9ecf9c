/* Global, static, zeroed, pointed-to and thread-local variables are each rank's own. */
#include "runner.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int initialised = 5;
int zeroed[1000];
int* pointer = &initialised;
static int hidden = 7;
static int* const table[2] = {&initialised, &hidden};
__thread int local = 9;
static __thread int hidden_local;
__thread int* local_pointer = &initialised;
int function(void) { return initialised; }
int (*function_pointer)(void) = function;

static int counted(void) {
    static int calls;
    return ++calls;
}

int main(void) {
    const int rank = my_rank();
    if (initialised != 5 || hidden != 7 || local != 9 || hidden_local != 0 || zeroed[999] != 0) return 1;
    initialised += rank;
    hidden += rank;
    local += rank;
    hidden_local = rank;
    zeroed[999] = rank;
    for (int i = 0; i < 3; ++i) {
        yield();
        if (counted() != i + 1) return 2;
        if (*pointer != 5 + rank || *table[0] != 5 + rank || *table[1] != 7 + rank) return 3;
        if (local != 9 + rank || hidden_local != rank || *local_pointer != 5 + rank) return 4;
        if (function_pointer() != 5 + rank || zeroed[999] != rank) return 5;
    }
    if (runner_where && *runner_where(rank, &initialised) != 5 + rank) return 6;
    yield();
    if (runner_where && my_size() > 1) {
        const int other = (rank + 1) % my_size();
        int* at = runner_where(other, &initialised); /* with copies in memory this is our own address */
        if (getenv("EXPECT_COPY") && *at != 5 + other) return 7;
    }
    yield();
    if (rank == my_size() - 1) puts("all well");
    return 0;
}
