#include "functions.h"
#include "mpi_library/comm.h"
#include "mpi_library/engine.h"
#include "mpi_library/errors.h"
#include "mpi_library/group.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>

namespace orrery::emulate::mpi {

namespace {

using Members = std::vector<std::uint32_t>;

struct Group {
    GroupRanks members;
};

Handles<Group>& groups() {
    static Handles<Group> all(Kind::group);
    return all;
}

// Equal lists are kept once: the group of the world exists on every rank.
GroupRanks shared(Members members) {
    static std::weak_ptr<const Members> last;
    if (GroupRanks kept = last.lock(); kept != nullptr && *kept == members) return kept;
    GroupRanks made = std::make_shared<const Members>(std::move(members));
    last = made;
    return made;
}

std::unordered_map<std::uint32_t, int> places(const Members& members) {
    std::unordered_map<std::uint32_t, int> at;
    for (std::size_t i = 0; i < members.size(); ++i) at.emplace(members[i], static_cast<int>(i));
    return at;
}

void check_ranks(const Members& members, int n, const int ranks[]) {
    if (n < 0) throw Failure(MPI_ERR_ARG, fmt::format("the number of ranks is {}", n));
    std::unordered_set<int> seen;
    for (int i = 0; i < n; ++i) {
        if (ranks[i] < 0 || static_cast<std::size_t>(ranks[i]) >= members.size())
            throw Failure(MPI_ERR_RANK,
                          fmt::format("rank {} is not in a group of {}", ranks[i], members.size()));
        if (!seen.insert(ranks[i]).second)
            throw Failure(MPI_ERR_RANK, fmt::format("rank {} is named twice", ranks[i]));
    }
}

// (first, last, stride) each, as MPI_Group_range_incl has them.
std::vector<int> ranks_in(const Members& members, int n, int ranges[][3]) {
    std::vector<int> all;
    if (n < 0) throw Failure(MPI_ERR_ARG, fmt::format("the number of ranges is {}", n));
    for (int i = 0; i < n; ++i) {
        const int first = ranges[i][0];
        const int last = ranges[i][1];
        const int stride = ranges[i][2];
        if (stride == 0) throw Failure(MPI_ERR_ARG, "the stride of a range is 0");
        if ((stride > 0 && last < first) || (stride < 0 && last > first))
            throw Failure(MPI_ERR_ARG, fmt::format("the range from {} to {} does not go with stride {}", first,
                                                   last, stride));
        for (int rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) all.push_back(rank);
    }
    check_ranks(members, static_cast<int>(all.size()), all.data());
    return all;
}

MPI_Group included(const Members& members, const std::vector<int>& ranks) {
    Members chosen;
    for (const int rank : ranks) chosen.push_back(members[static_cast<std::size_t>(rank)]);
    return add_group(std::move(chosen));
}

MPI_Group excluded(const Members& members, const std::vector<int>& ranks) {
    std::vector<bool> out(members.size());
    for (const int rank : ranks) out[static_cast<std::size_t>(rank)] = true;
    Members rest;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (!out[i]) rest.push_back(members[i]);
    }
    return add_group(std::move(rest));
}

int compare(const Members& a, const Members& b) {
    if (a == b) return MPI_IDENT;
    Members sorted_a = a;
    Members sorted_b = b;
    std::sort(sorted_a.begin(), sorted_a.end());
    std::sort(sorted_b.begin(), sorted_b.end());
    return sorted_a == sorted_b ? MPI_SIMILAR : MPI_UNEQUAL;
}

} // namespace

const Members& group_of(MPI_Group handle) {
    static const Members nobody_at_all;
    if (handle == MPI_GROUP_EMPTY) return nobody_at_all;
    const Group* const found = groups().find(handle);
    if (found == nullptr)
        throw Failure(MPI_ERR_GROUP, handle == MPI_GROUP_NULL ? "the group is MPI_GROUP_NULL"
                                                              : "this is no group, or it has been freed");
    return *found->members;
}

MPI_Group add_group(Members members) {
    if (members.empty()) return MPI_GROUP_EMPTY;
    return groups().add(std::make_unique<Group>(Group{shared(std::move(members))}));
}

int Comm_group(MPI_Comm comm, MPI_Group* group) {
    *group = add_group(comm_of(comm).members());
    return MPI_SUCCESS;
}

