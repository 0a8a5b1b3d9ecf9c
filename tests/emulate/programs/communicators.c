// Groups and communicators: making, comparing, splitting, duplicating; names and attributes; messages stay in their own.
#include "check.h"

static void groups(void) {
    MPI_Group world, some, other, both, none, part, range, rest;
    int result = 0, count = 0, at = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(world, &count);
    MPI_Group_rank(world, &at);
    CHECK(count == size && at == rank);
    int* evens = malloc(sizeof(int) * (size_t)size);
    int even = (size + 1) / 2;
    for (int i = 0; i < even; ++i) evens[i] = 2 * (even - 1 - i); // backwards
    MPI_Group_incl(world, even, evens, &some);
    MPI_Group_rank(some, &at);
    CHECK(at == (rank % 2 == 0 ? even - 1 - rank / 2 : MPI_UNDEFINED));
    MPI_Group_excl(world, even, evens, &other);
    MPI_Group_size(other, &count);
    CHECK(count == size - even);
    MPI_Group_union(other, some, &both);
    MPI_Group_compare(both, world, &result);
    CHECK(result == (size == 1 ? MPI_IDENT : MPI_SIMILAR));
    MPI_Group_intersection(some, other, &none);
    CHECK(none == MPI_GROUP_EMPTY);
    MPI_Group_difference(world, other, &part);
    MPI_Group_compare(part, some, &result);
    CHECK(result == (even == 1 ? MPI_IDENT : MPI_SIMILAR)); // in the order of the first
    MPI_Group_compare(some, other, &result);
    CHECK(result == MPI_UNEQUAL);
    int ranges[2][3] = {{size - 1, 0, -2}, {0, 0, 1}};
    MPI_Group_range_incl(world, 1, ranges, &range);
    MPI_Group_size(range, &count);
    CHECK(count == (size + 1) / 2);
    MPI_Group_range_excl(world, 1, ranges, &rest);
    MPI_Group_size(rest, &count);
    CHECK(count == size / 2);
    int asked[3] = {0, even - 1, MPI_PROC_NULL}, got[3];
    MPI_Group_translate_ranks(some, 3, asked, world, got);
    CHECK(got[0] == 2 * (even - 1) && got[1] == 0 && got[2] == MPI_PROC_NULL);
    MPI_Group_translate_ranks(some, 1, asked, other, got);
    CHECK(got[0] == MPI_UNDEFINED);
    MPI_Comm comm;
    MPI_Comm_create(MPI_COMM_WORLD, some, &comm);
    CHECK((comm == MPI_COMM_NULL) == (rank % 2 == 1));
    if (comm != MPI_COMM_NULL) {
        int sum = 0;
        MPI_Comm_rank(comm, &at);
        CHECK(at == even - 1 - rank / 2);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        CHECK(sum == even * (even - 1));
        MPI_Comm_free(&comm);
        CHECK(comm == MPI_COMM_NULL);
    }
    if (rank % 2 == 0) { // only these call it
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 5, &comm);
        MPI_Comm_size(comm, &count);
        CHECK(count == even);
        MPI_Barrier(comm);
        MPI_Comm_free(&comm);
    }
    MPI_Group* all[] = {&world, &some, &other, &both, &part, &range, &rest};
    for (int i = 0; i < 7; ++i) MPI_Group_free(all[i]);
    CHECK(world == MPI_GROUP_NULL);
    free(evens);
}

