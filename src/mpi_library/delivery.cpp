#include "mpi_library/delivery.h"

#include "function_ids.h"
#include "mpi_library/collective_data.h"
#include "mpi_library/payload.h"
#include "mpi_library/rma/operation.h"
#include "mpi_library/rma/window.h"

#include <fmt/format.h>
#include <string>

namespace orrery::emulate {

Delivery delivery;

namespace {

const char* call_name(std::uint32_t call) { return mpi::name_of(static_cast<mpi::FunctionId>(call)); }

// "in the receive buffer of MPI_Recv (40 bytes at 0x1000)"
std::string buffer_words(const Payload& payload, bool receive) {
    const char* const kind = receive ? "receive" : "send";
    if (payload.collective != nullptr) return fmt::format("in a buffer of {}", call_name(payload.call));
    return fmt::format("in the {} buffer of {} ({} bytes at {})", kind, call_name(payload.call), payload.bytes,
                       fmt::ptr(payload.address));
}

// Where the address tells nothing (the kernel does not say which one was wrong) a buffer beyond all addresses
// is the culprit.
bool beyond_addresses(const Payload& payload) {
    const auto at = reinterpret_cast<std::uint64_t>(payload.address);
    return payload.collective == nullptr && at >> 47U != 0;
}

FaultWords message_words(const Payload& from, const Payload* to, bool writes) {
    if (to == nullptr) return {from.rank, buffer_words(from, false)};
    const bool receiver = (writes || beyond_addresses(*to)) && !beyond_addresses(from);
    if (receiver)
        return {to->rank, fmt::format("{}, for a message from rank {}", buffer_words(*to, true), from.rank)};
    return {from.rank, fmt::format("{}, with a message to rank {}", buffer_words(from, false), to->rank)};
}

FaultWords one_sided_words(const mpi::Operation& operation, const void* address) {
    const auto* const at = static_cast<const std::byte*>(address);
    const auto* const target = static_cast<const std::byte*>(operation.target.address);
    const bool there = at >= target && at < target + operation.bytes;
    const std::uint32_t origin = operation.from->world_rank();
    const std::uint32_t owner = operation.to->world_rank();
    if (there) return {owner, fmt::format("in its window, by a one-sided call of rank {}", origin)};
    return {origin, fmt::format("in the buffer of its one-sided call to rank {}", owner)};
}

} // namespace

std::optional<FaultWords> delivery_words(const void* address, bool writes) {
    if (delivery.from != nullptr) return message_words(*delivery.from, delivery.to, writes);
    if (delivery.within != nullptr)
        return FaultWords{delivery.within->rank,
                          fmt::format("in a buffer of {}", call_name(delivery.within->call))};
    if (delivery.one_sided != nullptr) return one_sided_words(*delivery.one_sided, address);
    return std::nullopt;
}

} // namespace orrery::emulate
