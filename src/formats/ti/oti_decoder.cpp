#include "formats/ti/oti_decoder.h"

#include "engine/error.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <xxhash.h>

namespace orrery::ti {

namespace {

constexpr std::size_t enough_counts_in_block = 4096;

[[noreturn]] void damaged(const std::string& file, const std::string& what) {
    throw InputError(Error{file, 0, 0, "the file is damaged: " + what});
}

std::int64_t unzigzag(std::uint64_t value) {
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

} // namespace

struct SegmentDecoder::Reader {
    const std::uint8_t* at;
    const std::uint8_t* end;
    const std::string& file;

    [[noreturn]] void fail(const std::string& what) const { damaged(file, what); }
    unsigned byte() {
        if (at == end) fail("a segment ends within an action");
        return *at++;
    }
    std::uint64_t varint() {
        if (at != end && *at < 0x80) return *at++;
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const unsigned next = byte();
            value |= std::uint64_t{next & 0x7F} << shift;
            if (next < 0x80) {
                if (shift == 63 && next > 1) break;
                return value;
            }
        }
        fail("a number is too long");
    }
    std::uint32_t small() { // below 2^32
        const std::uint64_t value = varint();
        if (value > 0xFFFF'FFFF) fail("a number is too large");
        return static_cast<std::uint32_t>(value);
    }
    double real() {
        if (end - at < 8) fail("a segment ends within an action");
        double value = 0;
        std::memcpy(&value, at, sizeof value);
        at += sizeof value;
        if (!(value >= 0) || !std::isfinite(value)) fail("a volume is not a number, or negative");
        return value;
    }
};

std::size_t SegmentDecoder::begin(std::span<const std::byte> bytes, const std::string& file) {
    SegmentHeader header;
    if (bytes.size() < sizeof header) damaged(file, "a segment is cut off");
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.bytes > bytes.size() - sizeof header) damaged(file, "a segment is cut off");
    if (header.actions == 0 || header.actions > header.bytes)
        damaged(file, "a segment has no actions, or too many");
    payload_ = reinterpret_cast<const std::uint8_t*>(bytes.data()) + sizeof header;
    if (static_cast<std::uint32_t>(XXH3_64bits(payload_, header.bytes)) != header.checksum)
        damaged(file, "the checksum of a segment is wrong");
    at_ = payload_;
    end_ = payload_ + header.bytes;
    left_ = header.actions;
    records_ = 0;
    last_volume_ = 0;
    last_line_ = 0;
    return sizeof header + header.bytes;
}

void SegmentDecoder::decode(std::size_t most, const OtiLimits& limits, const std::string& file, Window& out) {
    Reader in{at_, end_, file};
    std::size_t n = std::min<std::size_t>(most, left_);
    left_ -= static_cast<std::uint32_t>(n);
    for (; n > 0 && out.counts.size() <= enough_counts_in_block; --n) {
        Action& action = out.actions.emplace_back();
        const std::uint8_t* const start = in.at;
        const unsigned code = in.byte();
        if (code >= code_again) {
            const unsigned known = code - code_again;
            if (known >= records_) in.fail("an action refers to one that is not there");
            Reader earlier{payload_ + starts_[known], end_, file};
            const unsigned earlier_code = earlier.byte();
            record(earlier, earlier_code, limits, action, out);
        } else if (code < code_record) {
            compute(in, code, action);
        } else {
            record(in, code, limits, action, out);
            const auto offset = static_cast<std::size_t>(start - payload_);
            if (action.counts == 0 && records_ < most_records && offset < record_range)
                starts_[records_++] = static_cast<std::uint16_t>(offset);
        }
        if (limits.lines) {
            last_line_ += 1 + static_cast<std::uint64_t>(unzigzag(in.varint()));
            action.line = last_line_;
        }
    }
    left_ += static_cast<std::uint32_t>(n);
    at_ = in.at;
    if (left_ == 0 && at_ != end_) in.fail("a segment holds more than its actions");
}

void SegmentDecoder::compute(Reader& in, unsigned code, Action& action) {
    if (code == code_compute_double) {
        last_volume_ = in.real();
    } else if (code == code_compute || code == code_compute_difference) {
        std::uint64_t value = in.varint();
        if (code == code_compute_difference) {
            const auto last = last_volume_ < largest_integer ? static_cast<std::uint64_t>(last_volume_) : 0;
            value = last + static_cast<std::uint64_t>(unzigzag(value));
        }
        if (value > static_cast<std::uint64_t>(largest_integer)) in.fail("a volume is out of range");
        last_volume_ = static_cast<double>(value);
    } else if (code != code_same_compute) {
        in.fail("an action of an unknown kind");
    }
    action.volume = last_volume_;
}

void SegmentDecoder::record(Reader& in, unsigned code, const OtiLimits& limits, Action& action, Window& out) {
    const unsigned kind = code - code_record;
    if (kind >= action_kinds) in.fail("an action of an unknown kind");
    action.kind = static_cast<ActionKind>(kind);
    if (action.kind == ActionKind::collective) {
        const unsigned operation = in.byte();
        if ((operation & 63) >= collective_count) in.fail("an unknown collective operation");
        action.collective = static_cast<Collective>(operation & 63);
        action.nonblocking = (operation & flag_nonblocking) != 0;
        action.commutative = (operation & flag_ordered) == 0;
    } else if (action.kind == ActionKind::one_sided) {
        const unsigned flags = in.byte();
        if ((flags & ~flag_nonblocking) != 0) in.fail("a one-sided operation with unknown flags");
        action.nonblocking = flags != 0;
    }
    const unsigned fields = in.byte();
    const unsigned rare = (fields & field_rare) != 0 ? in.byte() : 0;
    if ((fields & field_comm) != 0) action.comm = in.small();
    if ((fields & field_peer) != 0) action.peer = in.small() - 1U;
    if ((fields & field_other) != 0) action.other = in.small() - 1U;
    if ((fields & field_tag) != 0) action.tag = in.small() - 1U;
    if ((fields & field_request) != 0) action.request = in.small();
    if ((fields & field_element) != 0) action.element = in.small();
    if ((fields & field_bytes) != 0) action.bytes = in.varint() - 1U;
    if ((rare & rare_more_bytes) != 0) action.more_bytes = in.varint() - 1U;
    if ((rare & rare_volume) != 0) action.volume = in.real();
    if ((rare & rare_counts) != 0) {
        const std::uint64_t n = in.varint();
        if (n == 0 || n > static_cast<std::uint64_t>(in.end - in.at)) in.fail("a list of counts is cut off");
        action.first_count = static_cast<std::uint32_t>(out.counts.size());
        action.counts = static_cast<std::uint32_t>(n);
        for (std::uint64_t i = 0; i < n; ++i) out.counts.push_back(in.varint());
    }
    if (const char* fault = fault_of(action, {out.counts.data() + action.first_count, action.counts}, limits))
        in.fail(fault);
}

} // namespace orrery::ti
