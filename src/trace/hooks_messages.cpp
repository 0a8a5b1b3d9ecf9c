// Point-to-point messages.
#include "trace/hooks.h"
#include "trace/hooks_state.h"

namespace orrery::trace {

namespace {

// False if there is nothing to record: to or from nobody, or another world.
bool message(Action& action, ActionKind kind, int peer, int tag, MPI_Comm comm) {
    if (peer == MPI_PROC_NULL) return false;
    const Communicator& communicator = communicator_of(comm);
    if (!communicator.recorded()) {
        not_replayed();
        return false;
    }
    action.kind = kind;
    action.comm = communicator.number;
    action.peer =
        peer == MPI_ANY_SOURCE ? any_source : communicator.first_peer + static_cast<std::uint32_t>(peer);
    action.tag = tag == MPI_ANY_TAG ? any_tag : static_cast<std::uint32_t>(tag);
    return true;
}

Bytes received_bytes(const MPI_Status& status) {
    MPI_Count bytes = 0;
    PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    return bytes < 0 ? 0 : static_cast<Bytes>(bytes);
}

void put_send(ActionKind kind, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
    Action action;
    if (!message(action, kind, peer, tag, comm)) return;
    action.bytes = bytes_of(count, type);
    put(action);
}

// A send or receive that goes on by itself. One that is not recorded has a request all the same.
void put_started(ActionKind kind, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                 Requests request) {
    Action action;
    if (!message(action, kind, peer, tag, comm)) {
        hooks_state->requests.add(request);
        return;
    }
    action.bytes = bytes_of(count, type);
    put_request(action, request);
}

// A buffered send is done for its sender at once, whenever the message leaves.
void put_buffered(Action& action) {
    action.request = hooks_state->requests.new_number();
    put(action);
    put_forget(action.request);
}

void add_persistent(ActionKind kind, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                    Requests request, bool buffered = false) {
    auto detail = std::make_unique<RequestDetail>();
    detail->persistent = true;
    detail->buffered = buffered;
    detail->recorded = message(detail->action, kind, peer, tag, comm);
    if (detail->recorded) detail->action.bytes = bytes_of(count, type);
    RequestTable& requests = hooks_state->requests;
    requests[requests.add(request)].detail = std::move(detail);
}

MatchedMessage& matched_of_this_thread() {
    static thread_local MatchedMessage matched;
    return matched;
}

} // namespace

namespace hooks {

void send(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) noexcept {
    put_send(ActionKind::send, count, type, peer, tag, comm);
}

void ssend(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) noexcept {
    put_send(ActionKind::ssend, count, type, peer, tag, comm);
}

void bsend(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) noexcept {
    Action action;
    if (!message(action, ActionKind::isend, peer, tag, comm)) return;
    action.bytes = bytes_of(count, type);
    put_buffered(action);
}

void isend(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, Requests request) noexcept {
    put_started(ActionKind::isend, count, type, peer, tag, comm, request);
}

void issend(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, Requests request) noexcept {
    put_started(ActionKind::issend, count, type, peer, tag, comm, request);
}

void ibsend(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, Requests request) noexcept {
    bsend(count, type, peer, tag, comm);
    hooks_state->requests.add(request);
}

void recv(int peer, int tag, MPI_Comm comm, const MPI_Status& status) noexcept {
    Action action;
    if (!message(action, ActionKind::recv, peer, tag, comm)) return;
    action.bytes = received_bytes(status);
    put(action);
}

void irecv(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, Requests request) noexcept {
    put_started(ActionKind::irecv, count, type, peer, tag, comm, request);
}

void sendrecv(int count, MPI_Datatype type, int destination, int send_tag, int source, int receive_tag,
              MPI_Comm comm, const MPI_Status& status) noexcept {
    if (source == MPI_PROC_NULL) return send(count, type, destination, send_tag, comm);
    if (destination == MPI_PROC_NULL) return recv(source, receive_tag, comm, status);
    Action out;
    Action in;
    if (!message(out, ActionKind::sendrecv, destination, send_tag, comm)) return;
    message(in, ActionKind::irecv, source, receive_tag, comm);
    out.bytes = bytes_of(count, type);
    in.bytes = received_bytes(status);
    if (send_tag == receive_tag) {
        out.other = in.peer;
        out.more_bytes = in.bytes;
        put(out);
        return;
    }
    // The action has one tag for both messages: two tags are the receive, the send and the wait for both.
    RequestTable& requests = hooks_state->requests;
    out.kind = ActionKind::isend;
    in.request = requests.new_number();
    out.request = requests.new_number();
    put(in);
    put(out);
    Action both;
    both.kind = ActionKind::wait_all;
    const Bytes numbers[]{in.request, out.request};
    put(both, numbers, 2);
    requests.free_number(in.request);
    requests.free_number(out.request);
}

void probe(int peer, int tag, MPI_Comm comm) noexcept {
    Action action;
    if (message(action, ActionKind::probe, peer, tag, comm)) put(action);
}

void iprobe(int peer, int tag, MPI_Comm comm, int flag) noexcept {
    if (flag != 0) probe(peer, tag, comm);
}

void mprobe(int peer, int tag, MPI_Comm comm, MPI_Message found, const MPI_Status& status) noexcept {
    Action action;
    MatchedMessage matched;
    matched.recorded = message(action, ActionKind::probe, peer, tag, comm);
    if (matched.recorded) {
        put(action);
        message(action, ActionKind::recv, status.MPI_SOURCE, status.MPI_TAG, comm);
        matched.comm = action.comm;
        matched.peer = action.peer;
        matched.tag = action.tag;
    }
    if (found != MPI_MESSAGE_NO_PROC) hooks_state->messages[key_of(found)] = matched;
}

void improbe(int peer, int tag, MPI_Comm comm, int flag, MPI_Message found, const MPI_Status& status) noexcept {
    if (flag != 0) mprobe(peer, tag, comm, found, status);
}

void matched(MPI_Message found) noexcept {
    MatchedMessage& matched = matched_of_this_thread();
    matched = {};
    const auto place = hooks_state->messages.find(key_of(found));
    if (place == hooks_state->messages.end()) return;
    matched = place->second;
    hooks_state->messages.erase(place);
}

void mrecv(const MPI_Status& status) noexcept {
    const MatchedMessage& matched = matched_of_this_thread();
    if (!matched.recorded) return;
    Action action;
    action.kind = ActionKind::recv;
    action.comm = matched.comm;
    action.peer = matched.peer;
    action.tag = matched.tag;
    action.bytes = received_bytes(status);
    put(action);
}

void imrecv(int count, MPI_Datatype type, Requests request) noexcept {
    const MatchedMessage& matched = matched_of_this_thread();
    if (!matched.recorded) {
        hooks_state->requests.add(request);
        return;
    }
    Action action;
    action.kind = ActionKind::irecv;
    action.comm = matched.comm;
    action.peer = matched.peer;
    action.tag = matched.tag;
    action.bytes = bytes_of(count, type);
    put_request(action, request);
}

void send_init(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, Requests request) noexcept {
    add_persistent(ActionKind::isend, count, type, peer, tag, comm, request);
}

void ssend_init(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, Requests request) noexcept {
    add_persistent(ActionKind::issend, count, type, peer, tag, comm, request);
}

void bsend_init(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, Requests request) noexcept {
    add_persistent(ActionKind::isend, count, type, peer, tag, comm, request, true);
}

void recv_init(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, Requests request) noexcept {
    add_persistent(ActionKind::irecv, count, type, peer, tag, comm, request);
}

void start(int count, Requests requests) noexcept {
    RequestTable& table = hooks_state->requests;
    const std::uint64_t call = table.new_call();
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const std::uint32_t slot = table.find(requests[i], requests.place(i), call);
        if (slot == no_number || table[slot].detail == nullptr || !table[slot].detail->recorded) continue;
        Action action = table[slot].detail->action;
        if (table[slot].detail->buffered) {
            put_buffered(action);
            continue;
        }
        action.request = table.new_number();
        table[slot].number = action.request;
        put(action);
    }
}

} // namespace hooks

} // namespace orrery::trace
