#include "formats/dimemas/dim_record.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace orrery::dimemas {

namespace {

// Fields between colons, from left to right.
class Fields {
  public:
    explicit Fields(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

    [[nodiscard]] bool done() const { return at_ == nullptr; }
    template <typename Number> bool read(Number& value) {
        if (at_ == nullptr) return false;
        const auto result = std::from_chars(at_, end_, value);
        if (result.ec != std::errc() || result.ptr == at_) return false;
        return next(result.ptr);
    }

  private:
    bool next(const char* at) {
        if (at == end_) {
            at_ = nullptr;
            return true;
        }
        if (*at != ':') return false;
        at_ = at + 1;
        return true;
    }
    const char* at_;
    const char* end_;
};

std::size_t count_of(std::string_view fields) {
    std::size_t count = 1;
    for (const char c : fields) count += c == ':' ? 1U : 0U;
    return count;
}

bool read_bytes(Fields& fields, Bytes& bytes) {
    std::int64_t value = 0;
    if (!fields.read(value) || value < 0) return false;
    bytes = static_cast<Bytes>(value);
    return bytes <= (Bytes{1} << 60);
}

const char* burst(Fields fields, DimRecord& record) {
    // A year is more than any run may last.
    if (!fields.read(record.seconds) || !fields.done() || !std::isfinite(record.seconds) ||
        record.seconds < 0 || record.seconds > 3.2e7)
        return "expected the seconds of a burst";
    return nullptr;
}

const char* message(std::string_view text, DimRecord& record, std::int32_t& last) {
    const std::size_t count = count_of(text);
    if (count != 5 && count != 6) return "expected peer:[thread:]bytes:tag:communicator:type of a message";
    Fields fields(text);
    if (!fields.read(record.peer) || record.peer < any_task) return "expected a task as the peer of a message";
    if (count == 6 && (!fields.read(record.peer_thread) || record.peer_thread < any_thread))
        return "expected a thread as the peer of a message";
    if (!read_bytes(fields, record.bytes)) return "expected the bytes of a message";
    if (!fields.read(record.tag)) return "expected the tag of a message";
    if (!fields.read(record.communicator)) return "expected the communicator of a message";
    if (!fields.read(last) || !fields.done()) return "expected the type of a message";
    return nullptr;
}

const char* send(std::string_view text, DimRecord& record) {
    std::int32_t how = 0;
    record.kind = RecordKind::send;
    if (const char* const fault = message(text, record, how)) return fault;
    if (how < 0 || how > 3) return "expected 0, 1, 2 or 3 as the type of a send";
    if (record.peer == any_task) return "expected a task to send to";
    record.rendezvous = (how & 1) != 0;
    record.immediate = (how & 2) != 0;
    return nullptr;
}

const char* receive(std::string_view text, DimRecord& record) {
    std::int32_t type = 0;
    if (const char* const fault = message(text, record, type)) return fault;
    switch (type) {
    case 0: record.kind = RecordKind::receive; return nullptr;
    case 1: record.kind = RecordKind::receive_no_wait; return nullptr;
    case 2: record.kind = RecordKind::wait; return nullptr;
    default: return "expected 0 (receive), 1 (nonblocking) or 2 (wait) as the type of a receive";
    }
}

const char* collective(std::string_view text, DimRecord& record) {
    Fields fields(text);
    std::uint32_t operation = 0;
    std::uint32_t synchrony = 1;
    record.kind = RecordKind::collective;
    if (!fields.read(operation)) return "expected the number of a collective operation";
    // 16 to 31 are the nonblocking forms of 0 to 15.
    const bool nonblocking = operation >= dim_collectives;
    if (nonblocking) operation -= dim_collectives;
    if (operation >= dim_collectives) return "expected the number of a collective operation, below 32";
    if (!fields.read(record.communicator)) return "expected the communicator of a collective";
    if (!fields.read(record.peer) || record.peer < 0) return "expected whether it is the root of a collective";
    if (!fields.read(record.peer_thread)) return "expected the root thread of a collective";
    if (!read_bytes(fields, record.bytes)) return "expected the bytes that a collective sends";
    if (!read_bytes(fields, record.bytes_received)) return "expected the bytes that a collective receives";
    if (!fields.done() && (!fields.read(synchrony) || synchrony > 3 || !fields.done()))
        return "expected 0, 1, 2 or 3 as the last field of a collective";
    record.operation = static_cast<std::uint8_t>(operation);
    record.synchrony = static_cast<Synchrony>(synchrony);
    if (nonblocking && record.synchrony == Synchrony::blocking) record.synchrony = Synchrony::nonblocking;
    if (record.synchrony == Synchrony::root_only && operation != dim_reduce)
        return "only MPI_Reduce (10) can wait for its root alone";
    return nullptr;
}

} // namespace

const char* split_line(std::string_view line, DimLine& split) {
    const char* at = line.data();
    const char* const end = at + line.size();
    for (std::uint32_t* const value : {&split.op, &split.task, &split.thread}) {
        const auto result = std::from_chars(at, end, *value);
        if (result.ec != std::errc() || result.ptr == at || (result.ptr != end && *result.ptr != ':'))
            return "expected a record of the form op:task:thread:fields";
        at = result.ptr == end ? end : result.ptr + 1;
        if (result.ptr == end && value != &split.thread) return "expected a record of the form op:task:thread";
    }
    split.fields = {at, static_cast<std::size_t>(end - at)};
    return nullptr;
}

const char* read_record(const DimLine& line, DimRecord& record) {
    record = {};
    switch (line.op) {
    case 0: return nullptr;
    case 1: record.kind = RecordKind::burst; return burst(Fields(line.fields), record);
    case 2: return send(line.fields, record);
    case 3: return receive(line.fields, record);
    case 10: return collective(line.fields, record);
    case 11: record.kind = RecordKind::gpu_burst; return burst(Fields(line.fields), record);
    case 20: {
        record.kind = RecordKind::event;
        Fields fields(line.fields);
        std::int64_t value = 0;
        if (!fields.read(record.type) || !fields.read(value) || !fields.done())
            return "expected the type and value of an event";
        record.value = static_cast<std::uint64_t>(value);
        return nullptr;
    }
    default: return "unknown record: expected 0, 1, 2, 3, 10, 11 or 20 at its beginning";
    }
}

} // namespace orrery::dimemas
