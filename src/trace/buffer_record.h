// An action as the application leaves it for the background thread: only the fields that its kind has.
//
//   head 8 bytes | times 16 (timed runs) | fields 8, 24 or 48 by kind | counts 8 each
//
// Plain copies, no encoding: that happens later, on the other thread.
#pragma once

#include "workload/action.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace orrery::trace {

// Ticks, see clock.h.
struct RecordTimes {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

enum class RecordLayout : std::uint8_t { volume, request, message, full };

struct RecordHead {
    ActionKind kind;
    Collective collective;
    RecordLayout layout;
    std::uint8_t flags; // 1 nonblocking, 2 commutative
    std::uint32_t comm;
};
static_assert(sizeof(RecordHead) == 8);

struct MessageFields {
    std::uint32_t peer, tag, request, other;
    Bytes bytes;
};
struct FullFields {
    std::uint32_t peer, other, tag, request, element, counts;
    Bytes bytes, more_bytes;
    double volume;
};

constexpr RecordLayout layout_of(ActionKind kind, bool counts) {
    if (counts) {
        return RecordLayout::full;
    }
    switch (kind) {
    case ActionKind::compute:
    case ActionKind::sleep: return RecordLayout::volume;
    case ActionKind::wait:
    case ActionKind::test:
    case ActionKind::forget:
    case ActionKind::comm_free: return RecordLayout::request;
    case ActionKind::send:
    case ActionKind::ssend:
    case ActionKind::isend:
    case ActionKind::issend:
    case ActionKind::recv:
    case ActionKind::irecv:
    case ActionKind::probe: return RecordLayout::message;
    default: return RecordLayout::full;
    }
}

constexpr std::size_t record_bytes(RecordLayout layout, bool timed, std::size_t counts) {
    constexpr std::size_t fields[] = {sizeof(double), sizeof(std::uint64_t), sizeof(MessageFields),
                                      sizeof(FullFields)};
    return sizeof(RecordHead) + (timed ? sizeof(RecordTimes) : 0) + fields[static_cast<std::size_t>(layout)] +
           counts * sizeof(Bytes);
}

// Writes exactly record_bytes() at `out`.
inline void pack_record(const Action& action, RecordLayout layout, const RecordTimes* times,
                        std::span<const Bytes> counts, std::byte* out) noexcept {
    const auto append = [&out](const auto& value) {
        std::memcpy(out, &value, sizeof value);
        out += sizeof value;
    };
    append(
        RecordHead{action.kind, action.collective, layout,
                   static_cast<std::uint8_t>((action.nonblocking ? 1U : 0U) | (action.commutative ? 2U : 0U)),
                   action.comm});
    if (times != nullptr) {
        append(*times);
    }
    switch (layout) {
    case RecordLayout::volume: append(action.volume); return;
    case RecordLayout::request: append(std::uint64_t{action.request}); return;
    case RecordLayout::message:
        append(MessageFields{action.peer, action.tag, action.request, action.other, action.bytes});
        return;
    case RecordLayout::full:
        append(FullFields{action.peer, action.other, action.tag, action.request, action.element,
                          static_cast<std::uint32_t>(counts.size()), action.bytes, action.more_bytes,
                          action.volume});
        if (!counts.empty()) {
            std::memcpy(out, counts.data(), counts.size_bytes());
        }
        return;
    }
}

struct UnpackedRecord {
    Action action;
    RecordTimes times;
    std::span<const Bytes> counts; // in the buffer
    std::size_t bytes = 0;         // of the record
};
UnpackedRecord unpack_record(const std::byte* in, bool timed) noexcept;

} // namespace orrery::trace
