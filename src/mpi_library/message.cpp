#include "mpi_library/message.h"

#include "emulate/program/libc_state.h"
#include "mpi_library/action_log.h"
#include "mpi_library/collective_call.h"
#include "mpi_library/datatype/transfer.h"
#include "mpi_library/engine.h"
#include "mpi_library/process_state.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery::emulate::mpi {

namespace {

Bytes bytes_of(const MessageArguments& arguments) {
    return static_cast<Bytes>(arguments.count) * arguments.type->size();
}

// While a rank waits for a time so do its threads, and one of them may be what the program waits for.
bool has_threads() {
    const LibcState* const libc = self().libc.get();
    return libc != nullptr && libc->threads != nullptr;
}

// For a rank that has done nothing but probe for a message, for this time. One that has changed none of its
// variables since its last probe will never stop: it probes once more, then seldom. Another one may count its
// probes.
Time longest_timed_wait(Time waited, int idle_tests) {
    if (idle_tests == 0) return std::min(Time::us(10'000), Time::ticks(waited.ticks() / 4));
    const Time longer = std::int64_t{7} * std::min(waited, Time::us(1'000'000'000));
    return idle_tests == 1 ? longer : later(longer, Time::us(1'000'000));
}

int one_more(std::uint16_t& count) {
    if (count < 999) ++count;
    return count;
}

} // namespace

MessageArguments checked(Mode mode, const void* buffer, int count, MPI_Datatype type, int peer, int tag,
                         MPI_Comm handle) {
    Comm& comm = comm_of(handle);
    const bool receive = mode == Mode::receive;
    if (count < 0) throw Failure(MPI_ERR_COUNT, fmt::format("the count is {}", count), handle);
    const Datatype& element = committed_datatype(type);
    if (peer != MPI_PROC_NULL && !(receive && peer == MPI_ANY_SOURCE) &&
        (peer < 0 || static_cast<std::uint32_t>(peer) >= comm.peers())) {
        throw Failure(MPI_ERR_RANK,
                      fmt::format("rank {} is not in a communicator of {} ranks", peer, comm.peers()), handle);
    }
    if (tag < 0 && !(receive && tag == MPI_ANY_TAG))
        throw Failure(MPI_ERR_TAG, fmt::format("the tag is {}", tag), handle);
    if (buffer == nullptr && count > 0 && element.size() > 0 && element.predefined() && peer != MPI_PROC_NULL)
        throw Failure(MPI_ERR_BUFFER, "the buffer is a null pointer", handle);
    return {mode, false, peer, tag, &comm, const_cast<void*>(buffer), count, TypeRef(element)};
}

Messenger::Message envelope(const MessageArguments& arguments, Bytes bytes) {
    const Comm& comm = *arguments.comm;
    const std::uint32_t own = self().index;
    const std::uint32_t other = arguments.peer == MPI_ANY_SOURCE
                                    ? any_source
                                    : comm.world_rank(static_cast<std::uint32_t>(arguments.peer));
    const std::uint32_t tag =
        arguments.tag == MPI_ANY_TAG ? any_tag : static_cast<std::uint32_t>(arguments.tag);
    if (arguments.mode == Mode::receive) return {other, own, comm.context(), tag, bytes, 0};
    return {own, other, comm.context(), tag, bytes, 0};
}

std::uint32_t add_payload(const MessageArguments& arguments) {
    Payload payload;
    payload.address = arguments.buffer;
    payload.count = arguments.count;
    if (!arguments.type->dense()) payload.type = arguments.type;
    payload.bytes = bytes_of(arguments);
    payload.rank = self().index;
    payload.call = static_cast<std::uint16_t>(process().present) & 0x1fffU;
    payload.basic = only_basic_type(*arguments.type);
    if ((arguments.mode == Mode::buffered || arguments.kept) && payload.bytes > 0) {
        payload.kept = engine().payloads().block(payload.bytes);
        pack(*arguments.type, arguments.buffer, arguments.count, 0, payload.bytes, payload.kept.get());
    }
    return engine().payloads().add(std::move(payload));
}

RequestId start(const MessageArguments& arguments, std::uint32_t& payload) {
    if (arguments.peer == MPI_PROC_NULL) return no_request;
    Messenger::Message message = envelope(arguments, bytes_of(arguments));
    payload = message.line = add_payload(arguments);
    if (arguments.mode == Mode::receive) return engine().irecv(message);
    return engine().isend(message, arguments.mode == Mode::synchronous);
}

void set_empty(MPI_Status* status) {
    if (status == MPI_STATUS_IGNORE) return;
    *status = {MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0, 0};
}

void set_nobody(MPI_Status* status) {
    if (status == MPI_STATUS_IGNORE) return;
    *status = {MPI_PROC_NULL, MPI_ANY_TAG, status->MPI_ERROR, 0, 0};
}

int finish_receive(const Comm& comm, std::uint32_t number, MPI_Status* status) {
    const Payload& payload = engine().payloads()[number];
    const int error = payload.truncated ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    if (status != MPI_STATUS_IGNORE) {
        status->MPI_SOURCE = static_cast<int>(comm.peer_of(payload.source));
        status->MPI_TAG = static_cast<int>(payload.tag);
        status->cancelled_ = 0;
        status->bytes_ = static_cast<MPI_Count>(payload.bytes);
    }
    engine().payloads().remove(number);
    return error;
}

void truncated(const Comm& comm, std::uint32_t bytes) {
    throw Failure(MPI_ERR_TRUNCATE,
                  fmt::format("the message is longer than the {} bytes that there is room for", bytes),
                  comm.handle);
}

Time pay_test() {
    const Time begun = engine().now();
    engine().pay_test();
    return begun;
}

void test_failed(TestsFor what, std::uint64_t place) {
    Engine& machine = engine();
    ProcessState& state = process();
    const EndpointParameters& endpoint = machine.endpoint();
    machine.tested(false);
    const bool paid = endpoint.test > Time::zero(); // before the test
    // A program that does nothing but probe for a message probes more and more rarely; the arrival of a message
    // ends the timed wait, so that the message is still found when it arrives.
    const bool spins =
        state.calls == state.quiet_call + 1 && (paid || machine.now() - state.quiet_until < Time::us(1));
    const bool idles = spins && place != 0 && place == state.quiet_place && !has_threads();
    if (state.failed_tests == 0 || !spins) state.quiet_since = machine.now();
    const int tests = one_more(state.failed_tests);
    const int idle_tests = idles ? one_more(state.idle_tests) : state.idle_tests = 0;
    state.quiet_call = state.calls;
    state.quiet_place = place;
    Time pause = (std::int64_t{1} << std::min((tests - 1) / 16, 7)) * Time::ns(100);
    if (what == TestsFor::requests || endpoint.test_grows) {
        if (!paid) machine.sleep(pause);
    } else if (!paid || (spins && tests > 16)) {
        if (spins) pause = later(pause, longest_timed_wait(machine.now() - state.quiet_since, idle_tests));
        machine.timed_wait(pause);
    }
    state.quiet_until = machine.now();
}

void test_succeeded() {
    process().failed_tests = 0;
    engine().tested(true);
    if (engine().log() != nullptr) engine().log()->test_succeeded(self().index);
}

} // namespace orrery::emulate::mpi
