// Sending and receiving, blocking and not.
#include "functions.h"
#include "mpi_library/datatype/transfer.h"
#include "mpi_library/engine.h"
#include "mpi_library/logging.h"
#include "mpi_library/message.h"
#include "mpi_library/process_state.h"

#include <array>
#include <fmt/format.h>
#include <vector>

namespace orrery::emulate::mpi {

namespace {

int blocking_send(Mode mode, const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    const MessageArguments arguments = checked(mode, buf, count, type, dest, tag, comm);
    if (dest == MPI_PROC_NULL) return MPI_SUCCESS;
    Messenger::Message message =
        envelope(arguments, static_cast<Bytes>(arguments.count) * arguments.type->size());
    message.line = add_payload(arguments);
    log_message(mode == Mode::synchronous ? ActionKind::ssend : ActionKind::send, arguments);
    engine().send(message, mode == Mode::synchronous);
    return MPI_SUCCESS;
}

ActionKind kind_of(Mode mode) {
    if (mode == Mode::receive) return ActionKind::irecv;
    return mode == Mode::synchronous ? ActionKind::issend : ActionKind::isend;
}

std::uint32_t log_start(const MessageArguments& arguments) {
    if (log() == nullptr || arguments.peer == MPI_PROC_NULL) return not_logged;
    const std::uint32_t number = log()->new_request(self().index);
    log_message(kind_of(arguments.mode), arguments, number);
    if (arguments.mode == Mode::buffered) {
        const Bytes forgotten = number;
        log_requests(ActionKind::forget, {&forgotten, 1});
    }
    return number;
}

MPI_Request immediate(const MessageArguments& arguments) {
    RequestObject request;
    request.kind = arguments.mode == Mode::receive ? RequestObject::Kind::receive : RequestObject::Kind::send;
    request.active = true;
    request.number = log_start(arguments);
    (arguments.mode == Mode::buffered ? request.buffered : request.engine) = start(arguments, request.payload);
    request.message = arguments;
    ++arguments.comm->uses;
    return new_request(std::move(request));
}

void check_room_for(const MessageArguments& arguments) {
    const ProcessState& state = process();
    const Bytes needed =
        static_cast<Bytes>(arguments.count) * arguments.type->size() + static_cast<Bytes>(MPI_BSEND_OVERHEAD);
    if (arguments.peer != MPI_PROC_NULL && needed > static_cast<Bytes>(state.buffer_bytes)) {
        throw Failure(
            MPI_ERR_BUFFER,
            fmt::format("a buffered send needs {} bytes, but {} are attached", needed, state.buffer_bytes),
            arguments.comm->handle);
    }
}

int exchange(const MessageArguments& out, const MessageArguments& in, MPI_Status* status) {
    if (out.peer == MPI_PROC_NULL && in.peer == MPI_PROC_NULL) {
        set_nobody(status);
        return MPI_SUCCESS;
    }
    if (out.peer == MPI_PROC_NULL) {
        set_nobody(status);
        MPI_Request request = immediate(in);
        if (log() != nullptr) {
            const Bytes number = request_of(request).number;
            log_requests(ActionKind::wait_all, {&number, 1});
        }
        wait_for(1, &request, status);
        return MPI_SUCCESS;
    }
    Messenger::Message sent = envelope(out, static_cast<Bytes>(out.count) * out.type->size());
    if (in.peer == MPI_PROC_NULL) {
        sent.line = add_payload(out);
        log_message(ActionKind::send, out);
        engine().send(sent, false);
        set_nobody(status);
        return MPI_SUCCESS;
    }
    Messenger::Message received = envelope(in, static_cast<Bytes>(in.count) * in.type->size());
    sent.line = add_payload(out);
    received.line = add_payload(in);
    const Bytes room = received.bytes;
    if (log() != nullptr) {
        // An action has one tag: the same as both at once, then waiting for both.
        const std::array<Bytes, 2> both{log_start(out), log_start(in)};
        log_requests(ActionKind::wait_all, both);
        for (const Bytes each : both) log()->free_request(self().index, static_cast<std::uint32_t>(each));
    }
    const std::array<RequestId, 2> both{engine().isend(sent, false), engine().irecv(received)};
    engine().wait(both);
    if (finish_receive(*in.comm, received.line, status) != MPI_SUCCESS)
        truncated(*in.comm, static_cast<std::uint32_t>(room));
    return MPI_SUCCESS;
}

} // namespace

int Send(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    return blocking_send(Mode::standard, buf, count, type, dest, tag, comm);
}
int Ssend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    return blocking_send(Mode::synchronous, buf, count, type, dest, tag, comm);
}
int Rsend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    return blocking_send(Mode::ready, buf, count, type, dest, tag, comm);
}
int Bsend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    const MessageArguments arguments = checked(Mode::buffered, buf, count, type, dest, tag, comm);
    check_room_for(arguments);
    std::uint32_t payload = 0;
    const std::uint32_t number = log_start(arguments);
    const RequestId started = start(arguments, payload);
    if (started != no_request) engine().forget(started);
    if (number != not_logged) log()->free_request(self().index, number);
    return MPI_SUCCESS;
}

int Recv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
    const MessageArguments arguments = checked(Mode::receive, buf, count, type, source, tag, comm);
    if (source == MPI_PROC_NULL) {
        set_nobody(status);
        return MPI_SUCCESS;
    }
    Messenger::Message message =
        envelope(arguments, static_cast<Bytes>(arguments.count) * arguments.type->size());
    message.line = add_payload(arguments);
    log_message(ActionKind::recv, arguments);
    const RequestId request = engine().irecv(message);
    engine().wait({&request, 1});
    if (finish_receive(*arguments.comm, message.line, status) != MPI_SUCCESS)
        truncated(*arguments.comm, static_cast<std::uint32_t>(message.bytes));
    return MPI_SUCCESS;
}

int Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
             int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
    return exchange(checked(Mode::standard, sendbuf, sendcount, sendtype, dest, sendtag, comm),
                    checked(Mode::receive, recvbuf, recvcount, recvtype, source, recvtag, comm), status);
}

int Sendrecv_replace(void* buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                     MPI_Comm comm, MPI_Status* status) {
    const MessageArguments in = checked(Mode::receive, buf, count, type, source, recvtag, comm);
    MessageArguments out = checked(Mode::standard, buf, count, type, dest, sendtag, comm);
    std::vector<std::byte> copy(static_cast<std::size_t>(count) * out.type->size());
    if (!copy.empty()) pack(*out.type, buf, count, 0, copy.size(), copy.data());
    out.buffer = copy.data();
    out.count = static_cast<std::int64_t>(copy.size());
    out.type = TypeRef(datatype(MPI_BYTE));
    return exchange(out, in, status);
}

int Isend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
          MPI_Request* request) {
    *request = immediate(checked(Mode::standard, buf, count, type, dest, tag, comm));
    return MPI_SUCCESS;
}
int Issend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
           MPI_Request* request) {
    *request = immediate(checked(Mode::synchronous, buf, count, type, dest, tag, comm));
    return MPI_SUCCESS;
}
int Irsend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
           MPI_Request* request) {
    *request = immediate(checked(Mode::ready, buf, count, type, dest, tag, comm));
    return MPI_SUCCESS;
}
int Ibsend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
           MPI_Request* request) {
    const MessageArguments arguments = checked(Mode::buffered, buf, count, type, dest, tag, comm);
    check_room_for(arguments);
    *request = immediate(arguments);
    return MPI_SUCCESS;
}
int Irecv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
    *request = immediate(checked(Mode::receive, buf, count, type, source, tag, comm));
    return MPI_SUCCESS;
}

// The request is that of the receive, which knows its send.
namespace {

MPI_Request immediate_exchange(const MessageArguments& out, const MessageArguments& in) {
    const MPI_Request received = immediate(in);
    const MPI_Request sent = immediate(out);
    request_of(received).sent = sent;
    return received;
}

} // namespace

int Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
              int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
              MPI_Request* request) {
    *request = immediate_exchange(checked(Mode::standard, sendbuf, sendcount, sendtype, dest, sendtag, comm),
                                  checked(Mode::receive, recvbuf, recvcount, recvtype, source, recvtag, comm));
    return MPI_SUCCESS;
}

int Isendrecv_replace(void* buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                      MPI_Comm comm, MPI_Request* request) {
    const MessageArguments in = checked(Mode::receive, buf, count, type, source, recvtag, comm);
    MessageArguments out = checked(Mode::standard, buf, count, type, dest, sendtag, comm);
    out.kept = true;
    *request = immediate_exchange(out, in);
    return MPI_SUCCESS;
}

int Buffer_attach(void* buffer, int size) {
    ProcessState& state = process();
    if (state.buffer != nullptr) throw Failure(MPI_ERR_BUFFER, "a buffer is attached already");
    if (size < 0) throw Failure(MPI_ERR_ARG, fmt::format("the size of the buffer is {}", size));
    state.buffer = buffer;
    state.buffer_bytes = size;
    return MPI_SUCCESS;
}

// Buffered messages are kept elsewhere, so that nothing is to be waited for.
int Buffer_detach(void* buffer, int* size) {
    ProcessState& state = process();
    *static_cast<void**>(buffer) = state.buffer;
    *size = state.buffer_bytes;
    state.buffer = nullptr;
    state.buffer_bytes = 0;
    return MPI_SUCCESS;
}

// Persistent ones.
namespace {

int persistent(Mode mode, const void* buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
               MPI_Request* request) {
    RequestObject made;
    made.message = checked(mode, buf, count, type, peer, tag, comm);
    made.kind = mode == Mode::receive ? RequestObject::Kind::receive : RequestObject::Kind::send;
    made.persistent = true;
    ++made.message.comm->uses;
    *request = new_request(std::move(made));
    return MPI_SUCCESS;
}

} // namespace

int Send_init(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
    return persistent(Mode::standard, buf, count, type, dest, tag, comm, request);
}
int Ssend_init(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
    return persistent(Mode::synchronous, buf, count, type, dest, tag, comm, request);
}
int Rsend_init(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
    return persistent(Mode::ready, buf, count, type, dest, tag, comm, request);
}
int Bsend_init(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
    return persistent(Mode::buffered, buf, count, type, dest, tag, comm, request);
}
int Recv_init(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* request) {
    return persistent(Mode::receive, buf, count, type, source, tag, comm, request);
}

int Start(MPI_Request* request) {
    RequestObject& object = request_of(*request);
    if (!object.persistent) throw Failure(MPI_ERR_REQUEST, "only a persistent request can be started");
    if (object.active) throw Failure(MPI_ERR_REQUEST, "the request is active already");
    if (object.message.mode == Mode::buffered) check_room_for(object.message);
    object.active = true;
    object.cancelled = false;
    // What starts it may switch to other ranks: the table of requests may grow.
    std::uint32_t payload = 0;
    const MessageArguments arguments = object.message;
    const std::uint32_t number = log_start(arguments);
    const RequestId started = start(arguments, payload);
    RequestObject& again = request_of(*request);
    again.number = number;
    (arguments.mode == Mode::buffered ? again.buffered : again.engine) = started;
    again.payload = payload;
    return MPI_SUCCESS;
}

int Startall(int count, MPI_Request requests[]) {
    for (int i = 0; i < count; ++i) Start(&requests[i]);
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
