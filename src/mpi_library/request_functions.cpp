// Requests apart from waiting: giving them up, looking at them, cancelling; those of the application's own.
#include "functions.h"
#include "mpi_library/engine.h"
#include "mpi_library/logging.h"
#include "mpi_library/process_state.h"

#include <utility>

namespace orrery::emulate::mpi {

namespace {

// Nobody waits for it in the trace.
void log_cancelled(RequestObject& request) {
    if (request.number == not_logged) return;
    const Bytes number = request.number;
    if (request.kind == RequestObject::Kind::receive) {
        log_requests(ActionKind::forget, {&number, 1});
    } else {
        if (request.buffered != no_request) log()->unforget(request.rank, request.number);
        log_requests(ActionKind::cancel, {&number, 1});
    }
    log()->free_request(request.rank, request.number);
    request.number = not_logged;
}

} // namespace

int Request_free(MPI_Request* handle) {
    RequestObject& request = request_of(*handle);
    if (!request.active || request.kind == RequestObject::Kind::other) {
        drop_request(*handle);
    } else if (request.kind == RequestObject::Kind::generalised) {
        if (request.complete) {
            (void)request.extra->free(request.extra->argument);
            drop_request(*handle);
        } else {
            request.freed = true;
        }
    } else {
        if (request.sent != MPI_REQUEST_NULL) Request_free(&request.sent);
        if (request.kind == RequestObject::Kind::receive &&
            (request.cancelled || request.engine != no_request)) {
            if (request.cancelled || engine().done(request.engine)) {
                engine().payloads().remove(request.payload);
            } else {
                engine().payloads()[request.payload].orphan = true;
            }
        }
        if (log() != nullptr && is_logged(request)) {
            const Bytes number = request.number;
            log_requests(ActionKind::forget, {&number, 1});
        }
        if (request.number != not_logged) log()->free_request(request.rank, request.number);
        if (request.engine != no_request) engine().forget(request.engine);
        if (request.buffered != no_request) engine().forget(request.buffered);
        drop_request(*handle);
    }
    *handle = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int Request_get_status(MPI_Request handle, int* flag, MPI_Status* status) {
    *flag = 1;
    if (handle == MPI_REQUEST_NULL || !request_of(handle).active) {
        set_empty(status);
        return MPI_SUCCESS;
    }
    log_test(pay_test());
    const RequestObject& request = request_of(handle);
    if (!is_done(request)) {
        *flag = 0;
        test_failed();
        return MPI_SUCCESS;
    }
    test_succeeded();
    if (status == MPI_STATUS_IGNORE) return MPI_SUCCESS;
    set_empty(status);
    if (request.kind == RequestObject::Kind::generalised) {
        (void)request.extra->query(request.extra->argument, status);
    } else if (request.kind == RequestObject::Kind::other) {
        *status = request.extra->status;
    } else if (request.kind == RequestObject::Kind::receive && request.message.peer == MPI_PROC_NULL) {
        set_nobody(status);
    } else if (request.kind == RequestObject::Kind::receive && !request.cancelled) {
        const Payload& payload = engine().payloads()[request.payload];
        status->MPI_SOURCE = static_cast<int>(request.message.comm->peer_of(payload.source));
        status->MPI_TAG = static_cast<int>(payload.tag);
        status->bytes_ = static_cast<MPI_Count>(payload.bytes);
    }
    status->cancelled_ = request.cancelled ? 1 : 0;
    return MPI_SUCCESS;
}

// A message that has found its receive is not taken back.
int Cancel(MPI_Request* handle) {
    RequestObject& request = request_of(*handle);
    if (!request.active || request.cancelled) return MPI_SUCCESS;
    if (request.kind == RequestObject::Kind::generalised) {
        (void)request.extra->cancel(request.extra->argument, request.complete ? 1 : 0);
        return MPI_SUCCESS;
    }
    if (request.kind != RequestObject::Kind::send && request.kind != RequestObject::Kind::receive)
        return MPI_SUCCESS;
    const RequestId id = request.buffered != no_request ? request.buffered : request.engine;
    if (id == no_request) return MPI_SUCCESS;
    request.cancelled = engine().cancel(id);
    if (!request.cancelled) return MPI_SUCCESS;
    log_cancelled(request);
    if (request.engine != no_request) engine().forget(request.engine); // nothing to receive, nothing to pay for
    request.engine = no_request;
    return MPI_SUCCESS;
}

int Test_cancelled(const MPI_Status* status, int* flag) {
    *flag = status->cancelled_ != 0 ? 1 : 0;
    return MPI_SUCCESS;
}

int Grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                   MPI_Grequest_cancel_function* cancel, void* extra, MPI_Request* request) {
    RequestObject made;
    made.kind = RequestObject::Kind::generalised;
    made.active = true;
    made.extra = std::make_unique<RequestObject::Extra>(RequestObject::Extra{{}, query, free, cancel, extra});
    *request = new_request(std::move(made));
    return MPI_SUCCESS;
}

int Grequest_complete(MPI_Request handle) {
    RequestObject& request = request_of(handle);
    if (request.kind != RequestObject::Kind::generalised)
        throw Failure(MPI_ERR_REQUEST, "this is no generalised request");
    request.complete = true;
    if (request.freed) {
        (void)request.extra->free(request.extra->argument);
        drop_request(handle);
    } else {
        engine().wake(request.rank);
    }
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
