// Alltoall, alltoallv and alltoallw.
#include "collectives/alltoall/alltoall.h"
#include "collectives/common.h"
#include "collectives/mesh.h"
#include "collectives/registry.h"

#include <array>

namespace orrery::coll {

std::span<const Algorithm> alltoall_table() {
    static constexpr std::array rows{
        Algorithm{"linear", Collective::alltoall, "openmpi:linear simgrid:basic_linear simgrid:ialltoall",
                  "everything at once, receives upwards from the next rank, sends downwards", "(p-1)(α + nβ)",
                  alltoall_linear, always},
        Algorithm{"linear_in_order", Collective::alltoall, "literature:linear_in_order",
                  "everything at once, in the order of the ranks", "(p-1)(α + nβ)", alltoall_linear_in_order,
                  always},
        Algorithm{"linear_sync", Collective::alltoall, "openmpi:linear_sync",
                  "as linear, with `fanout` messages each way at a time", "(p-1)(α + nβ)", alltoall_linear_sync,
                  always},
        Algorithm{"pairwise", Collective::alltoall, "openmpi:pairwise simgrid:ring",
                  "in step i to the rank i further on, from the rank i before", "(p-1)(α + nβ)",
                  alltoall_pairwise, always},
        Algorithm{
            "pairwise_exchange", Collective::alltoall, "mpich:pairwise simgrid:pair",
            "in step i with the rank whose number differs in the bits of i; pairwise if p is no power of two",
            "(p-1)(α + nβ)", alltoall_pairwise_exchange, power_of_two},
        Algorithm{"two_proc", Collective::alltoall, "openmpi:two_proc",
                  "one exchange, for two ranks; pairwise otherwise", "α + nβ", alltoall_two_proc,
                  [](const CollectiveCall& call) { return call.size == 2; }},
        Algorithm{"scattered", Collective::alltoall, "mpich:scattered", "in batches of `fanout`, 32 by default",
                  "(p-1)(α + nβ)", alltoall_scattered, always},
        Algorithm{"scattered_others", Collective::alltoall, "literature:scattered_others",
                  "in batches of `fanout`, 4 by default, the own block being copied", "(p-1)(α + nβ)",
                  alltoall_scattered_others, always},
        Algorithm{"pairwise_light_barrier", Collective::alltoall, "simgrid:ring_light_barrier",
                  "pairwise, a byte between partners before each step", "(p-1)(2α + nβ)",
                  alltoall_pairwise_light_barrier, always},
        Algorithm{"pairwise_barriers", Collective::alltoall, "simgrid:ring_mpi_barrier",
                  "pairwise, a barrier before each step", "p barriers + (p-1)(α + nβ)",
                  alltoall_pairwise_barriers, always},
        Algorithm{"pairwise_one_barrier", Collective::alltoall, "simgrid:ring_one_barrier",
                  "a barrier, then pairwise", "a barrier + (p-1)(α + nβ)", alltoall_pairwise_one_barrier,
                  always},
        Algorithm{"exchange_light_barrier", Collective::alltoall, "simgrid:pair_light_barrier",
                  "pairwise_exchange, a byte between partners before each step", "(p-1)(2α + nβ)",
                  alltoall_exchange_light_barrier, power_of_two},
        Algorithm{"exchange_barriers", Collective::alltoall, "simgrid:pair_mpi_barrier",
                  "pairwise_exchange, a barrier before each step", "p barriers + (p-1)(α + nβ)",
                  alltoall_exchange_barriers, power_of_two},
        Algorithm{"exchange_one_barrier", Collective::alltoall, "simgrid:pair_one_barrier",
                  "a barrier, then pairwise_exchange", "a barrier + (p-1)(α + nβ)",
                  alltoall_exchange_one_barrier, power_of_two},
        Algorithm{"swap_in_place", Collective::alltoall, "mpich:pairwise_sendrecv_replace",
                  "for calls in place: pairs of blocks are swapped, one after the other", "(p-1)(α + nβ)",
                  alltoall_swap_in_place, [](const CollectiveCall& call) { return call.in_place; }},
        Algorithm{"bruck", Collective::alltoall, "openmpi:modified_bruck mpich:brucks simgrid:bruck",
                  "half of all blocks in each round, doubling distances; fanout: the radix, 2 by default",
                  "lg(p)(α + pn/2 β)", alltoall_bruck, always},
        Algorithm{"recursive_doubling", Collective::alltoall, "simgrid:rdb",
                  "everybody gathers everything and picks its blocks", "lg(p)α + (p-1)pnβ",
                  alltoall_recursive_doubling, always},
        Algorithm{"mesh_2d", Collective::alltoall, "simgrid:2dmesh",
                  "rows gather everything, columns pass it on", "2(√p - 1)α + (√p - 1)(p + √p)nβ",
                  alltoall_mesh_2d, [](const CollectiveCall& call) { return mesh_2d(call.size).has_value(); }},
        Algorithm{"mesh_3d", Collective::alltoall, "simgrid:3dmesh",
                  "planes gather everything, then pass it on", "3(∛p - 1)α + ...", alltoall_mesh_3d,
                  [](const CollectiveCall& call) { return mesh_3d(call.size).has_value(); }},
        Algorithm{"simgrid_scattered", Collective::alltoall, "simgrid:mvapich2_scatter_dest",
                  "scattered in batches of 4", "(p-1)(α + nβ)", simgrid_alltoall_scattered, always},
    };
    return rows;
}

std::span<const Algorithm> alltoallv_table() {
    static constexpr std::array rows{
        Algorithm{"linear", Collective::alltoallv, "literature:linear",
                  "everything at once, receives upwards from the next rank, sends downwards", "(p-1)(α + nβ)",
                  alltoall_linear, always},
        Algorithm{"linear_in_order", Collective::alltoallv,
                  "openmpi:basic_linear simgrid:ompi_basic_linear simgrid:default",
                  "everything at once, in the order of the ranks", "(p-1)(α + nβ)", alltoall_linear_in_order,
                  always},
        Algorithm{"linear_sync", Collective::alltoallv, "literature:linear_sync",
                  "as linear, with `fanout` messages each way at a time", "(p-1)(α + nβ)", alltoall_linear_sync,
                  always},
        Algorithm{"pairwise", Collective::alltoallv, "openmpi:pairwise",
                  "in step i to the rank i further on, from the rank i before", "(p-1)(α + nβ)",
                  alltoall_pairwise, always},
        Algorithm{
            "pairwise_exchange", Collective::alltoallv, "simgrid:pair simgrid:ring",
            "in step i with the rank whose number differs in the bits of i; pairwise if p is no power of two",
            "(p-1)(α + nβ)", alltoall_pairwise_exchange, power_of_two},
        Algorithm{"two_proc", Collective::alltoallv, "literature:two_proc",
                  "one exchange, for two ranks; pairwise otherwise", "α + nβ", alltoall_two_proc,
                  [](const CollectiveCall& call) { return call.size == 2; }},
        Algorithm{"scattered", Collective::alltoallv, "mpich:scattered",
                  "in batches of `fanout`, 32 by default", "(p-1)(α + nβ)", alltoall_scattered, always},
        Algorithm{"scattered_others", Collective::alltoallv, "simgrid:bruck",
                  "in batches of `fanout`, 4 by default, the own block being copied", "(p-1)(α + nβ)",
                  alltoall_scattered_others, always},
        Algorithm{"pairwise_light_barrier", Collective::alltoallv, "simgrid:ring_light_barrier",
                  "pairwise, a byte between partners before each step", "(p-1)(2α + nβ)",
                  alltoall_pairwise_light_barrier, always},
        Algorithm{"pairwise_barriers", Collective::alltoallv, "simgrid:ring_mpi_barrier",
                  "pairwise, a barrier before each step", "p barriers + (p-1)(α + nβ)",
                  alltoall_pairwise_barriers, always},
        Algorithm{"pairwise_one_barrier", Collective::alltoallv, "simgrid:ring_one_barrier",
                  "a barrier, then pairwise", "a barrier + (p-1)(α + nβ)", alltoall_pairwise_one_barrier,
                  always},
        Algorithm{"exchange_light_barrier", Collective::alltoallv, "simgrid:pair_light_barrier",
                  "pairwise_exchange, a byte between partners before each step", "(p-1)(2α + nβ)",
                  alltoall_exchange_light_barrier, power_of_two},
        Algorithm{"exchange_barriers", Collective::alltoallv, "simgrid:pair_mpi_barrier",
                  "pairwise_exchange, a barrier before each step", "p barriers + (p-1)(α + nβ)",
                  alltoall_exchange_barriers, power_of_two},
        Algorithm{"exchange_one_barrier", Collective::alltoallv, "simgrid:pair_one_barrier",
                  "a barrier, then pairwise_exchange", "a barrier + (p-1)(α + nβ)",
                  alltoall_exchange_one_barrier, power_of_two},
        Algorithm{"swap_in_place", Collective::alltoallv, "mpich:pairwise_sendrecv_replace",
                  "for calls in place: pairs of blocks are swapped, one after the other", "(p-1)(α + nβ)",
                  alltoall_swap_in_place, [](const CollectiveCall& call) { return call.in_place; }},
    };
    return rows;
}

std::span<const Algorithm> alltoallw_table() {
    static constexpr std::array rows{
        Algorithm{"linear", Collective::alltoallw, "literature:linear",
                  "everything at once, receives upwards from the next rank, sends downwards", "(p-1)(α + nβ)",
                  alltoall_linear, always},
        Algorithm{"linear_in_order", Collective::alltoallw, "openmpi:linear simgrid:default",
                  "everything at once, in the order of the ranks", "(p-1)(α + nβ)", alltoall_linear_in_order,
                  always},
        Algorithm{"linear_sync", Collective::alltoallw, "literature:linear_sync",
                  "as linear, with `fanout` messages each way at a time", "(p-1)(α + nβ)", alltoall_linear_sync,
                  always},
        Algorithm{"pairwise", Collective::alltoallw, "mpich:pairwise openmpi:pairwise",
                  "in step i to the rank i further on, from the rank i before", "(p-1)(α + nβ)",
                  alltoall_pairwise, always},
        Algorithm{
            "pairwise_exchange", Collective::alltoallw, "literature:pairwise_exchange",
            "in step i with the rank whose number differs in the bits of i; pairwise if p is no power of two",
            "(p-1)(α + nβ)", alltoall_pairwise_exchange, power_of_two},
        Algorithm{"two_proc", Collective::alltoallw, "literature:two_proc",
                  "one exchange, for two ranks; pairwise otherwise", "α + nβ", alltoall_two_proc,
                  [](const CollectiveCall& call) { return call.size == 2; }},
        Algorithm{"scattered", Collective::alltoallw, "mpich:scattered",
                  "in batches of `fanout`, 32 by default", "(p-1)(α + nβ)", alltoall_scattered, always},
        Algorithm{"scattered_others", Collective::alltoallw, "literature:scattered_others",
                  "in batches of `fanout`, 4 by default, the own block being copied", "(p-1)(α + nβ)",
                  alltoall_scattered_others, always},
        Algorithm{"swap_in_place", Collective::alltoallw, "mpich:pairwise_sendrecv_replace",
                  "for calls in place: pairs of blocks are swapped, one after the other", "(p-1)(α + nβ)",
                  alltoall_swap_in_place, [](const CollectiveCall& call) { return call.in_place; }},
    };
    return rows;
}

} // namespace orrery::coll
