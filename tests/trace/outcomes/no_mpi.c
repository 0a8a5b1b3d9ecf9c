/* A program that knows nothing of MPI. */
#include <stdio.h>

int main(void) {
    printf("no MPI here\n");
    return 0;
}
