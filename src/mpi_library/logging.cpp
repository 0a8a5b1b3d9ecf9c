#include "mpi_library/logging.h"

#include "workload/listed_steps.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace orrery::emulate::mpi {

namespace {

// The communicator's number in the trace. MPI_COMM_SELF gets one when it is first used.
std::uint32_t number_of(Comm& comm) {
    if (comm.handle == MPI_COMM_SELF && comm.member.name == 0) log_created(comm);
    return comm.member.name;
}

} // namespace

void log_wait(Time since) {
    if (log() != nullptr) log()->pause(self().index, engine().now() - since, Pause::in_call);
}

void log_test(Time since) {
    if (log() != nullptr) log()->pause(self().index, engine().now() - since, Pause::probe);
}

void log_message(ActionKind kind, const MessageArguments& arguments, std::uint32_t request,
                 std::uint32_t taken) {
    if (log() == nullptr || arguments.peer == MPI_PROC_NULL) return;
    Action action;
    action.kind = kind;
    action.comm = number_of(*arguments.comm);
    // In a trace an inter-communicator is one of both groups.
    action.peer = arguments.peer == MPI_ANY_SOURCE
                      ? any_source
                      : arguments.comm->remote().first + static_cast<std::uint32_t>(arguments.peer);
    action.tag = arguments.tag == MPI_ANY_TAG ? any_tag : static_cast<std::uint32_t>(arguments.tag);
    action.bytes = static_cast<Bytes>(arguments.count) * arguments.type->size();
    action.request = request;
    if (taken != not_logged) action.other = taken + 1;
    log()->add(self().index, action);
}

void log_requests(ActionKind kind, std::span<const Bytes> numbers) {
    if (log() == nullptr || numbers.empty()) return;
    Action action;
    action.kind = kind;
    if (numbers.size() == 1 && kind == ActionKind::wait_all) action.kind = ActionKind::wait;
    action.request = static_cast<std::uint32_t>(numbers[0]);
    const bool one = action.kind == ActionKind::wait || kind == ActionKind::test ||
                     kind == ActionKind::forget || kind == ActionKind::cancel;
    log()->add(self().index, action, one ? std::span<const Bytes>{} : numbers);
}

void log_collective(const PreparedCollective& prepared, bool nonblocking, std::uint32_t request) {
    if (log() == nullptr) return;
    Action action;
    action.kind = ActionKind::collective;
    action.collective = prepared.call.operation;
    action.nonblocking = nonblocking;
    action.request = request;
    action.comm = number_of(*prepared.comm);
    action.peer = prepared.call.root;
    action.bytes = prepared.call.bytes;
    action.element = static_cast<std::uint32_t>(prepared.call.element);
    action.commutative = prepared.call.commutative;
    std::vector<Bytes> counts = prepared.send_counts;
    counts.insert(counts.end(), prepared.receive_counts.begin(), prepared.receive_counts.end());
    log()->add(self().index, action, counts);
}

namespace {

// Numbers of the messages under way: in the algorithm, and in the trace.
using Pending = std::vector<std::pair<std::uint32_t, Bytes>>;

void log_step_wait(const Step& step, Pending& pending) {
    std::vector<Bytes> numbers;
    std::erase_if(pending, [&](const auto& each) {
        const bool meant = step.kind == Step::Kind::wait_all || each.first == step.request;
        if (meant) numbers.push_back(each.second);
        return meant;
    });
    log_requests(ActionKind::wait_all, numbers);
    for (const Bytes each : numbers) log()->free_request(self().index, static_cast<std::uint32_t>(each));
}

void log_work(const Step& step, double per_byte) {
    log()->pause(self().index, Time::from_ps(std::min(static_cast<double>(step.from.bytes) * per_byte, 1e18)),
                 Pause::outside);
}

} // namespace

