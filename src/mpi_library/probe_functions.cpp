// Looking at messages before they are received.
#include "functions.h"
#include "mpi_library/engine.h"
#include "mpi_library/logging.h"
#include "mpi_library/process_state.h"

#include <deque>
#include <vector>

namespace orrery::emulate::mpi {

namespace {

// A message that MPI_Mprobe has taken for a receive to come.
struct TakenMessage {
    RequestId send = no_request;
    Comm* comm = nullptr;
    std::uint32_t number = not_logged; // in the trace of the run
    bool used = false;
};

std::deque<TakenMessage>& taken() {
    static std::deque<TakenMessage> all;
    return all;
}

void describe(const Comm& comm, const Request& message, MPI_Status* status) {
    if (status == MPI_STATUS_IGNORE) return;
    *status = {static_cast<int>(comm.peer_of(message.rank)), static_cast<int>(message.tag), status->MPI_ERROR,
               0, static_cast<MPI_Count>(message.bytes)};
}

MessageArguments wanted(int source, int tag, MPI_Comm comm) {
    return checked(Mode::receive, nullptr, 0, MPI_BYTE, source, tag, comm);
}

// Takes it out: it was just seen. The trace has that as a probe.
MPI_Message take(const MessageArguments& arguments, const Messenger::Message& sought) {
    const std::uint32_t number = log() == nullptr ? not_logged : log()->new_request(self().index);
    log_message(ActionKind::probe, arguments, 0, number);
    const RequestId send = *engine().take_message(sought);
    std::deque<TakenMessage>& all = taken();
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        if (all[i].used) continue;
        all[i] = {send, arguments.comm, number, true};
        return handle_of(Kind::message, first_own + i);
    }
    all.push_back({send, arguments.comm, number, true});
    return handle_of(Kind::message, first_own + static_cast<std::uint32_t>(all.size()) - 1);
}

TakenMessage give_back(MPI_Message handle) {
    const std::uint32_t index = index_of(handle) - first_own;
    if (!is_kind(handle, Kind::message) || index >= taken().size() || !taken()[index].used)
        throw Failure(MPI_ERR_REQUEST, "this is no message of MPI_Mprobe, or it has been received");
    const TakenMessage found = taken()[index];
    taken()[index].used = false;
    return found;
}

// Starts the receive of a message that was taken.
MPI_Request receive_taken(void* buf, int count, MPI_Datatype type, MPI_Message* message) {
    const TakenMessage found = give_back(*message);
    *message = MPI_MESSAGE_NULL;
    const Request sent = engine().message(found.send);
    RequestObject request;
    request.kind = RequestObject::Kind::receive;
    request.active = true;
    request.message = checked(Mode::receive, buf, count, type, MPI_ANY_SOURCE, MPI_ANY_TAG, found.comm->handle);
    request.payload = add_payload(request.message);
    Messenger::Message envelope_of =
        envelope(request.message, static_cast<Bytes>(request.message.count) * request.message.type->size());
    envelope_of.from = sent.rank;
    envelope_of.tag = sent.tag;
    envelope_of.line = request.payload;
    if (log() != nullptr) {
        MessageArguments logged = request.message;
        logged.peer = static_cast<int>(found.comm->peer_of(sent.rank));
        logged.tag = static_cast<int>(sent.tag);
        request.number = log()->new_request(self().index);
        log_message(ActionKind::irecv, logged, request.number, found.number);
        log()->free_request(self().index, found.number);
    }
    request.engine = engine().recv_taken(found.send, envelope_of);
    ++found.comm->uses;
    return new_request(std::move(request));
}

// Waits for a message without taking it.
void await(const MessageArguments& arguments, const Messenger::Message& sought, MPI_Status* status) {
    while (engine().probe(sought) == nullptr) engine().await_message();
    describe(*arguments.comm, *engine().probe(sought), status);
}

} // namespace

int Probe(int source, int tag, MPI_Comm handle, MPI_Status* status) {
    const MessageArguments arguments = wanted(source, tag, handle);
    if (source == MPI_PROC_NULL) {
        set_nobody(status);
        return MPI_SUCCESS;
    }
    log_message(ActionKind::probe, arguments);
    await(arguments, envelope(arguments, 0), status);
    return MPI_SUCCESS;
}

int Iprobe(int source, int tag, MPI_Comm handle, int* flag, MPI_Status* status) {
    const MessageArguments arguments = wanted(source, tag, handle);
    *flag = 1;
    if (source == MPI_PROC_NULL) {
        set_nobody(status);
        return MPI_SUCCESS;
    }
    log_test(pay_test());
    const Request* const found = engine().probe(envelope(arguments, 0));
    if (found == nullptr) {
        *flag = 0;
        test_failed(TestsFor::message, self().context.fingerprint());
        return MPI_SUCCESS;
    }
    test_succeeded();
    describe(*arguments.comm, *found, status);
    return MPI_SUCCESS;
}

int Mprobe(int source, int tag, MPI_Comm handle, MPI_Message* message, MPI_Status* status) {
    const MessageArguments arguments = wanted(source, tag, handle);
    if (source == MPI_PROC_NULL) {
        *message = MPI_MESSAGE_NO_PROC;
        set_nobody(status);
        return MPI_SUCCESS;
    }
    const Messenger::Message sought = envelope(arguments, 0);
    await(arguments, sought, status);
    *message = take(arguments, sought);
    return MPI_SUCCESS;
}

int Improbe(int source, int tag, MPI_Comm handle, int* flag, MPI_Message* message, MPI_Status* status) {
    const MessageArguments arguments = wanted(source, tag, handle);
    *flag = 1;
    if (source == MPI_PROC_NULL) {
        *message = MPI_MESSAGE_NO_PROC;
        set_nobody(status);
        return MPI_SUCCESS;
    }
    log_test(pay_test());
    const Messenger::Message sought = envelope(arguments, 0);
    const Request* const found = engine().probe(sought);
    if (found == nullptr) {
        *flag = 0;
        test_failed(TestsFor::message, self().context.fingerprint());
        return MPI_SUCCESS;
    }
    test_succeeded();
    describe(*arguments.comm, *found, status);
    *message = take(arguments, sought);
    return MPI_SUCCESS;
}

int Mrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
    if (*message == MPI_MESSAGE_NO_PROC) {
        *message = MPI_MESSAGE_NULL;
        set_nobody(status);
        return MPI_SUCCESS;
    }
    MPI_Request request = receive_taken(buf, count, type, message);
    if (log() != nullptr) {
        const Bytes number = request_of(request).number;
        log_requests(ActionKind::wait_all, {&number, 1});
    }
    wait_for(1, &request, status);
    return MPI_SUCCESS;
}

int Imrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
    if (*message == MPI_MESSAGE_NO_PROC) {
        *message = MPI_MESSAGE_NULL;
        return Irecv(buf, count, type, MPI_PROC_NULL, 0, MPI_COMM_SELF, request);
    }
    *request = receive_taken(buf, count, type, message);
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
