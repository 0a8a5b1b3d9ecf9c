// Reductions: predefined and user-defined operations, also such as do not commute, in place, nonblocking, of types with gaps.
#include "check.h"

static const int lengths[] = {0, 1, 5, 200, 3000, 20000};

// x -> a x + b modulo 2^32: composing such maps is associative, and which comes first matters.
struct Map {
    unsigned a, b;
};

static int calls; // private to each rank

static void compose(void* first, void* second, int* count, MPI_Datatype* type) {
    const struct Map* left = first;
    struct Map* right = second;
    (void)type;
    ++calls;
    for (int i = 0; i < *count; ++i) {
        right[i] = (struct Map){right[i].a * left[i].a, right[i].a * left[i].b + right[i].b};
    }
}

static struct Map map_of(int r, int i) { return (struct Map){(unsigned)(2 * r + 3 + i), (unsigned)(r * r + 7 * i)}; }

static struct Map expected(int first, int last, int i) {
    struct Map all = map_of(first, i);
    for (int r = first + 1; r <= last; ++r) {
        struct Map next = map_of(r, i);
        all = (struct Map){next.a * all.a, next.a * all.b + next.b};
    }
    return all;
}

static int equal(const struct Map* got, int count, int first, int last, int shift) {
    for (int i = 0; i < count; ++i) {
        const struct Map should = expected(first, last, i + shift);
        if (got[i].a != should.a || got[i].b != should.b) return 0;
    }
    return 1;
}

