/* The HPL that comes with HPCC has no main function of its own: HPCC calls it. This calls it and nothing else.
 * Input: hpccinf.txt, which is HPL's HPL.dat; output: hpccoutf.txt. */
#include "hpl.h"

int HPL_main(int, char**, HPL_RuntimeData*, int*);

/* HPCC's values for parameters that hpccinf.txt does not have, or has wrongly: here the file must be right. */
int HPCC_Defaults() {
    fprintf(stderr, "hpccinf.txt is missing or has a value that HPL does not take\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
}

int main(int argc, char** argv) {
    HPL_RuntimeData data;
    int failure = 0;
    MPI_Init(&argc, &argv);
    HPL_main(argc, argv, &data, &failure);
    MPI_Finalize();
    return failure;
}
