#include "formats/dimemas/dim_collectives.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace orrery::dimemas {

namespace {

constexpr std::array<Collective, dim_collectives> operations{
    Collective::barrier,        Collective::bcast,
    Collective::gather,         Collective::gatherv,
    Collective::scatter,        Collective::scatterv,
    Collective::allgather,      Collective::allgatherv,
    Collective::alltoall,       Collective::alltoallv,
    Collective::reduce,         Collective::allreduce,
    Collective::reduce_scatter, Collective::reduce_scatter_block,
    Collective::scan,           Collective::alltoallw,
};

Bytes sum(std::span<const Bytes> counts) { return std::accumulate(counts.begin(), counts.end(), Bytes{0}); }

} // namespace

bool is_rooted(std::uint8_t operation) { return (operation >= 1 && operation <= 5) || operation == dim_reduce; }

bool is_uneven(std::uint8_t operation) {
    switch (operations[operation]) {
    case Collective::gatherv:
    case Collective::scatterv:
    case Collective::allgatherv:
    case Collective::alltoallv:
    case Collective::alltoallw:
    case Collective::reduce_scatter: return true;
    default: return false;
    }
}

void fill_collective(const DimRecord& record, std::uint32_t size, Action& action) {
    const Bytes sent = record.bytes;
    const Bytes received = record.bytes_received;
    action.collective = operations[record.operation];
    switch (action.collective) {
    case Collective::gatherv: action.collective = Collective::gather; [[fallthrough]];
    case Collective::gather: action.bytes = sent; break;
    case Collective::allgatherv: action.collective = Collective::allgather; [[fallthrough]];
    case Collective::allgather: action.bytes = sent; break;
    case Collective::scatterv: action.collective = Collective::scatter; [[fallthrough]];
    case Collective::scatter: action.bytes = received; break;
    case Collective::alltoallv:
    case Collective::alltoallw:
        action.collective = Collective::alltoall;
        action.bytes = (sent + size - 1) / std::max<std::uint32_t>(size, 1);
        break;
    case Collective::alltoall: action.bytes = sent; break;
    case Collective::reduce_scatter: action.collective = Collective::reduce_scatter_block; [[fallthrough]];
    case Collective::reduce_scatter_block: action.bytes = received; break;
    default: action.bytes = std::max(sent, received); break;
    }
}

std::optional<std::uint8_t> dim_number(Collective operation) {
    if (operation == Collective::exscan) operation = Collective::scan;
    const auto found = std::find(operations.begin(), operations.end(), operation);
    if (found == operations.end()) return std::nullopt;
    return static_cast<std::uint8_t>(found - operations.begin());
}

DimRecord collective_record(const CollectiveCall& call, std::uint8_t number) {
    DimRecord record;
    record.kind = RecordKind::collective;
    record.operation = number;
    const bool root = call.rank == call.root;
    const Bytes all = call.bytes * call.size;
    Bytes& sent = record.bytes;
    Bytes& received = record.bytes_received;
    switch (call.operation) {
    case Collective::barrier: break;
    case Collective::bcast:
        sent = root ? call.bytes : 0;
        received = root ? 0 : call.bytes;
        break;
    case Collective::gather:
    case Collective::gatherv:
        sent = call.receive_counts.empty() ? call.bytes : call.receive_counts[call.rank];
        received = !root ? 0 : call.receive_counts.empty() ? all : sum(call.receive_counts);
        break;
    case Collective::scatter:
    case Collective::scatterv:
        received = call.send_counts.empty() ? call.bytes : call.send_counts[call.rank];
        sent = !root ? 0 : call.send_counts.empty() ? all : sum(call.send_counts);
        break;
    case Collective::allgather:
        sent = call.bytes;
        received = all;
        break;
    case Collective::allgatherv:
        sent = call.receive_counts[call.rank];
        received = sum(call.receive_counts);
        break;
    case Collective::alltoall:
        sent = call.bytes;
        received = all;
        break;
    case Collective::alltoallv:
    case Collective::alltoallw:
        sent = sum(call.send_counts);
        received = sum(call.receive_counts);
        break;
    case Collective::reduce:
        sent = call.bytes;
        received = root ? call.bytes : 0;
        break;
    case Collective::reduce_scatter:
        sent = sum(call.receive_counts);
        received = call.receive_counts[call.rank];
        break;
    case Collective::reduce_scatter_block:
        sent = all;
        received = call.bytes;
        break;
    default: sent = received = call.bytes; break;
    }
    return record;
}

} // namespace orrery::dimemas
