#include "formats/ti/oti_encoder.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <xxhash.h>

namespace orrery::ti {

namespace {

std::uint8_t* put_varint(std::uint8_t* to, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::uint8_t>(value | 0x80);
    *to++ = static_cast<std::uint8_t>(value);
    return to;
}

void append_varint(std::string& to, std::uint64_t value) {
    std::array<std::uint8_t, 10> bytes{};
    const std::uint8_t* const end = put_varint(bytes.data(), value);
    to.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(end - bytes.data()));
}

std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

std::size_t varint_bytes(std::uint64_t value) {
    return value == 0 ? 1 : (static_cast<std::size_t>(std::bit_width(value)) + 6) / 7;
}

// All of an action but its line and counts. Returns the end.
std::uint8_t* put_record(std::uint8_t* to, const Action& action) {
    *to++ = static_cast<std::uint8_t>(code_record + static_cast<unsigned>(action.kind));
    if (action.kind == ActionKind::collective) {
        *to++ = static_cast<std::uint8_t>(static_cast<unsigned>(action.collective) |
                                          (action.nonblocking ? flag_nonblocking : 0) |
                                          (action.commutative ? 0 : flag_ordered));
    } else if (action.kind == ActionKind::one_sided) {
        *to++ = static_cast<std::uint8_t>(action.nonblocking ? flag_nonblocking : 0);
    }
    const unsigned rare = (action.more_bytes != 0 ? rare_more_bytes : 0) |
                          (action.volume != 0 ? rare_volume : 0) | (action.counts != 0 ? rare_counts : 0);
    const unsigned fields = (action.comm != 0 ? field_comm : 0) | (action.peer != 0 ? field_peer : 0) |
                            (action.other != 0 ? field_other : 0) | (action.tag != 0 ? field_tag : 0) |
                            (action.request != 0 ? field_request : 0) |
                            (action.element != 1 ? field_element : 0) | (action.bytes != 0 ? field_bytes : 0) |
                            (rare != 0 ? field_rare : 0);
    *to++ = static_cast<std::uint8_t>(fields);
    if (rare != 0) *to++ = static_cast<std::uint8_t>(rare);
    if ((fields & field_comm) != 0) to = put_varint(to, action.comm);
    if ((fields & field_peer) != 0) to = put_varint(to, action.peer + 1U);
    if ((fields & field_other) != 0) to = put_varint(to, action.other + 1U);
    if ((fields & field_tag) != 0) to = put_varint(to, action.tag + 1U);
    if ((fields & field_request) != 0) to = put_varint(to, action.request);
    if ((fields & field_element) != 0) to = put_varint(to, action.element);
    if ((fields & field_bytes) != 0) to = put_varint(to, action.bytes + 1U);
    if ((rare & rare_more_bytes) != 0) to = put_varint(to, action.more_bytes + 1U);
    if ((rare & rare_volume) != 0) {
        std::memcpy(to, &action.volume, sizeof action.volume);
        to += sizeof action.volume;
    }
    return to;
}

} // namespace

void SegmentEncoder::add(const Action& action, std::span<const Bytes> counts) {
    ++actions_;
    ++all_actions_;
    if (makes_request(action)) requests_ = std::max(requests_, std::uint64_t{action.request} + 1);
    if (action.kind == ActionKind::compute) {
        compute(action.volume);
    } else {
        std::array<std::uint8_t, longest_record> record{};
        const std::uint8_t* const end = put_record(record.data(), action);
        const auto size = static_cast<std::size_t>(end - record.data());
        assert(size <= longest_record);
        if (counts.empty()) {
            refer_or_append(record.data(), size);
        } else {
            payload_.append(reinterpret_cast<const char*>(record.data()), size);
            append_counts(counts);
        }
    }
    if (with_lines_) {
        append_varint(payload_, zigzag(static_cast<std::int64_t>(action.line - last_line_ - 1)));
        last_line_ = action.line;
    }
}

void SegmentEncoder::compute(double volume) {
    if (volume == last_volume_) {
        payload_.push_back(static_cast<char>(code_same_compute));
        return;
    }
    const bool integer = volume < largest_integer && std::trunc(volume) == volume;
    if (!integer) {
        payload_.push_back(static_cast<char>(code_compute_double));
        payload_.append(reinterpret_cast<const char*>(&volume), sizeof volume);
    } else {
        const auto value = static_cast<std::int64_t>(volume);
        const auto last = last_volume_ < largest_integer ? static_cast<std::int64_t>(last_volume_) : 0;
        const std::uint64_t difference = zigzag(value - last);
        if (varint_bytes(difference) < varint_bytes(static_cast<std::uint64_t>(value))) {
            payload_.push_back(static_cast<char>(code_compute_difference));
            append_varint(payload_, difference);
        } else {
            payload_.push_back(static_cast<char>(code_compute));
            append_varint(payload_, static_cast<std::uint64_t>(value));
        }
    }
    last_volume_ = volume;
}

void SegmentEncoder::refer_or_append(const std::uint8_t* record, std::size_t size) {
    std::size_t cell = XXH3_64bits(record, size) % cells;
    for (; table_[cell] != 0; cell = (cell + 1) % cells) {
        const std::size_t known = table_[cell] - 1U;
        if (sizes_[known] == size && std::memcmp(payload_.data() + starts_[known], record, size) == 0) {
            payload_.push_back(static_cast<char>(code_again + known));
            return;
        }
    }
    if (records_ < most_records && payload_.size() < record_range) {
        starts_[records_] = static_cast<std::uint16_t>(payload_.size());
        sizes_[records_] = static_cast<std::uint8_t>(size);
        table_[cell] = ++records_;
    }
    payload_.append(reinterpret_cast<const char*>(record), size);
}

void SegmentEncoder::append_counts(std::span<const Bytes> counts) {
    append_varint(payload_, counts.size());
    for (const Bytes count : counts) append_varint(payload_, count);
}

void SegmentEncoder::take(std::string& out) {
    const SegmentHeader header{static_cast<std::uint32_t>(payload_.size()), actions_,
                               static_cast<std::uint32_t>(XXH3_64bits(payload_.data(), payload_.size()))};
    out.append(reinterpret_cast<const char*>(&header), sizeof header);
    out.append(payload_);
    payload_.clear();
    table_.fill(0);
    records_ = 0;
    actions_ = 0;
    last_volume_ = 0;
    last_line_ = 0;
}

std::size_t segment_bytes(std::uint32_t ranks) {
    constexpr std::size_t all_ranks = std::size_t{64} << 20;
    return std::clamp<std::size_t>(all_ranks / std::max(ranks, 1U), 1024, 32'768);
}

} // namespace orrery::ti
