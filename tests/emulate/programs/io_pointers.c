// Opening and closing, pointers of ranks and shared ones, nonblocking and split accesses, errors.
#include "check.h"

static const char* const name = "io_pointers.data";

static MPI_File open_new(int amode) {
    MPI_File file = MPI_FILE_NULL;
    CHECK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &file) == MPI_SUCCESS);
    return file;
}

static void shared(void) {
    MPI_File file = open_new(MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Offset offset;
    char* seen = calloc((size_t)size, 1);
    int value = rank;
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_get_position_shared(file, &offset);
    CHECK(offset == size);
    for (int i = 0; i < size; ++i) { // each rank is there once, in any order
        MPI_File_read_at(file, i, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
        CHECK(value >= 0 && value < size && !seen[value]);
        if (value >= 0 && value < size) seen[value] = 1;
    }
    // In the order of the ranks, of different lengths.
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    int* own = malloc(sizeof(int) * (size_t)(rank + 1));
    for (int i = 0; i <= rank; ++i) own[i] = rank;
    MPI_File_write_ordered(file, own, rank + 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    int place = 0;
    for (int r = 0; r < size; ++r) {
        for (int i = 0; i <= r; ++i) {
            MPI_File_read_at(file, place++, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
            CHECK(value == r);
        }
    }
    MPI_File_get_position_shared(file, &offset);
    CHECK(offset == place);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_ordered_begin(file, own, rank + 1, MPI_INT);
    MPI_Status status;
    MPI_File_read_ordered_end(file, own, &status);
    int count;
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == rank + 1 && own[0] == rank && own[rank] == rank);
    free(own);
    free(seen);
    MPI_File_close(&file);
}

static void individual(void) {
    MPI_File file = open_new(MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Request requests[2];
    MPI_Status statuses[2], status;
    MPI_Offset offset;
    int count, amode, flag;
    int first[4], second[4], back[8];
    for (int i = 0; i < 4; ++i) {
        first[i] = 10 * rank + i;
        second[i] = 10 * rank + 5 + i;
    }
    MPI_File_seek(file, 32 * rank, MPI_SEEK_SET);
    MPI_File_iwrite(file, first, 4, MPI_INT, &requests[0]);
    MPI_File_iwrite(file, second, 4, MPI_INT, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    for (int i = 0; i < 2; ++i) {
        MPI_Get_count(&statuses[i], MPI_INT, &count);
        CHECK(count == 4);
    }
    MPI_File_get_position(file, &offset);
    CHECK(offset == 32 * rank + 32);
    MPI_File_sync(file);
    const int next = (rank + 1) % size;
    MPI_File_read_at_all_begin(file, 32 * next, back, 8, MPI_INT);
    MPI_File_read_at_all_end(file, back, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 8 && back[3] == 10 * next + 3 && back[4] == 10 * next + 5);
    MPI_File_get_amode(file, &amode);
    CHECK(amode == (MPI_MODE_RDWR | MPI_MODE_CREATE));
    MPI_File_set_atomicity(file, 1);
    MPI_File_get_atomicity(file, &flag);
    CHECK(flag == 1);
    MPI_Group all, own;
    MPI_File_get_group(file, &own);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_compare(all, own, &flag);
    CHECK(flag == MPI_IDENT);
    MPI_Group_free(&all);
    MPI_Group_free(&own);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_set_size(file, 10);
    MPI_File_get_size(file, &offset);
    CHECK(offset == 10);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_preallocate(file, 4096);
    MPI_File_get_size(file, &offset);
    CHECK(offset == 4096);
    MPI_File_close(&file);

    file = open_new(MPI_MODE_WRONLY | MPI_MODE_APPEND);
    MPI_File_get_position(file, &offset);
    CHECK(offset == 4096);
    FAILS(MPI_File_read(file, back, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ACCESS);
    MPI_File_close(&file);
}

static int called;

static void handler(MPI_File* file, int* code, ...) {
    (void)file, (void)code;
    ++called;
}

static void errors(void) {
    MPI_File file;
    MPI_Errhandler own, seen;
    int value = 0;
    FAILS(MPI_File_open(MPI_COMM_WORLD, "no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_NO_SUCH_FILE);
    CHECK(file == MPI_FILE_NULL);
    FAILS(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_RDWR, MPI_INFO_NULL, &file), MPI_ERR_AMODE);
    FAILS(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file), MPI_ERR_AMODE);
    FAILS(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_INFO_NULL, &file),
          MPI_ERR_FILE_EXISTS);
    FAILS(MPI_File_close(&file), MPI_ERR_FILE);
    file = open_new(MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
    MPI_File_get_errhandler(file, &seen);
    CHECK(seen == MPI_ERRORS_RETURN);
    FAILS(MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY);
    FAILS(MPI_File_read_at(file, -1, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    FAILS(MPI_File_read(file, &value, -1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
    FAILS(MPI_File_read(file, &value, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
    FAILS(MPI_File_seek(file, 0, 77), MPI_ERR_ARG);
    FAILS(MPI_File_seek(file, -1, MPI_SEEK_SET), MPI_ERR_ARG);
    MPI_File_create_errhandler(handler, &own);
    MPI_File_set_errhandler(file, own);
    MPI_Errhandler_free(&own);
    MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    CHECK(called == 1);
    MPI_File_close(&file);
    FAILS(MPI_File_delete(name, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE); // it was deleted when it was closed
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    shared();
    individual();
    errors();
    return end();
}