void log_messages(const Comm& comm, Steps steps) {
    constexpr std::uint32_t tags = 1U << 30; // the application seldom has so large ones
    Action action;
    action.comm = comm.member.name;
    action.tag = tags + comm.member.calls % tags;
    Pending pending;
    const auto add = [&](ActionKind kind, const Step& step, Bytes bytes) {
        action.kind = kind;
        action.peer = step.peer;
        action.bytes = bytes;
        if (kind == ActionKind::isend || kind == ActionKind::irecv) {
            action.request = log()->new_request(self().index);
            pending.emplace_back(step.request, action.request);
        }
        log()->add(self().index, action);
    };
    while (const Step* const step = steps.next()) {
        switch (step->kind) {
        case Step::Kind::send: add(ActionKind::send, *step, step->from.bytes); break;
        case Step::Kind::recv: add(ActionKind::recv, *step, step->to.bytes); break;
        case Step::Kind::isend: add(ActionKind::isend, *step, step->from.bytes); break;
        case Step::Kind::irecv: add(ActionKind::irecv, *step, step->to.bytes); break;
        case Step::Kind::sendrecv:
            action.other = step->source;
            action.more_bytes = step->to.bytes;
            add(ActionKind::sendrecv, *step, step->from.bytes);
            action.other = 0;
            action.more_bytes = 0;
            break;
        case Step::Kind::wait:
        case Step::Kind::wait_all: log_step_wait(*step, pending); break;
        case Step::Kind::copy: log_work(*step, engine().endpoint().copy_per_byte); break;
        case Step::Kind::reduce:
        case Step::Kind::reduce_after: log_work(*step, engine().endpoint().reduction_per_byte); break;
        }
    }
}

void log_aside(const PreparedCollective& prepared, Steps steps, std::uint32_t request) {
    if (log() == nullptr) return;
    Action action;
    action.kind = ActionKind::aside;
    action.collective = prepared.call.operation;
    action.comm = prepared.comm->member.name;
    action.request = request;
    std::vector<Bytes> list;
    while (const Step* const step = steps.next()) append_step(*step, list);
    log()->add(self().index, action, list);
}

void log_one_sided(const Comm& comm, std::uint32_t target, Bytes bytes, Bytes back, std::uint32_t request) {
    if (log() == nullptr) return;
    Action action;
    action.kind = ActionKind::one_sided;
    action.comm = comm.member.name;
    action.peer = target;
    action.bytes = bytes;
    action.more_bytes = back;
    action.nonblocking = request != not_logged;
    if (action.nonblocking) action.request = request;
    log()->add(self().index, action);
}

void log_window(const Comm& comm, WindowCall call, std::uint32_t target, std::uint32_t flags,
                std::span<const Bytes> ranks) {
    if (log() == nullptr) return;
    Action action;
    action.kind = ActionKind::window;
    action.comm = comm.member.name;
    action.other = static_cast<std::uint32_t>(call);
    action.peer = target;
    action.tag = flags;
    log()->add(self().index, action, ranks);
}

void log_freed(const Comm& comm) {
    if (log() == nullptr) return;
    Action action;
    action.kind = ActionKind::comm_free;
    action.comm = comm.member.name;
    log()->add(self().index, action);
}

void log_created(Comm& made) {
    if (log() == nullptr) return;
    made.member.name = log()->new_communicator(self().index);
    Action action;
    action.kind = ActionKind::comm_create;
    action.request = made.member.name;
    const Communicators& all = engine().communicators();
    std::vector<Bytes> members;
    for (std::uint32_t i = 0; i < all.size(made.member.index); ++i)
        members.push_back(all.member(made.member.index, i));
    log()->add(self().index, action, members);
}

void log_split(Comm& parent, int colour, int key, Comm* made) {
    if (log() == nullptr) return;
    Action action;
    action.kind = ActionKind::comm_split;
    action.comm = number_of(parent);
    action.peer = colour == MPI_UNDEFINED ? any_source : static_cast<std::uint32_t>(colour);
    action.other = static_cast<std::uint32_t>(key);
    action.request = log()->new_communicator(self().index);
    if (made != nullptr) made->member.name = action.request;
    log()->add(self().index, action);
}

void log_neighbours(const Comm& comm) {
    if (log() == nullptr) return;
    const Neighbours& all = *comm.member.neighbours;
    Action action;
    action.kind = ActionKind::neighbours;
    action.comm = comm.member.name;
    action.peer = static_cast<std::uint32_t>(all.sources.size());
    std::vector<Bytes> ranks(all.sources.begin(), all.sources.end());
    ranks.insert(ranks.end(), all.destinations.begin(), all.destinations.end());
    log()->add(self().index, action, ranks);
}

} // namespace orrery::emulate::mpi
