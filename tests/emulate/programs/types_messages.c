// Derived datatypes in messages: what is sent with one type arrives with another of the same signature.
#include "check.h"
#include <stddef.h>

static int to, from;

// Sends `count` of `type` to the next rank, and receives as `other`.
static void pass(const void* out, int count, MPI_Datatype type, void* in, int other_count, MPI_Datatype other) {
    MPI_Status status;
    int got = -1;
    MPI_Type_commit(&type);
    MPI_Type_commit(&other);
    MPI_Sendrecv(out, count, type, to, 1, in, other_count, other, from, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, other, &got);
    CHECK(got == other_count);
}

static void vectors(int n) {
    int *matrix = malloc(sizeof(int) * (size_t)(n * n)), *in = malloc(sizeof(int) * (size_t)(n * n)), good = 1;
    MPI_Datatype column, columns, transposed;
    for (int i = 0; i < n * n; ++i) matrix[i] = rank * 7 + i;
    memset(in, 0xff, sizeof(int) * (size_t)(n * n));
    MPI_Type_vector(n, 1, n, MPI_INT, &column);
    pass(matrix + n - 1, 1, column, in, n, MPI_INT);
    for (int i = 0; i < n; ++i) good &= in[i] == from * 7 + i * n + n - 1;
    CHECK(good && (n < 2 || in[n] == -1));
    // A matrix sent by columns that come one after the other is transposed.
    MPI_Type_create_resized(column, 0, sizeof(int), &columns);
    pass(matrix, n, columns, in, n * n, MPI_INT);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) good &= in[j * n + i] == from * 7 + i * n + j;
    }
    CHECK(good);
    MPI_Type_create_hvector(n, 1, sizeof(int), column, &transposed);
    memset(in, 0xff, sizeof(int) * (size_t)(n * n));
    pass(matrix, n * n, MPI_INT, in, 1, transposed);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) good &= in[j * n + i] == from * 7 + i * n + j;
    }
    CHECK(good);
    MPI_Type_free(&column);
    MPI_Type_free(&columns);
    MPI_Type_free(&transposed);
    free(matrix);
    free(in);
}

struct Particle {
    char kind;
    double place[3];
    short flags;
    int id;
};

static void structs(int count) {
    struct Particle *out = calloc((size_t)count, sizeof *out), *in = calloc((size_t)count, sizeof *in);
    const int lengths[] = {1, 3, 1};
    const MPI_Aint places[] = {offsetof(struct Particle, kind), offsetof(struct Particle, place),
                               offsetof(struct Particle, id)};
    const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
    MPI_Datatype raw, particle;
    MPI_Type_create_struct(3, lengths, places, types, &raw);
    MPI_Type_create_resized(raw, 0, sizeof(struct Particle), &particle);
    for (int i = 0; i < count; ++i) {
        out[i] = (struct Particle){(char)('a' + i % 26), {i, i + 0.5, rank}, 9, i * i};
        in[i].flags = 77;
    }
    pass(out, count, particle, in, count, particle);
    int good = 1;
    for (int i = 0; i < count; ++i) {
        good &= in[i].kind == (char)('a' + i % 26) && in[i].place[0] == i && in[i].place[1] == i + 0.5;
        good &= in[i].place[2] == from && in[i].id == i * i && in[i].flags == 77; // the gap is left alone
    }
    CHECK(good);
    MPI_Type_free(&raw);
    MPI_Type_free(&particle);
    free(out);
    free(in);
}

static void subarrays(void) {
    enum { x = 9, y = 8, z = 7 };
    static int cube[x][y][z], box[3][4][5];
    const int whole[] = {x, y, z}, part[] = {3, 4, 5}, start[] = {2, 1, 2}, turned[] = {z, y, x}, inner[] = {5, 4, 3},
              begin_at[] = {2, 1, 2};
    MPI_Datatype type, fortran;
    for (int i = 0; i < x * y * z; ++i) ((int*)cube)[i] = rank + i;
    MPI_Type_create_subarray(3, whole, part, start, MPI_ORDER_C, MPI_INT, &type);
    pass(cube, 1, type, box, 60, MPI_INT);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            for (int k = 0; k < 5; ++k) CHECK(box[i][j][k] == from + ((i + 2) * y + j + 1) * z + k + 2);
        }
    }
    // The same box with the first index fastest.
    MPI_Type_create_subarray(3, turned, inner, begin_at, MPI_ORDER_FORTRAN, MPI_INT, &fortran);
    memset(cube, 0, sizeof cube);
    pass(box, 60, MPI_INT, cube, 1, fortran);
    int sum = 0;
    for (int i = 0; i < x * y * z; ++i) sum += ((int*)cube)[i] != 0;
    CHECK(sum <= 60);
    const int twice = (from + size - 1) % size;
    CHECK(cube[2][1][2] == twice + (2 * y + 1) * z + 2 && cube[4][4][6] == twice + (4 * y + 4) * z + 6);
    MPI_Type_free(&type);
    MPI_Type_free(&fortran);
}