int Comm_remote_group(MPI_Comm comm, MPI_Group* group) {
    const Comm& found = comm_of(comm);
    if (!found.inter()) throw Failure(MPI_ERR_COMM, "this is no inter-communicator", comm);
    *group = add_group(found.remote_members());
    return MPI_SUCCESS;
}

int Group_size(MPI_Group group, int* size) {
    *size = static_cast<int>(group_of(group).size());
    return MPI_SUCCESS;
}

int Group_rank(MPI_Group group, int* rank) {
    const Members& members = group_of(group);
    const auto found = std::find(members.begin(), members.end(), self().index);
    *rank = found == members.end() ? MPI_UNDEFINED : static_cast<int>(found - members.begin());
    return MPI_SUCCESS;
}

int Group_translate_ranks(MPI_Group from, int n, const int ranks[], MPI_Group to, int translated[]) {
    const Members& members = group_of(from);
    const auto at = places(group_of(to));
    if (n < 0) throw Failure(MPI_ERR_ARG, fmt::format("the number of ranks is {}", n));
    for (int i = 0; i < n; ++i) {
        if (ranks[i] == MPI_PROC_NULL) {
            translated[i] = MPI_PROC_NULL;
            continue;
        }
        if (ranks[i] < 0 || static_cast<std::size_t>(ranks[i]) >= members.size())
            throw Failure(MPI_ERR_RANK,
                          fmt::format("rank {} is not in a group of {}", ranks[i], members.size()));
        const auto found = at.find(members[static_cast<std::size_t>(ranks[i])]);
        translated[i] = found == at.end() ? MPI_UNDEFINED : found->second;
    }
    return MPI_SUCCESS;
}

int Group_compare(MPI_Group a, MPI_Group b, int* result) {
    *result = compare(group_of(a), group_of(b));
    return MPI_SUCCESS;
}

int Group_union(MPI_Group a, MPI_Group b, MPI_Group* result) {
    Members all = group_of(a);
    const auto at = places(all);
    for (const std::uint32_t each : group_of(b)) {
        if (!at.contains(each)) all.push_back(each);
    }
    *result = add_group(std::move(all));
    return MPI_SUCCESS;
}

int Group_intersection(MPI_Group a, MPI_Group b, MPI_Group* result) {
    const auto at = places(group_of(b));
    Members both;
    for (const std::uint32_t each : group_of(a)) {
        if (at.contains(each)) both.push_back(each);
    }
    *result = add_group(std::move(both));
    return MPI_SUCCESS;
}

int Group_difference(MPI_Group a, MPI_Group b, MPI_Group* result) {
    const auto at = places(group_of(b));
    Members rest;
    for (const std::uint32_t each : group_of(a)) {
        if (!at.contains(each)) rest.push_back(each);
    }
    *result = add_group(std::move(rest));
    return MPI_SUCCESS;
}

int Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* result) {
    const Members& members = group_of(group);
    check_ranks(members, n, ranks);
    *result = included(members, {ranks, ranks + n});
    return MPI_SUCCESS;
}

int Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* result) {
    const Members& members = group_of(group);
    check_ranks(members, n, ranks);
    *result = excluded(members, {ranks, ranks + n});
    return MPI_SUCCESS;
}

int Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* result) {
    const Members& members = group_of(group);
    *result = included(members, ranks_in(members, n, ranges));
    return MPI_SUCCESS;
}

int Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group* result) {
    const Members& members = group_of(group);
    *result = excluded(members, ranks_in(members, n, ranges));
    return MPI_SUCCESS;
}

int Group_free(MPI_Group* group) {
    (void)group_of(*group);
    if (*group != MPI_GROUP_EMPTY) groups().remove(*group);
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

int Comm_compare(MPI_Comm a, MPI_Comm b, int* result) {
    const Comm& first = comm_of(a);
    const Comm& second = comm_of(b);
    if (a == b) {
        *result = MPI_IDENT;
    } else if (first.inter() != second.inter()) {
        *result = MPI_UNEQUAL;
    } else {
        int same = compare(first.members(), second.members());
        if (first.inter()) same = std::max(same, compare(first.remote_members(), second.remote_members()));
        *result = same == MPI_IDENT ? MPI_CONGRUENT : same;
    }
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
