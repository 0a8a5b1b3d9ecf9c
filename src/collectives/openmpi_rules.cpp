// The fixed decisions of Open MPI 4.1 (coll_tuned_decision_fixed.c), as tables of thresholds. SimGrid's
// selector `ompi` has the same thresholds and other algorithms behind the numbers.
#include "collectives/openmpi_rules.h"

#include <array>

namespace orrery::coll {

namespace {

// Ranks below, bytes below, algorithm; the first that holds. The bytes are those of one block for gather,
// scatter, allgather, alltoall and reduce_scatter_block, of an average block for allgatherv, of all data
// otherwise.
// clang-format off

constexpr std::array<OpenMpiRule, 8> barrier_rules{{
    {4, any_bytes, 3},
    {8, any_bytes, 1},
    {64, any_bytes, 3},
    {256, any_bytes, 4},
    {512, any_bytes, 6},
    {1024, any_bytes, 4},
    {4096, any_bytes, 6},
    {any_ranks, any_bytes, 4},
}};
constexpr std::array<OpenMpiRule, 44> bcast_rules{{
    {4, 32, 3}, {4, 256, 5}, {4, 512, 3}, {4, 1024, 7}, {4, 32768, 1}, {4, 131072, 5}, {4, 262144, 2},
    {4, 524288, 1}, {4, 1048576, 6}, {4, any_bytes, 5},
    {8, 64, 5}, {8, 128, 6}, {8, 2048, 5}, {8, 8192, 6}, {8, 1048576, 1}, {8, any_bytes, 2},
    {16, 8, 7}, {16, 64, 5}, {16, 4096, 7}, {16, 16384, 5}, {16, 32768, 6}, {16, any_bytes, 1},
    {32, 4096, 7}, {32, 1048576, 6}, {32, any_bytes, 8},
    {64, 2048, 6}, {64, any_bytes, 7},
    {128, any_bytes, 7},
    {256, 2, 6}, {256, 16384, 5}, {256, 32768, 1}, {256, 65536, 5}, {256, any_bytes, 7},
    {1024, 16384, 7}, {1024, 32768, 4}, {1024, any_bytes, 7},
    {2048, 524288, 7}, {2048, any_bytes, 8},
    {4096, 262144, 7}, {4096, any_bytes, 8},
    {any_ranks, 8192, 7}, {any_ranks, 16384, 5}, {any_ranks, 262144, 7}, {any_ranks, any_bytes, 8},
}};
constexpr std::array<OpenMpiRule, 16> gather_rules{{
    {4, 2, 3}, {4, 4, 1}, {4, 32768, 2}, {4, 65536, 1}, {4, 131072, 2}, {4, any_bytes, 3},
    {8, 1024, 2}, {8, 8192, 1}, {8, 32768, 2}, {8, 262144, 1}, {8, any_bytes, 3},
    {256, any_bytes, 2},
    {512, 2048, 2}, {512, 8192, 1}, {512, any_bytes, 2},
    {any_ranks, any_bytes, 2},
}};
constexpr std::array<OpenMpiRule, 22> scatter_rules{{
    {4, 2, 3}, {4, 131072, 1}, {4, 262144, 3}, {4, any_bytes, 1},
    {8, 2048, 2}, {8, 4096, 1}, {8, 8192, 2}, {8, 32768, 1}, {8, 1048576, 3}, {8, any_bytes, 1},
    {16, 16384, 2}, {16, 1048576, 3}, {16, any_bytes, 1},
    {32, 16384, 2}, {32, 32768, 1}, {32, any_bytes, 3},
    {64, 512, 2}, {64, 8192, 3}, {64, 16384, 2}, {64, any_bytes, 3},
    {any_ranks, 512, 2}, {any_ranks, any_bytes, 3},
}};
constexpr std::array<OpenMpiRule, 43> allgather_rules{{
    {3, any_bytes, 6},
    {32, any_bytes, 3},
    {64, 1024, 3}, {64, 65536, 5}, {64, any_bytes, 4},
    {128, 512, 3}, {128, 65536, 5}, {128, any_bytes, 4},
    {256, 512, 3}, {256, 131072, 5}, {256, 524288, 4}, {256, 1048576, 5}, {256, any_bytes, 4},
    {512, 32, 3}, {512, 128, 2}, {512, 1024, 3}, {512, 131072, 5}, {512, 524288, 4}, {512, 1048576, 5},
    {512, any_bytes, 4},
    {1024, 64, 3}, {1024, 256, 2}, {1024, 2048, 3}, {1024, any_bytes, 5},
    {2048, 4, 3}, {2048, 8, 2}, {2048, 16, 3}, {2048, 32, 2}, {2048, 256, 3}, {2048, 512, 2}, {2048, 4096, 3},
    {2048, any_bytes, 5},
    {4096, 32, 2}, {4096, 128, 3}, {4096, 512, 2}, {4096, 4096, 3}, {4096, any_bytes, 5},
    {any_ranks, 2, 3}, {any_ranks, 8, 2}, {any_ranks, 16, 3}, {any_ranks, 512, 2}, {any_ranks, 4096, 3},
    {any_ranks, any_bytes, 5},
}};
constexpr std::array<OpenMpiRule, 33> allgatherv_rules{{
    {3, 2048, 3}, {3, 4096, 5}, {3, 8192, 3}, {3, any_bytes, 5},
    {8, 256, 1}, {8, 4096, 4}, {8, 8192, 3}, {8, 16384, 4}, {8, 262144, 2}, {8, any_bytes, 4},
    {16, 1024, 1}, {16, any_bytes, 2},
    {32, 128, 1}, {32, 262144, 2}, {32, any_bytes, 3},
    {64, 256, 1}, {64, 8192, 2}, {64, any_bytes, 3},
    {128, 256, 1}, {128, 4096, 2}, {128, any_bytes, 3},
    {256, 1024, 2}, {256, 65536, 4}, {256, any_bytes, 3},
    {512, 1024, 2}, {512, any_bytes, 3},
    {1024, 512, 2}, {1024, 1024, 1}, {1024, 4096, 2}, {1024, 1048576, 4}, {1024, any_bytes, 3},
    {any_ranks, 4096, 2}, {any_ranks, any_bytes, 4},
}};
constexpr std::array<OpenMpiRule, 64> alltoall_rules{{
    {3, 2, 2}, {3, 4, 5}, {3, 16, 2}, {3, 64, 5}, {3, 256, 2}, {3, 4096, 5}, {3, 32768, 2}, {3, 262144, 4},
    {3, 1048576, 5}, {3, any_bytes, 2},
    {8, 8192, 4}, {8, 16384, 1}, {8, 65536, 4}, {8, 524288, 1}, {8, 1048576, 2}, {8, any_bytes, 1},
    {16, 262144, 4}, {16, any_bytes, 1},
    {32, 4, 4}, {32, 512, 3}, {32, 8192, 4}, {32, 32768, 1}, {32, 262144, 4}, {32, 524288, 1}, {32, any_bytes, 4},
    {64, 512, 3}, {64, 524288, 1}, {64, any_bytes, 4},
    {128, 1024, 3}, {128, 2048, 1}, {128, 4096, 4}, {128, 262144, 1}, {128, any_bytes, 2},
    {256, 1024, 3}, {256, 2048, 4}, {256, 262144, 1}, {256, any_bytes, 2},
    {512, 1024, 3}, {512, 8192, 4}, {512, 32768, 1}, {512, any_bytes, 2},
    {1024, 512, 3}, {1024, 8192, 4}, {1024, 16384, 1}, {1024, 131072, 4}, {1024, 262144, 1}, {1024, any_bytes, 2},
    {2048, 512, 3}, {2048, 1024, 4}, {2048, 2048, 1}, {2048, 16384, 4}, {2048, 262144, 1}, {2048, any_bytes, 4},
    {4096, 1024, 3}, {4096, 4096, 4}, {4096, 8192, 1}, {4096, 131072, 4}, {4096, any_bytes, 1},
    {any_ranks, 2048, 3}, {any_ranks, 8192, 4}, {any_ranks, 16384, 1}, {any_ranks, 32768, 4}, {any_ranks, 65536, 1},
    {any_ranks, any_bytes, 4},
}};
constexpr std::array<OpenMpiRule, 6> alltoallv_rules{{
    {4, any_bytes, 2},
    {64, any_bytes, 1},
    {128, any_bytes, 2},
    {256, any_bytes, 1},
    {1024, any_bytes, 2},
    {any_ranks, any_bytes, 1},
}};
constexpr std::array<OpenMpiRule, 13> reduce_ordered_rules{{
    {4, 8, 6}, {4, any_bytes, 1},
    {8, any_bytes, 1},
    {16, 1024, 6}, {16, 8192, 1}, {16, 16384, 6}, {16, 262144, 1}, {16, any_bytes, 6},
    {128, any_bytes, 6},
    {256, 512, 6}, {256, 1024, 1}, {256, any_bytes, 6},
    {any_ranks, any_bytes, 6},
}};
constexpr std::array<OpenMpiRule, 34> reduce_rules{{
    {4, 8, 7}, {4, 16, 4}, {4, 32, 3}, {4, 262144, 1}, {4, 524288, 3}, {4, 1048576, 2}, {4, any_bytes, 3},
    {8, 4096, 4}, {8, 65536, 2}, {8, 262144, 5}, {8, 524288, 1}, {8, 1048576, 5}, {8, any_bytes, 1},
    {16, 8192, 4}, {16, any_bytes, 5},
    {32, 4096, 4}, {32, any_bytes, 5},
    {256, any_bytes, 5},
    {512, 8192, 5}, {512, 16384, 6}, {512, any_bytes, 5},
    {2048, any_bytes, 5},
    {4096, 512, 5}, {4096, 1024, 6}, {4096, 8192, 5}, {4096, 16384, 6}, {4096, any_bytes, 5},
    {any_ranks, 16, 5}, {any_ranks, 32, 6}, {any_ranks, 1024, 5}, {any_ranks, 2048, 6}, {any_ranks, 8192, 5},
    {any_ranks, 16384, 6}, {any_ranks, any_bytes, 5},
}};
constexpr std::array<OpenMpiRule, 14> allreduce_ordered_rules{{
    {4, 131072, 3}, {4, any_bytes, 1},
    {8, any_bytes, 3},
    {16, 1048576, 3}, {16, any_bytes, 2},
    {128, any_bytes, 3},
    {256, 131072, 2}, {256, 524288, 3}, {256, any_bytes, 2},
    {512, 4096, 2}, {512, 524288, 3}, {512, any_bytes, 2},
    {any_ranks, 2048, 2}, {any_ranks, any_bytes, 3},
}};
constexpr std::array<OpenMpiRule, 35> allreduce_rules{{
    {4, 8, 4}, {4, 4096, 3}, {4, 8192, 4}, {4, 16384, 3}, {4, 65536, 4}, {4, 262144, 5}, {4, any_bytes, 6},
    {8, 16, 4}, {8, 8192, 3}, {8, any_bytes, 6},
    {16, 8192, 3}, {16, any_bytes, 6},
    {32, 64, 5}, {32, 4096, 3}, {32, any_bytes, 6},
    {64, 128, 5}, {64, any_bytes, 6},
    {128, 262144, 3}, {128, any_bytes, 6},
    {256, 131072, 2}, {256, 262144, 3}, {256, any_bytes, 6},
    {512, 4096, 2}, {512, any_bytes, 6},
    {2048, 2048, 2}, {2048, 16384, 3}, {2048, any_bytes, 6},
    {4096, 2048, 2}, {4096, 4096, 5}, {4096, 16384, 3}, {4096, any_bytes, 6},
    {any_ranks, 2048, 2}, {any_ranks, 16384, 5}, {any_ranks, 32768, 3}, {any_ranks, any_bytes, 6},
}};
constexpr std::array<OpenMpiRule, 1> reduce_scatter_ordered_rules{{
    {any_ranks, any_bytes, 1},
}};
constexpr std::array<OpenMpiRule, 39> reduce_scatter_rules{{
    {4, 65536, 3}, {4, 131072, 4}, {4, any_bytes, 3},
    {8, 8, 1}, {8, 262144, 2}, {8, any_bytes, 3},
    {32, 262144, 2}, {32, any_bytes, 3},
    {64, 64, 1}, {64, 2048, 2}, {64, 524288, 4}, {64, any_bytes, 3},
    {128, 256, 1}, {128, 512, 2}, {128, 2048, 4}, {128, 4096, 2}, {128, any_bytes, 4},
    {256, 256, 1}, {256, 512, 2}, {256, any_bytes, 4},
    {512, 256, 1}, {512, 1024, 2}, {512, any_bytes, 4},
    {1024, 512, 1}, {1024, 2048, 2}, {1024, 8192, 4}, {1024, 16384, 2}, {1024, any_bytes, 4},
    {2048, 512, 1}, {2048, 4096, 2}, {2048, 16384, 4}, {2048, 32768, 2}, {2048, any_bytes, 4},
    {4096, 512, 1}, {4096, 4096, 2}, {4096, any_bytes, 4},
    {any_ranks, 1024, 1}, {any_ranks, 8192, 2}, {any_ranks, any_bytes, 4},
}};
constexpr std::array<OpenMpiRule, 1> reduce_scatter_block_ordered_rules{{
    {any_ranks, any_bytes, 1},
}};
constexpr std::array<OpenMpiRule, 32> reduce_scatter_block_rules{{
    {4, 4, 2}, {4, 8, 4}, {4, 16, 3}, {4, 128, 4}, {4, 256, 3}, {4, 4096, 4}, {4, 8192, 3}, {4, 131072, 4},
    {4, any_bytes, 1},
    {8, 8, 3}, {8, 32, 2}, {8, 256, 4}, {8, 8192, 3}, {8, 16384, 4}, {8, 1048576, 3}, {8, any_bytes, 1},
    {16, 4, 1}, {16, 32, 3}, {16, 128, 4}, {16, 524288, 3}, {16, 4194304, 1}, {16, any_bytes, 4},
    {32, 32, 1}, {32, 524288, 3}, {32, 2097152, 1}, {32, 4194304, 3}, {32, any_bytes, 4},
    {any_ranks, 4, 3}, {any_ranks, 16, 1}, {any_ranks, 65536, 4}, {any_ranks, 262144, 1}, {any_ranks, any_bytes, 4},
}};
// clang-format on

} // namespace

std::span<const OpenMpiRule> openmpi_rules(Collective operation, bool commutative) {
    switch (operation) {
    case Collective::barrier: return barrier_rules;
    case Collective::bcast: return bcast_rules;
    case Collective::gather: return gather_rules;
    case Collective::scatter: return scatter_rules;
    case Collective::allgather: return allgather_rules;
    case Collective::allgatherv: return allgatherv_rules;
    case Collective::alltoall: return alltoall_rules;
    case Collective::alltoallv: return alltoallv_rules;
    case Collective::reduce:
        if (commutative) return reduce_rules;
        return reduce_ordered_rules;
    case Collective::allreduce:
        if (commutative) return allreduce_rules;
        return allreduce_ordered_rules;
    case Collective::reduce_scatter:
        if (commutative) return reduce_scatter_rules;
        return reduce_scatter_ordered_rules;
    case Collective::reduce_scatter_block:
        if (commutative) return reduce_scatter_block_rules;
        return reduce_scatter_block_ordered_rules;
    default: return {};
    }
}

const OpenMpiRule* openmpi_rule(Collective operation, bool commutative, std::uint32_t ranks, Bytes bytes) {
    for (const OpenMpiRule& rule : openmpi_rules(operation, commutative)) {
        const bool fits = ranks < rule.ranks_below || rule.ranks_below == any_ranks;
        if (fits && (bytes < rule.bytes_below || rule.bytes_below == any_bytes)) return &rule;
    }
    return nullptr;
}

int openmpi_decision(Collective operation, bool commutative, std::uint32_t ranks, Bytes bytes) {
    const OpenMpiRule* const rule = openmpi_rule(operation, commutative, ranks, bytes);
    return rule == nullptr ? 0 : rule->algorithm;
}

} // namespace orrery::coll
