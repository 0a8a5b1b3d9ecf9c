#include "trace/buffer_record.h"

namespace orrery::trace {

UnpackedRecord unpack_record(const std::byte* in, bool timed) noexcept {
    const std::byte* const first = in;
    const auto take = [&in](auto& value) {
        std::memcpy(&value, in, sizeof value);
        in += sizeof value;
    };
    UnpackedRecord record;
    Action& action = record.action;
    RecordHead head{};
    take(head);
    action.kind = head.kind;
    action.collective = head.collective;
    action.nonblocking = (head.flags & 1U) != 0;
    action.commutative = (head.flags & 2U) != 0;
    action.comm = head.comm;
    if (timed) {
        take(record.times);
    }
    switch (head.layout) {
    case RecordLayout::volume: take(action.volume); break;
    case RecordLayout::request: {
        std::uint64_t request = 0;
        take(request);
        action.request = static_cast<std::uint32_t>(request);
        break;
    }
    case RecordLayout::message: {
        MessageFields fields{};
        take(fields);
        action.peer = fields.peer;
        action.tag = fields.tag;
        action.request = fields.request;
        action.other = fields.other;
        action.bytes = fields.bytes;
        break;
    }
    case RecordLayout::full: {
        FullFields fields{};
        take(fields);
        action.peer = fields.peer;
        action.other = fields.other;
        action.tag = fields.tag;
        action.request = fields.request;
        action.element = fields.element;
        action.counts = fields.counts;
        action.bytes = fields.bytes;
        action.more_bytes = fields.more_bytes;
        action.volume = fields.volume;
        // Records are multiples of 8 bytes in a buffer that begins at a page: the counts are aligned.
        record.counts = {reinterpret_cast<const Bytes*>(in), fields.counts};
        in += record.counts.size_bytes();
        break;
    }
    }
    record.bytes = static_cast<std::size_t>(in - first);
    return record;
}

} // namespace orrery::trace
