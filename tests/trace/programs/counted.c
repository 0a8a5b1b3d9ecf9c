/* One-sided calls and files: counted and named, not replayed; 2 ranks. The argument is a file to write. */
#include <mpi.h>

static void one_sided(int rank) {
    int memory[8] = {0}, data[8] = {0}, result[8] = {0};
    MPI_Win window;
    MPI_Request requests[4];
    const int other = 1 - rank;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(data, 1, MPI_INT, other, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Get(result, 1, MPI_INT, other, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Accumulate(data, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Win_lock_all(0, window);
    MPI_Get_accumulate(data, 1, MPI_INT, result, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Fetch_and_op(data, result, MPI_INT, other, 0, MPI_SUM, window);
    MPI_Compare_and_swap(data, data, result, MPI_INT, other, 0, window);
    MPI_Rput(data, 1, MPI_INT, other, 1, 1, MPI_INT, window, &requests[0]);
    MPI_Rget(result, 1, MPI_INT, other, 2, 1, MPI_INT, window, &requests[1]);
    MPI_Raccumulate(data, 1, MPI_INT, other, 3, 1, MPI_INT, MPI_SUM, window, &requests[2]);
    MPI_Rget_accumulate(data, 1, MPI_INT, result, 1, MPI_INT, other, 4, 1, MPI_INT, MPI_SUM, window,
                        &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush(other, window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

static void file(const char* path, int rank) {
    int data[4] = {0};
    MPI_File handle;
    MPI_Request request;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &handle);
    MPI_File_set_view(handle, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_at(handle, 4 * rank, data, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(handle, 4 * rank, data, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iwrite_at(handle, 4 * rank, data, 4, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_sync(handle);
    MPI_File_read_at_all(handle, 4 * rank, data, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&handle);
}

int main(int argc, char** argv) {
    int rank, data = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    one_sided(rank);
    if (argc > 1) file(argv[1], rank);
    /* Requests of messages keep their numbers beside those of the others. */
    if (rank == 0) {
        MPI_Isend(&data, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
    } else {
        MPI_Irecv(&data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
