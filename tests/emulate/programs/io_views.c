// Views of files: interleaved, nested, with gaps in memory, external32; sizes and positions in them.
#include "check.h"

static const char* const name = "io_views.data";

static MPI_File open_new(MPI_Comm comm) {
    MPI_File file = MPI_FILE_NULL;
    CHECK(MPI_File_open(comm, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                        &file) == MPI_SUCCESS);
    return file;
}

// Rank r has blocks r, r + size, r + 2 size, ... of three integers.
static void interleaved(void) {
    enum { blocks = 5, block = 3 };
    int own[blocks * block], back[blocks * block];
    MPI_Datatype filetype;
    MPI_Status status;
    MPI_Offset length, offset;
    int count;
    for (int i = 0; i < blocks * block; ++i) own[i] = 1000 * rank + i;
    MPI_File file = open_new(MPI_COMM_WORLD);
    MPI_Type_vector(1, block, block, MPI_INT, &filetype);
    MPI_Datatype tile;
    MPI_Type_create_resized(filetype, 0, (MPI_Aint)sizeof(int) * block * size, &tile);
    MPI_Type_commit(&tile);
    MPI_File_set_view(file, 16 + rank * block * (MPI_Offset)sizeof(int), MPI_INT, tile, "native", MPI_INFO_NULL);
    MPI_Type_free(&filetype);
    MPI_Type_free(&tile);
    MPI_File_write_all(file, own, blocks * block, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == blocks * block);
    MPI_File_sync(file);
    MPI_File_get_size(file, &length);
    if (rank == size - 1) CHECK(length == 16 + (MPI_Offset)sizeof(int) * blocks * block * size);
    MPI_File_get_position(file, &offset);
    CHECK(offset == blocks * block);
    MPI_File_get_byte_offset(file, 4, &offset);
    CHECK(offset == 16 + (MPI_Offset)sizeof(int) * (rank * block + block * size + 1));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek(file, -2, MPI_SEEK_END);
    MPI_File_get_position(file, &offset);
    CHECK(offset == blocks * block - 2);
    MPI_File_read(file, back, 10, MPI_INT, &status); // to the end
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 2 && back[0] == own[blocks * block - 2] && back[1] == own[blocks * block - 1]);
    MPI_File_read_at(file, 4, back, 5, MPI_INT, &status); // from the midst of a block
    for (int i = 0; i < 5; ++i) CHECK(back[i] == own[i + 4]);
    MPI_Offset displacement;
    MPI_Datatype etype, seen;
    char representation[MPI_MAX_DATAREP_STRING];
    MPI_File_get_view(file, &displacement, &etype, &seen, representation);
    CHECK(displacement == 16 + rank * block * (MPI_Offset)sizeof(int) && etype == MPI_INT);
    CHECK(strcmp(representation, "native") == 0);
    MPI_Aint lower, extent;
    MPI_Type_get_extent(seen, &lower, &extent);
    CHECK(extent == (MPI_Aint)sizeof(int) * block * size);
    MPI_Type_free(&seen);

    // All of it, as bytes.
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    int* all = malloc(sizeof(int) * blocks * block * (size_t)size);
    MPI_File_read_at_all(file, 16, all, blocks * block * size, MPI_INT, &status);
    for (int i = 0; i < blocks * block * size; ++i) {
        const int owner = i / block % size, place = i / (block * size) * block + i % block;
        CHECK(all[i] == 1000 * owner + place);
    }
    free(all);
    MPI_File_close(&file);
    CHECK(file == MPI_FILE_NULL);
}

// A two-dimensional array in the file, a column of blocks in memory.
static void subarrays(void) {
    const int rows = 4, columns = 3;
    const int sizes[2] = {rows, columns * size}, subsizes[2] = {rows, columns}, starts[2] = {0, columns * rank};
    double memory[4][8], back[4][8];
    MPI_Datatype filetype, part;
    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &filetype);
    MPI_Type_commit(&filetype);
    MPI_Type_vector(rows, columns, 8, MPI_DOUBLE, &part);
    MPI_Type_commit(&part);
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 8; ++j) {
            memory[i][j] = rank * 100 + i * 10 + j;
            back[i][j] = -1;
        }
    }
    MPI_File file = open_new(MPI_COMM_WORLD);
    MPI_File_set_view(file, 0, MPI_DOUBLE, filetype, "native", MPI_INFO_NULL);
    MPI_File_write_at_all(file, 0, memory, 1, part, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at_all(file, 0, back, 1, part, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 8; ++j) CHECK(back[i][j] == (j < columns ? memory[i][j] : -1));
    }
    MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    double one = 0;
    const int next = (rank + 1) % size;
    MPI_File_read_at(file, 2 * columns * size + columns * next + 1, &one, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
    CHECK(one == next * 100 + 21);
    MPI_File_close(&file);
    MPI_Type_free(&filetype);
    MPI_Type_free(&part);
}

static void external(void) {
    const int values[3] = {1, -2, 0x01020304};
    unsigned char bytes[12];
    int back[3] = {0};
    MPI_Aint extent;
    MPI_File file = open_new(MPI_COMM_SELF);
    CHECK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL) == MPI_SUCCESS);
    MPI_File_get_type_extent(file, MPI_LONG, &extent);
    CHECK(extent == 4);
    MPI_File_write(file, values, 3, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read(file, back, 3, MPI_INT, MPI_STATUS_IGNORE);
    CHECK(memcmp(values, back, sizeof values) == 0);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_read(file, bytes, 12, MPI_BYTE, MPI_STATUS_IGNORE);
    CHECK(bytes[3] == 1 && bytes[8] == 1 && bytes[11] == 4 && bytes[4] == 0xff);
    MPI_File_get_type_extent(file, MPI_LONG, &extent);
    CHECK(extent == 8);
    FAILS(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "no such thing", MPI_INFO_NULL), MPI_ERR_UNSUPPORTED_DATAREP);
    MPI_File_close(&file);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    interleaved();
    subarrays();
    if (rank == 0) external();
    return end();
}