// All pieces of a block-cyclic distribution together are the whole matrix, each element once.
static void distributed(void) {
    enum { n = 13, m = 11 };
    const int sizes[] = {n, m}, how[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}, by[] = {2, MPI_DISTRIBUTE_DFLT_DARG},
              grid[] = {size, 1};
    static int matrix[n][m], got[n][m];
    for (int i = 0; i < n * m; ++i) ((int*)matrix)[i] = rank == 0 ? i + 1 : -1;
    MPI_Datatype mine;
    int bytes = 0;
    MPI_Request request;
    MPI_Type_create_darray(size, rank, 2, sizes, how, by, grid, MPI_ORDER_C, MPI_INT, &mine);
    MPI_Type_commit(&mine);
    MPI_Type_size(mine, &bytes);
    int rows = 0;
    for (int i = 0; i < n; ++i) rows += i / 2 % size == rank;
    CHECK(bytes == rows * m * (int)sizeof(int));
    MPI_Irecv(got, 1, mine, 0, 2, MPI_COMM_WORLD, &request);
    for (int i = 0; rank == 0 && i < size; ++i) {
        MPI_Datatype piece;
        MPI_Type_create_darray(size, i, 2, sizes, how, by, grid, MPI_ORDER_C, MPI_INT, &piece);
        MPI_Type_commit(&piece);
        MPI_Send(matrix, 1, piece, i, 2, MPI_COMM_WORLD);
        MPI_Type_free(&piece);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < m; ++j) CHECK(got[i][j] == (i / 2 % size == rank ? i * m + j + 1 : 0));
    }
    MPI_Type_free(&mine);
}

static double elsewhere; // private to each rank: its address is sent with

