// Start, complete, post, wait, test; what windows tell of themselves; errors.
#include "check.h"

static void neighbours(int assertion, int test) {
    int memory[2] = {-1, -1}, seen = -1;
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Group all, origins, targets;
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &before, &origins);
    MPI_Group_incl(all, 1, &next, &targets);
    for (int round = 0; round < 3; ++round) {
        memory[1] = 100 * rank + round;
        MPI_Win_post(origins, assertion, win);
        if (assertion & MPI_MODE_NOCHECK) MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_start(targets, assertion & MPI_MODE_NOCHECK, win);
        const int value = rank + round;
        MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win);
        MPI_Get(&seen, 1, MPI_INT, next, 1, 1, MPI_INT, win);
        MPI_Win_complete(win);
        CHECK(seen == 100 * next + round);
        int done = !test;
        if (test) {
            while (!done) MPI_Win_test(win, &done);
        } else {
            MPI_Win_wait(win);
        }
        CHECK(memory[0] == before + round);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
    MPI_Win_free(&win);
}

// A target that is late: what it writes before it posts must not come after the put.
static void late(void) {
    int memory = 0, message = 0;
    const int origin = 1, target = 0, helper = size - 1;
    MPI_Group all, other;
    MPI_Win win;
    if (size < 3) return;
    MPI_Win_create(&memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, rank == target ? &origin : &target, &other);
    for (int i = 0; i < 20; ++i) {
        if (rank == target) {
            MPI_Send(&message, 1, MPI_INT, helper, 0, MPI_COMM_WORLD);
            MPI_Recv(&message, 1, MPI_INT, helper, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == helper) {
            MPI_Recv(&message, 1, MPI_INT, target, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&message, 1, MPI_INT, target, 0, MPI_COMM_WORLD);
        }
    }
    if (rank == target) {
        memory = -5;
        MPI_Win_post(other, 0, win);
        MPI_Win_wait(win);
        CHECK(memory == 5);
    } else if (rank == origin) {
        const int value = 5;
        MPI_Win_start(other, 0, win);
        MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
        MPI_Win_complete(win);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&other);
    MPI_Win_free(&win);
}

static int deleted;

static int on_delete(MPI_Win win, int keyval, void* value, void* extra) {
    (void)win, (void)keyval, (void)extra;
    deleted += *(int*)value;
    return MPI_SUCCESS;
}

static void properties(void) {
    char name[MPI_MAX_OBJECT_NAME], value[MPI_MAX_INFO_VAL + 1];
    double* memory;
    void* found;
    int flag, length, keyval, seven = 7;
    MPI_Info info;
    MPI_Win win;
    MPI_Win_allocate(80, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_get_attr(win, MPI_WIN_BASE, &found, &flag);
    CHECK(flag && found == memory);
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &found, &flag);
    CHECK(flag && *(MPI_Aint*)found == 80);
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &found, &flag);
    CHECK(flag && *(int*)found == sizeof(double));
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &found, &flag);
    CHECK(flag && *(int*)found == MPI_WIN_FLAVOR_ALLOCATE);
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &found, &flag);
    CHECK(flag && *(int*)found == MPI_WIN_UNIFIED);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &keyval, NULL);
    MPI_Win_set_attr(win, keyval, &seven);
    MPI_Win_get_attr(win, keyval, &found, &flag);
    CHECK(flag && found == &seven);
    MPI_Win_get_name(win, name, &length);
    CHECK(length == 0);
    MPI_Win_set_name(win, "halo");
    MPI_Win_get_name(win, name, &length);
    CHECK(length == 4 && strcmp(name, "halo") == 0);
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);
    MPI_Win_get_info(win, &info);
    MPI_Info_get(info, "no_locks", MPI_MAX_INFO_VAL, value, &flag);
    CHECK(flag && strcmp(value, "true") == 0);
    MPI_Info_free(&info);
    MPI_Win_free(&win);
    CHECK(deleted == 7);
    MPI_Win_free_keyval(&keyval);
}

static int called;

static void handler(MPI_Win* win, int* code, ...) {
    (void)win, (void)code;
    ++called;
}

static void errors(void) {
    int memory[4] = {0}, one = 1;
    MPI_Errhandler own;
    MPI_Win win;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    FAILS(MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_SIZE);
    FAILS(MPI_Win_create(memory, 4, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_DISP);
    FAILS(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    FAILS(MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_lock(77, 0, 0, win), MPI_ERR_LOCKTYPE);
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win), MPI_ERR_RANK);
    FAILS(MPI_Win_fence(MPI_MODE_NOCHECK, win), MPI_ERR_ASSERT);
    MPI_Win_fence(0, win);
    FAILS(MPI_Put(&one, 1, MPI_INT, size, 0, 1, MPI_INT, win), MPI_ERR_RANK);
    FAILS(MPI_Put(&one, -1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
    FAILS(MPI_Put(&one, 1, MPI_INT, 0, 4, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Put(&one, 1, MPI_INT, 0, -1, 1, MPI_INT, win), MPI_ERR_DISP);
    FAILS(MPI_Put(&one, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
    FAILS(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP);
    MPI_Win_create_errhandler(handler, &own);
    MPI_Win_set_errhandler(win, own);
    MPI_Errhandler_free(&own);
    MPI_Put(&one, 1, MPI_INT, size, 0, 1, MPI_INT, win);
    CHECK(called == 1);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    neighbours(0, 0);
    neighbours(0, 1);
    neighbours(MPI_MODE_NOCHECK, 0);
    late();
    properties();
    errors();
    return end();
}
