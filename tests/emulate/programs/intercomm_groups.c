// Inter-communicators: making, messages, merging, duplicates, parts, errors. Fewer than 3 ranks have nothing to do.
#include "check.h"

static int front; // whether this rank is in the first group
static int own;   // its rank there
static int local; // how many there are
static int remote;

// The first third against the rest, the ranks of the rest turned round.
static MPI_Comm two_groups(MPI_Comm* group) {
    MPI_Comm inter;
    const int cut = size / 3;
    front = rank < cut;
    MPI_Comm_split(MPI_COMM_WORLD, front, front ? rank : -rank, group);
    MPI_Comm_rank(*group, &own);
    MPI_Comm_size(*group, &local);
    remote = size - local;
    // The leaders: the last of the first group, and the second of the other one.
    MPI_Intercomm_create(*group, front ? local - 1 : 1, MPI_COMM_WORLD, front ? size - 2 : cut - 1, 17, &inter);
    return inter;
}

// The rank in the world of one of the other group.
static int world_of(int peer) { return front ? size - 1 - peer : peer; }

static void ask(MPI_Comm inter) {
    int flag;
    int count;
    int result;
    MPI_Comm_test_inter(inter, &flag);
    CHECK(flag);
    MPI_Comm_rank(inter, &count);
    CHECK(count == own);
    MPI_Comm_size(inter, &count);
    CHECK(count == local);
    MPI_Comm_remote_size(inter, &count);
    CHECK(count == remote);
    MPI_Group world;
    MPI_Group others;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_remote_group(inter, &others);
    for (int peer = 0; peer < remote; ++peer) {
        MPI_Group_translate_ranks(others, 1, &peer, world, &result);
        CHECK(result == world_of(peer));
    }
    MPI_Group_free(&world);
    MPI_Group_free(&others);
}

static void messages(MPI_Comm inter) {
    // Each to all of the other group, with wildcards on the other side.
    int* sums = calloc((size_t)remote, sizeof(int));
    MPI_Request* sends = malloc(sizeof(MPI_Request) * (size_t)remote);
    for (int peer = 0; peer < remote; ++peer) MPI_Isend(&rank, 1, MPI_INT, peer, 5, inter, &sends[peer]);
    for (int i = 0; i < remote; ++i) {
        int value;
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &status);
        CHECK(status.MPI_TAG == 5 && status.MPI_SOURCE >= 0 && status.MPI_SOURCE < remote);
        CHECK(value == world_of(status.MPI_SOURCE));
        sums[status.MPI_SOURCE] += 1;
    }
    MPI_Waitall(remote, sends, MPI_STATUSES_IGNORE);
    for (int peer = 0; peer < remote; ++peer) CHECK(sums[peer] == 1);
    free(sums);
    free(sends);
    // Ranks are those of the other group.
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    FAILS(MPI_Send(&rank, 1, MPI_INT, remote, 5, inter), MPI_ERR_RANK);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_ARE_FATAL);
}

static void merge(MPI_Comm inter) {
    for (int first_is_high = 0; first_is_high < 2; ++first_is_high) {
        MPI_Comm all;
        int place;
        int count;
        MPI_Intercomm_merge(inter, front ? first_is_high : !first_is_high, &all);
        MPI_Comm_rank(all, &place);
        MPI_Comm_size(all, &count);
        CHECK(count == size);
        const int leads = front != first_is_high;
        CHECK(place == (leads ? own : remote + own));
        int sum = 0;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
        CHECK(sum == size * (size - 1) / 2);
        MPI_Comm_free(&all);
    }
    MPI_Comm all;
    MPI_Comm copy;
    int result;
    MPI_Intercomm_merge(inter, 1, &all); // either may come first, but all agree
    MPI_Comm_dup(all, &copy);
    MPI_Comm_compare(all, copy, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_free(&all);
    MPI_Comm_free(&copy);
}

static void parts(MPI_Comm inter) {
    MPI_Comm copy;
    MPI_Comm part;
    MPI_Request request;
    int result;
    int count;
    MPI_Comm_dup(inter, &copy);
    MPI_Comm_compare(inter, copy, &result);
    CHECK(result == MPI_CONGRUENT);
    ask(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_idup(inter, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ask(copy);
    messages(copy);
    MPI_Comm_free(&copy);
    // Rank 0 of both groups, then the rest, which the first group may not have.
    MPI_Comm_split(inter, own > 0, -own, &part);
    const int rest = local > 1 && remote > 1;
    CHECK((part != MPI_COMM_NULL) == (own == 0 || rest));
    if (part != MPI_COMM_NULL) {
        int others;
        MPI_Comm_test_inter(part, &result);
        MPI_Comm_size(part, &count);
        MPI_Comm_remote_size(part, &others);
        CHECK(result && count == (own == 0 ? 1 : local - 1) && others == (own == 0 ? 1 : remote - 1));
        MPI_Comm_rank(part, &count);
        CHECK(count == (own == 0 ? 0 : local - 1 - own)); // the keys are negative
        int value = -1;
        MPI_Status status;
        MPI_Comm_remote_size(part, &others);
        if (count < others) {
            MPI_Sendrecv(&own, 1, MPI_INT, count, 3, &value, 1, MPI_INT, count, 3, part, &status);
            CHECK(status.MPI_SOURCE == count && value == (own == 0 ? 0 : remote - 1 - count));
        }
        MPI_Comm_free(&part);
    }
    // Only rank 0 of each group.
    MPI_Group all;
    MPI_Group first;
    const int zero = 0;
    MPI_Comm_group(inter, &all);
    MPI_Group_incl(all, 1, &zero, &first);
    MPI_Comm_create(inter, first, &part);
    CHECK((part != MPI_COMM_NULL) == (own == 0));
    if (part != MPI_COMM_NULL) {
        MPI_Comm_remote_size(part, &count);
        CHECK(count == 1);
        MPI_Comm_free(&part);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&first);
    // One group wants none.
    MPI_Comm_split(inter, front ? MPI_UNDEFINED : 0, 0, &part);
    CHECK(part == MPI_COMM_NULL);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    if (size < 3) return end();
    MPI_Comm group;
    MPI_Comm inter = two_groups(&group);
    ask(inter);
    messages(inter);
    merge(inter);
    parts(inter);
    int value;
    MPI_Comm none;
    MPI_Comm_set_errhandler(group, MPI_ERRORS_RETURN);
    FAILS(MPI_Comm_remote_size(group, &value), MPI_ERR_COMM);
    FAILS(MPI_Intercomm_merge(group, 0, &none), MPI_ERR_COMM);
    FAILS(MPI_Intercomm_create(group, local, MPI_COMM_WORLD, 0, 1, &none), MPI_ERR_RANK);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&group);
    return end();
}