static void absolute(void) {
    int count = rank, *heap = malloc(3 * sizeof(int)), got[4] = {0};
    double value = 0;
    MPI_Aint places[3];
    const int lengths[] = {1, 1, 3};
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_INT};
    MPI_Datatype type;
    elsewhere = rank + 0.25;
    for (int i = 0; i < 3; ++i) heap[i] = rank * 3 + i;
    MPI_Get_address(&count, &places[0]);
    MPI_Get_address(&elsewhere, &places[1]);
    MPI_Get_address(heap, &places[2]);
    MPI_Type_create_struct(3, lengths, places, types, &type);
    char packed[100];
    int at = 0;
    MPI_Type_commit(&type);
    MPI_Sendrecv(MPI_BOTTOM, 1, type, to, 3, packed, 100, MPI_PACKED, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Unpack(packed, 100, &at, got, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(packed, 100, &at, &value, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Unpack(packed, 100, &at, got + 1, 3, MPI_INT, MPI_COMM_WORLD);
    CHECK(got[0] == from && value == from + 0.25 && got[1] == from * 3 && got[3] == from * 3 + 2);
    MPI_Type_free(&type);
    free(heap);
}

static void packed(void) {
    int numbers[10], got[10], at = 0, bound = 0, more = 0;
    double values[4] = {1.5, -2.5, rank, 1e300}, back[4];
    char buffer[400];
    MPI_Datatype even;
    MPI_Aint place = 0, size_needed = 0;
    for (int i = 0; i < 10; ++i) numbers[i] = rank * 10 + i;
    MPI_Type_vector(5, 1, 2, MPI_INT, &even);
    MPI_Type_commit(&even);
    MPI_Pack_size(1, even, MPI_COMM_WORLD, &bound);
    MPI_Pack_size(4, MPI_DOUBLE, MPI_COMM_WORLD, &more);
    CHECK(bound >= 20 && more >= 32 && bound + more <= 400);
    MPI_Pack(numbers, 1, even, buffer, 400, &at, MPI_COMM_WORLD);
    MPI_Pack(values, 4, MPI_DOUBLE, buffer, 400, &at, MPI_COMM_WORLD);
    CHECK(at <= bound + more);
    // Sent packed, received with the types; and unpacked in smaller parts.
    memset(got, 0xff, sizeof got);
    char other[400];
    MPI_Sendrecv(buffer, at, MPI_PACKED, to, 4, other, 400, MPI_PACKED, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    at = 0;
    MPI_Unpack(other, 400, &at, got, 3, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(other, 400, &at, got + 3, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(other, 400, &at, back, 4, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < 5; ++i) CHECK(got[i] == from * 10 + 2 * i);
    CHECK(back[1] == -2.5 && back[2] == from && back[3] == 1e300);
    // external32: big endian, the same everywhere.
    MPI_Pack_external_size("external32", 2, MPI_INT, &size_needed);
    CHECK(size_needed == 8);
    numbers[0] = 0x01020304;
    MPI_Pack_external("external32", numbers, 1, MPI_INT, buffer, 400, &place);
    MPI_Pack_external("external32", values, 1, MPI_DOUBLE, buffer, 400, &place);
    CHECK(place == 12 && buffer[0] == 1 && buffer[3] == 4 && (unsigned char)buffer[4] == 0x3f && buffer[5] == (char)0xf8);
    place = 0;
    MPI_Unpack_external("external32", buffer, 400, &place, got, 1, MPI_INT);
    MPI_Unpack_external("external32", buffer, 400, &place, back, 1, MPI_DOUBLE);
    CHECK(got[0] == 0x01020304 && back[0] == 1.5 && place == 12);
    MPI_Type_free(&even);
}

// Parts of a message: counts of whole items and of elements.
static void partial(void) {
    struct {
        double d;
        int i;
    } in[4];
    MPI_Datatype type, raw;
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {0, 8};
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
    MPI_Status status;
    int count = 0, elements = 0;
    MPI_Count long_count = 0;
    MPI_Type_create_struct(2, lengths, places, types, &raw);
    MPI_Type_create_resized(raw, 0, 16, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(in, 2, type, to, 5, in, 4, type, from, 5, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, type, &count);
    MPI_Get_elements(&status, type, &elements);
    CHECK(count == 2 && elements == 4);
    double one[1] = {4};
    MPI_Sendrecv(one, 1, MPI_DOUBLE, to, 5, in, 4, type, from, 5, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, type, &count);
    MPI_Get_elements(&status, type, &elements);
    MPI_Get_elements_x(&status, type, &long_count);
    CHECK(count == MPI_UNDEFINED && elements == 1 && long_count == 1 && in[0].d == 4);
    MPI_Type_free(&raw);
    MPI_Type_free(&type);
}

static void indexed(void) {
    int data[100], in[100], lengths[] = {2, 0, 3, 1}, places[] = {50, 3, 10, 0}, expected[] = {50, 51, 10, 11, 12, 0};
    MPI_Aint bytes[] = {200, 12, 40, 0};
    MPI_Datatype types[4], twice;
    for (int i = 0; i < 100; ++i) data[i] = rank + i;
    MPI_Type_indexed(4, lengths, places, MPI_INT, &types[0]);
    MPI_Type_create_hindexed(4, lengths, bytes, MPI_INT, &types[1]);
    MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &types[2]);
    MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &types[3]);
    for (int which = 0; which < 4; ++which) {
        pass(data, 1, types[which], in, 6, MPI_INT);
        const int blocks[] = {50, 51, 3, 4, 10, 11};
        for (int i = 0; i < 6; ++i) CHECK(in[i] == from + (which < 2 ? expected[i] : blocks[i]));
    }
    MPI_Type_contiguous(2, types[0], &twice); // extent 52 ints: from 0 to 51
    int all[200];
    for (int i = 0; i < 200; ++i) all[i] = rank + i;
    pass(all, 1, twice, in, 12, MPI_INT);
    for (int i = 0; i < 12; ++i) CHECK(in[i] == from + expected[i % 6] + i / 6 * 52);
    for (int i = 0; i < 4; ++i) MPI_Type_free(&types[i]);
    MPI_Type_free(&twice);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    vectors(1);
    vectors(10);
    vectors(200);
    structs(3);
    structs(5000);
    subarrays();
    distributed();
    absolute();
    packed();
    partial();
    indexed();
    return end();
}