static void in_order(int count) {
    const size_t all = (size_t)(count * size + 1);
    struct Map *out = malloc(sizeof *out * all), *in = malloc(sizeof *in * all);
    int* counts = malloc(sizeof(int) * (size_t)size);
    MPI_Datatype type;
    MPI_Op op;
    MPI_Request request;
    MPI_Type_contiguous(2, MPI_UNSIGNED, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(compose, 0, &op);
    for (int i = 0; i < count * size; ++i) out[i] = map_of(rank, i);
    for (int root = 0; root < size; root += size > 2 ? size - 1 : 1) {
        MPI_Reduce(out, in, count, type, op, root, MPI_COMM_WORLD);
        if (rank == root) CHECK(equal(in, count, 0, size - 1, 0));
        MPI_Ireduce(out, in, count, type, op, root, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == root) CHECK(equal(in, count, 0, size - 1, 0));
        memcpy(in, out, sizeof *in * (size_t)count);
        MPI_Reduce(rank == root ? MPI_IN_PLACE : in, in, count, type, op, root, MPI_COMM_WORLD);
        if (rank == root) CHECK(equal(in, count, 0, size - 1, 0));
    }
    for (int way = 0; way < 4; ++way) {
        const void* give = way % 2 == 0 ? out : MPI_IN_PLACE;
        memcpy(in, out, sizeof *in * (size_t)count);
        if (way < 2) {
            MPI_Allreduce(give, in, count, type, op, MPI_COMM_WORLD);
        } else {
            MPI_Iallreduce(give, in, count, type, op, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        CHECK(equal(in, count, 0, size - 1, 0));
        memcpy(in, out, sizeof *in * (size_t)count);
        if (way < 2) {
            MPI_Scan(give, in, count, type, op, MPI_COMM_WORLD);
        } else {
            MPI_Iscan(give, in, count, type, op, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        CHECK(equal(in, count, 0, rank, 0));
        memcpy(in, out, sizeof *in * (size_t)count);
        if (way < 2) {
            MPI_Exscan(give, in, count, type, op, MPI_COMM_WORLD);
        } else {
            MPI_Iexscan(give, in, count, type, op, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (rank > 0) CHECK(equal(in, count, 0, rank - 1, 0));
        memcpy(in, out, sizeof *in * (size_t)(count * size));
        if (way < 2) {
            MPI_Reduce_scatter_block(give, in, count, type, op, MPI_COMM_WORLD);
        } else {
            MPI_Ireduce_scatter_block(give, in, count, type, op, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        CHECK(equal(in, count, 0, size - 1, rank * count));
        int before = 0;
        for (int r = 0; r < size; ++r) {
            counts[r] = r % 3 == 1 ? 0 : count / (r + 1);
            if (r < rank) before += counts[r];
        }
        memcpy(in, out, sizeof *in * (size_t)(count * size));
        if (way < 2) {
            MPI_Reduce_scatter(give, in, counts, type, op, MPI_COMM_WORLD);
        } else {
            MPI_Ireduce_scatter(give, in, counts, type, op, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        CHECK(equal(in, counts[rank], 0, size - 1, before));
    }
    struct Map left = {2, 3}, right = {5, 7};
    MPI_Reduce_local(&left, &right, 1, type, op);
    CHECK(right.a == 10 && right.b == 22);
    int commutative = -1;
    MPI_Op_commutative(op, &commutative);
    CHECK(commutative == 0);
    MPI_Op_free(&op);
    CHECK(op == MPI_OP_NULL);
    MPI_Type_free(&type);
    free(out);
    free(in);
    free(counts);
}

#define ARITHMETIC(T, TYPE)                                                                                    \
    do {                                                                                                       \
        T one[3] = {(T)(rank % 5 + 1), (T)(rank == size / 2 ? 9 : 4), (T)1}, got[3] = {0, 0, 0}, sum = 0;      \
        for (int r = 0; r < size; ++r) sum = (T)(sum + (T)(r % 5 + 1));                                        \
        MPI_Allreduce(one, got, 3, TYPE, MPI_SUM, MPI_COMM_WORLD);                                             \
        CHECK(got[0] == sum && got[2] == (T)size);                                                             \
        MPI_Allreduce(one, got, 3, TYPE, MPI_MAX, MPI_COMM_WORLD);                                             \
        CHECK(got[0] == (T)(size < 5 ? size : 5) && got[1] == (T)9);                                           \
        MPI_Allreduce(one, got, 3, TYPE, MPI_MIN, MPI_COMM_WORLD);                                             \
        CHECK(got[0] == (T)1 && got[1] == (T)(size == 1 ? 9 : 4));                                             \
        one[0] = (T)(rank < 4 ? 2 : 1);                                                                        \
        MPI_Allreduce(one, got, 3, TYPE, MPI_PROD, MPI_COMM_WORLD);                                            \
        CHECK(got[0] == (T)(1 << (size < 4 ? size : 4)) && got[2] == (T)1);                                    \
    } while (0)

#define BITS(T, TYPE)                                                                                          \
    do {                                                                                                       \
        T one[2] = {(T)(1 << (rank % 7)), (T)(rank % 2)}, got[2];                                              \
        int every = 0, odd = 0, ones = 0;                                                                      \
        for (int r = 0; r < size; ++r) every |= 1 << (r % 7), odd ^= 1 << (r % 7), ones += r % 2;              \
        MPI_Allreduce(one, got, 2, TYPE, MPI_BOR, MPI_COMM_WORLD);                                             \
        CHECK(got[0] == (T)every && got[1] == (T)(size > 1));                                                  \
        MPI_Allreduce(one, got, 2, TYPE, MPI_BAND, MPI_COMM_WORLD);                                            \
        CHECK(got[0] == (T)(size == 1) && got[1] == 0);                                                        \
        MPI_Allreduce(one, got, 2, TYPE, MPI_BXOR, MPI_COMM_WORLD);                                            \
        CHECK(got[0] == (T)odd && got[1] == (T)(ones % 2));                                                    \
        MPI_Allreduce(one, got, 2, TYPE, MPI_LAND, MPI_COMM_WORLD);                                            \
        CHECK(got[0] == 1 && got[1] == 0);                                                                     \
        MPI_Allreduce(one, got, 2, TYPE, MPI_LOR, MPI_COMM_WORLD);                                             \
        CHECK(got[0] == 1 && got[1] == (T)(size > 1));                                                         \
        MPI_Allreduce(one, got, 2, TYPE, MPI_LXOR, MPI_COMM_WORLD);                                            \
        CHECK(got[0] == (T)(size % 2) && got[1] == (T)(ones % 2));                                             \
    } while (0)

static void predefined(void) {
    ARITHMETIC(signed char, MPI_SIGNED_CHAR);
    ARITHMETIC(short, MPI_SHORT);
    ARITHMETIC(int, MPI_INT);
    ARITHMETIC(long, MPI_LONG);
    ARITHMETIC(long long, MPI_LONG_LONG);
    ARITHMETIC(unsigned char, MPI_UNSIGNED_CHAR);
    ARITHMETIC(unsigned short, MPI_UNSIGNED_SHORT);
    ARITHMETIC(unsigned, MPI_UNSIGNED);
    ARITHMETIC(unsigned long, MPI_UNSIGNED_LONG);
    ARITHMETIC(float, MPI_FLOAT);
    ARITHMETIC(double, MPI_DOUBLE);
    ARITHMETIC(long double, MPI_LONG_DOUBLE);
    ARITHMETIC(MPI_Aint, MPI_AINT);
    ARITHMETIC(MPI_Count, MPI_COUNT);
    BITS(signed char, MPI_SIGNED_CHAR);
    BITS(short, MPI_SHORT);
    BITS(int, MPI_INT);
    BITS(long, MPI_LONG);
    BITS(unsigned char, MPI_UINT8_T);
    BITS(unsigned long long, MPI_UNSIGNED_LONG_LONG);
    unsigned char byte = (unsigned char)(1 << (rank % 8)), bytes = 0;
    MPI_Allreduce(&byte, &bytes, 1, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    CHECK(bytes == (size >= 8 ? 0xff : (1 << size) - 1));
}

static void places(void) {
    struct {
        double value;
        int place;
    } one = {rank % 3, rank}, best;
    struct {
        int value, place;
    } low = {-(rank / 2), rank}, least;
    MPI_Allreduce(&one, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    CHECK(best.value == (size < 3 ? size - 1 : 2) && best.place == (size < 3 ? size - 1 : 2)); // the first of equals
    MPI_Allreduce(&low, &least, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
    CHECK(least.value == -((size - 1) / 2) && least.place == (size - 1) / 2 * 2);
}

static void add_spread(void* first, void* second, int* count, MPI_Datatype* type) {
    MPI_Aint bound = 0, extent = 0;
    MPI_Type_get_extent(*type, &bound, &extent);
    for (int i = 0; i < *count; ++i) {
        *(int*)((char*)second + extent * i) += *(const int*)((char*)first + extent * i);
    }
}

// Only the described part of each item is given to the operation, and the rest stays as it is.
static void gaps(int count) {
    int *out = malloc(sizeof(int) * (size_t)count * 3), *in = malloc(sizeof(int) * (size_t)count * 3), good = 1;
    for (int i = 0; i < count * 3; ++i) {
        out[i] = rank + i;
        in[i] = -1;
    }
    MPI_Datatype spread;
    MPI_Op op;
    MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &spread);
    MPI_Type_commit(&spread);
    MPI_Op_create(add_spread, 1, &op);
    MPI_Allreduce(out, in, count, spread, op, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) {
        good &= in[3 * i] == size * (size - 1) / 2 + size * 3 * i && in[3 * i + 1] == -1 && in[3 * i + 2] == -1;
    }
    CHECK(good);
    MPI_Op_free(&op);
    MPI_Type_free(&spread);
    free(out);
    free(in);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; ++l) {
        const int count = size > 16 && lengths[l] > 500 ? 500 : lengths[l];
        in_order(count);
    }
    CHECK(size == 1 || calls > 0);
    predefined();
    places();
    gaps(1);
    gaps(4000);
    return end();
}