static void splits(void) {
    MPI_Comm comm, again;
    int count = 0, at = 0, result = 0;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 3, -rank, &comm); // ordered backwards
    MPI_Comm_size(comm, &count);
    MPI_Comm_rank(comm, &at);
    CHECK(count == (size - rank % 3 + 2) / 3 && at == count - 1 - rank / 3);
    // The same tag and ranks in two communicators.
    MPI_Comm_dup(comm, &again);
    MPI_Comm_compare(comm, again, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_compare(comm, comm, &result);
    CHECK(result == MPI_IDENT);
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
    CHECK(result == (size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL));
    int one = 1, two = 2, got = 0;
    MPI_Request requests[2];
    MPI_Isend(&one, 1, MPI_INT, (at + 1) % count, 3, comm, &requests[0]);
    MPI_Isend(&two, 1, MPI_INT, (at + 1) % count, 3, again, &requests[1]);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, again, MPI_STATUS_IGNORE);
    CHECK(got == 2);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    CHECK(got == 1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&again);
    MPI_Comm_free(&comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &comm); // equal keys: by rank
    CHECK((comm == MPI_COMM_NULL) == (rank == 0));
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_rank(comm, &at);
        CHECK(at == rank - 1);
        MPI_Comm_free(&comm);
    }
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm);
    MPI_Comm_size(comm, &count);
    CHECK(count >= 1 && count <= size);
    char name[MPI_MAX_PROCESSOR_NAME] = "", first[MPI_MAX_PROCESSOR_NAME];
    int length = 0;
    MPI_Get_processor_name(name, &length);
    memcpy(first, name, sizeof first);
    MPI_Bcast(first, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0, comm);
    CHECK(strcmp(first, name) == 0); // those that share memory are on one host
    MPI_Comm_free(&comm);
    // Communicators come and go.
    for (int i = 0; i < 200; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_free(&comm);
    }
}

static void later(void) {
    MPI_Comm comms[3];
    MPI_Request requests[3];
    int sum = 0, token = -1;
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int i = 0; i < 3; ++i) MPI_Comm_idup(MPI_COMM_WORLD, &comms[i], &requests[i]);
    MPI_Sendrecv(&rank, 1, MPI_INT, to, 1, &token, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(token == from);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    for (int i = 2; i >= 0; --i) {
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comms[i]);
        CHECK(sum == size * (size - 1) / 2);
        MPI_Comm_free(&comms[i]);
    }
}

static void names(void) {
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    MPI_Comm comm;
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    CHECK(strcmp(name, "MPI_COMM_WORLD") == 0 && length == 14);
    MPI_Comm_get_name(MPI_COMM_SELF, name, &length);
    CHECK(strcmp(name, "MPI_COMM_SELF") == 0);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_get_name(comm, name, &length);
    CHECK(length == 0 && name[0] == 0);
    MPI_Comm_set_name(comm, "my own");
    MPI_Comm_get_name(comm, name, &length);
    CHECK(strcmp(name, "my own") == 0 && length == 6);
    MPI_Comm_free(&comm);
}

static int copied, deleted;

static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
    (void)comm;
    (void)key;
    ++copied;
    *(void**)out = (char*)in + *(int*)extra;
    *flag = *(int*)extra != 0;
    return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    ++deleted;
    return MPI_SUCCESS;
}

static void attributes(void) {
    int key = 0, second = 0, simple = 0, step = 5, no = 0, flag = 0;
    static char base[100];
    void* value = NULL;
    MPI_Comm comm, again;
    MPI_Comm_create_keyval(copy, delete, &key, &step);
    MPI_Comm_create_keyval(copy, delete, &second, &no);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &simple, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_get_attr(comm, key, &value, &flag);
    CHECK(!flag);
    MPI_Comm_set_attr(comm, key, base);
    MPI_Comm_set_attr(comm, second, base);
    MPI_Comm_set_attr(comm, simple, base + 50);
    MPI_Comm_dup(comm, &again);
    CHECK(copied == 2);
    MPI_Comm_get_attr(again, key, &value, &flag);
    CHECK(flag && value == base + 5);
    MPI_Comm_get_attr(again, second, &value, &flag);
    CHECK(!flag);
    MPI_Comm_get_attr(again, simple, &value, &flag);
    CHECK(flag && value == base + 50);
    MPI_Comm_set_attr(comm, key, base + 1); // the old value is deleted
    CHECK(deleted == 1);
    MPI_Comm_delete_attr(comm, key);
    CHECK(deleted == 2);
    MPI_Comm_free(&again);
    CHECK(deleted == 3);
    const int old = key;
    MPI_Comm_free_keyval(&key);
    CHECK(key == MPI_KEYVAL_INVALID && old != key);
    MPI_Comm_free(&comm);
    CHECK(deleted == 4);
    MPI_Comm_free_keyval(&second);
    MPI_Comm_free_keyval(&simple);
    int* bound = NULL;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
    CHECK(flag && *bound >= 32767);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &bound, &flag);
    CHECK(!flag || *bound == 0 || *bound == 1);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    groups();
    splits();
    later();
    names();
    attributes();
    return end();
}
