// Sends, receives and requests.
#include "formats/allprof/rank_parser_state.h"
#include "workload/op.h"

#include <fmt/format.h>
#include <limits>
#include <vector>

namespace orrery::allprof {

namespace {

using What = RequestTable::What;

constexpr std::uint64_t largest_fortran_handle = 0xFFFF; // in Open MPI; in C they are addresses

} // namespace

void RankParser::point_to_point(const CallInfo& info) {
    switch (info.kind) {
    case CallKind::send:
    case CallKind::recv: send_or_recv(info); break;
    case CallKind::sendrecv: sendrecv(false); break;
    case CallKind::sendrecv_replace: sendrecv(true); break;
    case CallKind::send_init:
    case CallKind::recv_init: make_persistent(info); break;
    case CallKind::start: start_persistent(false); break;
    case CallKind::startall: start_persistent(true); break;
    case CallKind::request_free:
        line_.expect_arguments(1);
        requests_.free(line_.address(0));
        break;
    case CallKind::cancel:
        line_.expect_arguments(1);
        requests_.cancel(line_.address(0));
        break;
    case CallKind::probe:
        carried_ = gap(); // what it waits for, the receive that follows will wait for
        end_call();
        break;
    case CallKind::message_probe: message_probe(info); break;
    case CallKind::message_recv: message_recv(info); break;
    default: break;
    }
}

RankParser::Peer RankParser::peer(std::size_t argument, std::uint32_t comm_index, bool receives) const {
    const std::uint32_t size = out_.comms[comm_index].size;
    const std::int64_t value = line_.integer(argument);
    if (value >= 0 && value < std::int64_t{size}) return {static_cast<std::uint32_t>(value), false};
    const bool mpich = library_ == MpiLibrary::mpich;
    if (value == (mpich ? -1 : -2)) return {0, true};
    if (receives && value == (mpich ? -2 : -1)) return {any_source, false};
    if (value >= 0) line_.fail(argument, fmt::format("rank {} in a communicator of {} ranks", value, size));
    line_.fail(argument, fmt::format("rank {} means nothing to {}; is this a trace of {} (--mpi)?", value,
                                     mpich ? "MPICH" : "Open MPI", mpich ? "Open MPI" : "MPICH"));
}

std::uint32_t RankParser::tag(std::size_t argument, bool receives) const {
    const std::int64_t value = line_.integer(argument);
    if (receives && value == -1) return any_tag; // MPI_ANY_TAG, in both libraries
    if (value < 0 || value > std::numeric_limits<std::int32_t>::max()) {
        line_.fail(argument,
                   fmt::format("tag {}: expected 0 to {}", value, std::numeric_limits<std::int32_t>::max()));
    }
    return static_cast<std::uint32_t>(value);
}

std::uint32_t RankParser::request_stride(std::uint32_t comm_index) const {
    return library_ == MpiLibrary::mpich || out_.comms[comm_index].handle <= largest_fortran_handle ? 4 : 8;
}

void RankParser::wait_before_this_call(std::uint32_t slot) {
    Record record = make_record(RecordKind::wait);
    record.gap = gap();
    requests_.require(push(record), slot);
    last_end_ = line_.start();
}

void RankParser::add_message(RecordKind kind, std::uint32_t comm_index, Peer peer, std::uint32_t tag,
                             std::uint64_t bytes, const CallInfo& info, std::uint64_t request) {
    const std::uint32_t stride = request_stride(comm_index);
    if (info.nonblocking) {
        const std::uint32_t slot = requests_.displace(request);
        if (slot != no_slot) wait_before_this_call(slot);
    }
    if (peer.nobody) {
        if (info.nonblocking) requests_.post(request, What::nothing, stride, next_record());
        return; // takes next to no time, which counts as computing
    }
    Record record = make_record(kind);
    record.comm = comm_index;
    record.peer = peer.rank;
    record.tag = tag;
    record.bytes = bytes;
    record.gap = gap();
    if (info.nonblocking || info.buffered) record.flags = record_flag::nonblocking;
    if (info.nonblocking) {
        const What what = info.buffered ? What::nothing : kind == RecordKind::send ? What::send : What::recv;
        record.slot = requests_.post(request, what, stride, next_record());
    }
    push(record);
    end_call();
}

void RankParser::send_or_recv(
    const CallInfo& info) { // buffer, count, datatype, peer, tag, comm, request or status
    const bool receives = info.kind == CallKind::recv;
    line_.expect_arguments(receives || info.nonblocking ? 7 : 6);
    const std::uint32_t on = comm(5);
    add_message(receives ? RecordKind::recv : RecordKind::send, on, peer(3, on, receives), tag(4, receives),
                line_.bytes(1, 2), info, info.nonblocking ? line_.address(6) : 0);
}

// sendbuf, count, type, dest, tag, recvbuf, count, type, source, tag, comm, status; with one buffer:
// buffer, count, type, dest, tag, source, tag, comm, status
void RankParser::sendrecv(bool replace) {
    line_.expect_arguments(replace ? 9 : 12);
    const std::uint32_t on = comm(replace ? 7 : 10);
    const std::size_t receiving = replace ? 5 : 8; // the source; its tag follows
    const Peer to = peer(3, on, false);
    const Peer from = peer(receiving, on, true);
    Record out = make_record(RecordKind::send);
    out.comm = on;
    out.peer = to.rank;
    out.tag = tag(4, false);
    out.bytes = line_.bytes(1, 2);
    Record in = make_record(RecordKind::recv);
    in.comm = on;
    in.peer = from.rank;
    in.tag = tag(receiving + 1, true);
    in.bytes = replace ? out.bytes : line_.bytes(6, 7);
    if (to.nobody && from.nobody) return;
    (from.nobody ? out : in).gap = gap();
    if (!from.nobody) out.flags |= record_flag::joined;
    if (!to.nobody) push(out);
    if (!from.nobody) push(in);
    end_call();
}

void RankParser::make_persistent(const CallInfo& info) {
    line_.expect_arguments(7);
    const bool receives = info.kind == CallKind::recv_init;
    const std::uint32_t on = comm(5);
    const Peer other = peer(3, on, receives);
    Record record = make_record(receives ? RecordKind::recv : RecordKind::send);
    record.comm = on;
    record.peer = other.rank;
    record.tag = tag(4, receives);
    record.bytes = line_.bytes(1, 2);
    record.flags = record_flag::nonblocking;
    if (other.nobody) record.flags |= record_flag::dropped;
    const std::uint64_t request = line_.address(6);
    const std::uint32_t slot = requests_.displace(request);
    if (slot != no_slot) wait_before_this_call(slot);
    const What what = other.nobody || info.buffered ? What::nothing : receives ? What::recv : What::send;
    requests_.make_persistent(request, what, request_stride(on), record);
}

void RankParser::start_persistent(bool all) {
    line_.expect_arguments(all ? 2 : 1);
    std::vector<std::uint64_t> addresses;
    if (all) {
        const std::int64_t count = line_.integer(0);
        if (count < 0) line_.fail(0, "a negative number of requests");
        addresses = requests_.in_array(line_.address(1), static_cast<std::uint64_t>(count));
    } else {
        addresses.push_back(line_.address(0));
    }
    std::vector<std::uint64_t> made;
    for (const std::uint64_t address : addresses) {
        if (requests_.prototype(address) != nullptr) made.push_back(address);
    }
    if (made.empty() || (all && made.size() != static_cast<std::uint64_t>(line_.integer(0)))) {
        line_.fail_call(
            fmt::format("{} of a request that no MPI_Send_init or MPI_Recv_init has made", line_.name()));
    }
    for (const std::uint64_t address : made) {
        const std::uint32_t slot = requests_.displace(address);
        if (slot != no_slot) wait_before_this_call(slot);
    }
    const std::uint32_t first = next_record();
    for (const std::uint64_t address : made) {
        Record record = *requests_.prototype(address);
        record.line = static_cast<std::uint32_t>(line_.number());
        record.slot = requests_.start(address, next_record());
        if (record.has(record_flag::dropped)) continue; // to or from nobody
        record.flags |= record_flag::joined;
        push(record);
    }
    if (first == next_record()) return;
    Record& last = out_.records.back();
    last.flags = static_cast<std::uint8_t>(last.flags & ~record_flag::joined);
    last.gap = gap();
    end_call();
}

void RankParser::message_probe(const CallInfo& info) { // source, tag, comm, (flag,) message, status
    line_.expect_arguments(info.nonblocking ? 6 : 5);
    const std::uint32_t on = comm(2);
    found_[line_.address(info.nonblocking ? 4 : 3)] = {on, peer(0, on, true), tag(1, true)};
    carried_ = gap();
    end_call();
}

void RankParser::message_recv(const CallInfo& info) { // buffer, count, type, message, request or status
    line_.expect_arguments(5);
    const auto found = found_.find(line_.address(3));
    if (found == found_.end()) line_.fail(3, "no MPI_Mprobe has found this message");
    const Found message = found->second;
    add_message(RecordKind::recv, message.comm, message.peer, message.tag, line_.bytes(1, 2), info,
                info.nonblocking ? line_.address(4) : 0);
}

void RankParser::wait(const CallInfo& info) {
    std::uint64_t count = 1;
    std::size_t arguments = 0;
    const bool array = info.kind != CallKind::wait && info.kind != CallKind::test;
    switch (info.kind) {
    case CallKind::wait: arguments = 2; break;
    case CallKind::waitall:
    case CallKind::test: arguments = 3; break;
    case CallKind::waitany: arguments = 4; break;
    case CallKind::test_many: arguments = line_.name() == "MPI_Testall" ? 4 : 5; break;
    default: arguments = 5; break;
    }
    line_.expect_arguments(arguments);
    if (array) {
        const std::int64_t number = line_.integer(0);
        if (number < 0) line_.fail(0, "a negative number of requests");
        count = static_cast<std::uint64_t>(number);
    }
    const std::uint64_t base = line_.address(array ? 1 : 0);
    const std::uint32_t at = next_record();
    bool known = false;
    switch (info.kind) {
    case CallKind::wait: known = requests_.wait_one(base, at); break;
    case CallKind::waitall: known = requests_.wait_all(base, count, at); break;
    case CallKind::waitany: known = requests_.wait_any(base, count, at, false); break;
    case CallKind::waitsome: known = requests_.wait_any(base, count, at, true); break;
    default: known = requests_.test(base, count, at); break;
    }
    // Without point-to-point, only the requests of collectives are known; the others' waits are computing time.
    if (!known && !options_.point_to_point) return;
    if (!known && count > 0) ++out_.tally.unknown_requests;
    Record record = make_record(RecordKind::wait);
    if (info.kind != CallKind::waitall) record.flags = record_flag::may_be_empty;
    record.gap = gap();
    push(record);
    end_call();
}

} // namespace orrery::allprof
