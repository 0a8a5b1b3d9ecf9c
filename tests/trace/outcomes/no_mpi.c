/* A program that knows nothing of MPI. It takes its time: mpirun of MPICH 4.0 dies of SIGPIPE if all ranks have
 * ended before it has told them of the end of its input, in one run of some thousand. */
#include <stdio.h>
#include <unistd.h>

int main(void) {
    printf("no MPI here\n");
    usleep(300000);
    return 0;
}
