// Waiting for requests and testing them.
#include "functions.h"
#include "mpi_library/engine.h"
#include "mpi_library/logging.h"
#include "mpi_library/process_state.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <vector>

namespace orrery::emulate::mpi {

namespace {

using Ids = boost::container::small_vector<RequestId, 16>;

void log_all(ActionKind kind, int count, const MPI_Request* requests) {
    if (log() == nullptr) return;
    std::vector<Bytes> numbers;
    for (int i = 0; i < count; ++i) {
        if (requests[i] == MPI_REQUEST_NULL) continue;
        const RequestObject& request = request_of(requests[i]);
        if (is_logged(request)) numbers.push_back(request.number);
        if (request.sent != MPI_REQUEST_NULL && is_logged(request_of(request.sent)))
            numbers.push_back(request_of(request.sent).number);
    }
    log_requests(kind, numbers);
}

MPI_Status* nth(MPI_Status* statuses, int i) {
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i;
}

bool null_or_idle(MPI_Request handle) { return handle == MPI_REQUEST_NULL || !request_of(handle).active; }

// The engine's own requests that are not done yet.
Ids pending(int count, const MPI_Request* requests) {
    Ids ids;
    for (int i = 0; i < count; ++i) {
        if (requests[i] == MPI_REQUEST_NULL) continue;
        const RequestObject& request = request_of(requests[i]);
        if (request.active && request.engine != no_request) ids.push_back(request.engine);
        if (request.sent != MPI_REQUEST_NULL && request_of(request.sent).engine != no_request)
            ids.push_back(request_of(request.sent).engine);
    }
    return ids;
}

// Whether the trace can say what is waited for here: one of two parts is not enough.
bool all_logged(int count, const MPI_Request* requests) {
    for (int i = 0; i < count; ++i) {
        if (requests[i] == MPI_REQUEST_NULL) continue;
        const RequestObject& request = request_of(requests[i]);
        if (request.sent != MPI_REQUEST_NULL) return false;
        if (request.active && request.message.peer != MPI_PROC_NULL && !is_logged(request)) return false;
    }
    return true;
}

bool all_others_done(int count, const MPI_Request* requests) {
    for (int i = 0; i < count; ++i) {
        if (requests[i] == MPI_REQUEST_NULL) continue;
        const RequestObject& request = request_of(requests[i]);
        if (request.active && request.engine == no_request && !is_done(request)) return false;
    }
    return true;
}

int finish_generalised(RequestObject& request, MPI_Status* status) {
    MPI_Status own;
    set_empty(&own);
    int error = request.extra->query(request.extra->argument, &own);
    if (status != MPI_STATUS_IGNORE) {
        const int kept = status->MPI_ERROR;
        *status = own;
        status->MPI_ERROR = kept;
    }
    const int freed = request.extra->free(request.extra->argument);
    if (error == MPI_SUCCESS) error = freed;
    return error;
}

// Of an operation that received nothing.
void set_without_message(MPI_Status* status, bool cancelled) {
    if (status == MPI_STATUS_IGNORE) return;
    const int kept = status->MPI_ERROR;
    set_empty(status);
    status->MPI_ERROR = kept;
    status->cancelled_ = cancelled ? 1 : 0;
}

// Of a request that is done and, where the engine knows it, taken there: its status and its error. The handle
// becomes null unless it is persistent.
int finish(MPI_Request* handle, MPI_Status* status) {
    RequestObject& request = request_of(*handle);
    int error = MPI_SUCCESS;
    switch (request.kind) {
    case RequestObject::Kind::receive:
        if (request.sent != MPI_REQUEST_NULL) (void)finish(&request.sent, MPI_STATUS_IGNORE);
        if (request.cancelled) {
            set_without_message(status, true);
            engine().payloads().remove(request.payload);
        } else if (request.message.peer == MPI_PROC_NULL) {
            set_nobody(status);
        } else {
            error = finish_receive(*request.message.comm, request.payload, status);
        }
        break;
    case RequestObject::Kind::generalised: error = finish_generalised(request, status); break;
    case RequestObject::Kind::other:
        if (status != MPI_STATUS_IGNORE) {
            const int kept = status->MPI_ERROR;
            *status = request.extra->status;
            status->MPI_ERROR = kept;
        }
        break;
    case RequestObject::Kind::send:
    case RequestObject::Kind::collective:
    case RequestObject::Kind::none: set_without_message(status, request.cancelled); break;
    }
    if (request.number != not_logged) log()->free_request(request.rank, request.number);
    if (request.buffered != no_request) engine().forget(request.buffered);
    request.number = not_logged;
    request.active = false;
    request.engine = request.buffered = no_request;
    if (!request.persistent) {
        drop_request(*handle);
        *handle = MPI_REQUEST_NULL;
    }
    return error;
}

int comm_of_request(MPI_Request handle) {
    const Comm* const comm = request_of(handle).message.comm;
    return comm == nullptr ? 0 : comm->handle;
}

[[noreturn]] void fail(int error, int comm) {
    throw Failure(error,
                  error == MPI_ERR_TRUNCATE ? "the message is longer than the receive has room for"
                                            : "the operation failed",
                  comm);
}

// May switch to other ranks, so that the table of requests may grow.
void take_from_engine(MPI_Request handle) {
    const RequestId id = request_of(handle).engine;
    if (id != no_request) engine().take(id);
    request_of(handle).engine = no_request;
    if (const MPI_Request sent = request_of(handle).sent; sent != MPI_REQUEST_NULL) take_from_engine(sent);
}

// One that is done: takes it from the engine, and finishes it.
void take(MPI_Request* handle, MPI_Status* status) {
    take_from_engine(*handle);
    const int comm = comm_of_request(*handle);
    const int error = finish(handle, status);
    if (error != MPI_SUCCESS) fail(error, comm);
}

void check(int count, const MPI_Request* requests) {
    if (count < 0) throw Failure(MPI_ERR_COUNT, "the number of requests is negative");
    if (count > 0) check_pointer(requests, "the array of requests");
    for (int i = 0; i < count; ++i) {
        if (requests[i] != MPI_REQUEST_NULL) (void)request_of(requests[i]);
    }
}

// Statuses of several that are done and taken.
void finish_all(int count, MPI_Request* requests, MPI_Status* statuses) {
    bool failed = false;
    int comm = 0;
    for (int i = 0; i < count; ++i) {
        int error = MPI_SUCCESS;
        if (null_or_idle(requests[i])) {
            set_empty(nth(statuses, i));
        } else {
            const int own = comm_of_request(requests[i]);
            error = finish(&requests[i], nth(statuses, i));
            if (error != MPI_SUCCESS) comm = own;
        }
        if (statuses != MPI_STATUSES_IGNORE) statuses[i].MPI_ERROR = error;
        failed = failed || error != MPI_SUCCESS;
    }
    if (failed) throw Failure(MPI_ERR_IN_STATUS, "an operation failed; the statuses tell which", comm);
}

bool any_active(int count, const MPI_Request* requests) {
    for (int i = 0; i < count; ++i) {
        if (!null_or_idle(requests[i])) return true;
    }
    return false;
}

int first_done(int count, const MPI_Request* requests) {
    for (int i = 0; i < count; ++i) {
        if (!null_or_idle(requests[i]) && is_done(request_of(requests[i]))) return i;
    }
    return MPI_UNDEFINED;
}

// Of parts of which one is not enough: the wait for the next of them. False: the trace does not know them all.
bool log_await(int count, const MPI_Request* requests) {
    if (log() == nullptr) return false;
    std::vector<Bytes> numbers;
    const auto add = [&](const RequestObject& request) {
        if (!request.active || request.message.peer == MPI_PROC_NULL) return true;
        if (!is_logged(request)) return false;
        if (request.engine != no_request && !engine().done(request.engine)) numbers.push_back(request.number);
        return true;
    };
    for (int i = 0; i < count; ++i) {
        if (requests[i] == MPI_REQUEST_NULL) continue;
        const RequestObject& request = request_of(requests[i]);
        if (!add(request)) return false;
        if (request.sent != MPI_REQUEST_NULL && !add(request_of(request.sent))) return false;
    }
    log_requests(ActionKind::await, numbers);
    return true;
}

// Whether the trace has the wait, as this action; otherwise it has how long it took.
bool wait_for_one(ActionKind kind, int count, const MPI_Request* requests) {
    const bool logged = all_logged(count, requests);
    if (logged) log_all(kind, count, requests);
    while (first_done(count, requests) == MPI_UNDEFINED) {
        Ids ids = pending(count, requests);
        // One part of MPI_Isendrecv may be done.
        ids.erase(std::remove_if(ids.begin(), ids.end(), [](RequestId id) { return engine().done(id); }),
                  ids.end());
        if (ids.empty()) {
            engine().block(name_of(process().present));
            continue;
        }
        const bool named = !logged && log_await(count, requests);
        const Time begun = engine().now();
        engine().wait_any({ids.data(), ids.size()});
        if (!logged && !named) log_wait(begun);
    }
    return logged;
}

int take_some(int count, MPI_Request* requests, int* indices, MPI_Status* statuses, bool logged) {
    std::vector<int> done; // now: taking them takes time
    for (int i = 0; i < count; ++i) {
        if (!null_or_idle(requests[i]) && is_done(request_of(requests[i]))) done.push_back(i);
    }
    int found = 0;
    bool failed = false;
    for (const int i : done) {
        if (!logged) log_all(ActionKind::wait_all, 1, &requests[i]);
        take_from_engine(requests[i]);
        MPI_Status* const status = nth(statuses, found);
        const int error = finish(&requests[i], status);
        if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = error;
        failed = failed || error != MPI_SUCCESS;
        indices[found++] = i;
    }
    if (failed) throw Failure(MPI_ERR_IN_STATUS, "an operation failed; the statuses tell which");
    return found;
}

} // namespace

void wait_for(int count, MPI_Request* requests, MPI_Status* statuses) {
    if (const Ids ids = pending(count, requests); !ids.empty()) engine().wait({ids.data(), ids.size()});
    for (int i = 0; i < count; ++i) {
        if (requests[i] == MPI_REQUEST_NULL) continue;
        RequestObject& request = request_of(requests[i]);
        request.engine = no_request; // taken
        if (request.sent != MPI_REQUEST_NULL) request_of(request.sent).engine = no_request;
    }
    while (!all_others_done(count, requests)) engine().block(name_of(process().present));
    if (count == 1) {
        if (null_or_idle(requests[0])) return set_empty(statuses);
        take(&requests[0], statuses);
    } else {
        finish_all(count, requests, statuses);
    }
}

int Wait(MPI_Request* request, MPI_Status* status) {
    check(1, request);
    log_all(ActionKind::wait_all, 1, request);
    wait_for(1, request, status);
    return MPI_SUCCESS;
}

int Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    check(count, requests);
    log_all(ActionKind::wait_all, count, requests);
    if (count == 1) {
        wait_for(1, requests, statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses);
    } else {
        wait_for(count, requests, statuses);
    }
    return MPI_SUCCESS;
}

int Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
    check(count, requests);
    *index = MPI_UNDEFINED;
    if (!any_active(count, requests)) {
        set_empty(status);
        return MPI_SUCCESS;
    }
    const bool logged = wait_for_one(ActionKind::wait_any, count, requests);
    *index = first_done(count, requests);
    if (!logged) log_all(ActionKind::wait_all, 1, &requests[*index]);
    take(&requests[*index], status);
    return MPI_SUCCESS;
}

int Waitsome(int count, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[]) {
    check(count, requests);
    if (count > 0) check_pointer(indices, "the array of indices");
    *outcount = MPI_UNDEFINED;
    if (!any_active(count, requests)) return MPI_SUCCESS;
    const bool logged = wait_for_one(ActionKind::wait_some, count, requests);
    *outcount = take_some(count, requests, indices, statuses, logged);
    return MPI_SUCCESS;
}

int Test(MPI_Request* request, int* flag, MPI_Status* status) {
    check(1, request);
    *flag = 1;
    if (null_or_idle(*request)) {
        set_empty(status);
        return MPI_SUCCESS;
    }
    const bool logged = is_logged(request_of(*request)) && request_of(*request).sent == MPI_REQUEST_NULL;
    if (logged) log_all(ActionKind::test, 1, request);
    const Time begun = pay_test();
    if (!logged) log_test(begun);
    if (!is_done(request_of(*request))) {
        *flag = 0;
        test_failed();
        return MPI_SUCCESS;
    }
    test_succeeded();
    if (!logged) log_all(ActionKind::wait_all, 1, request);
    take(request, status);
    return MPI_SUCCESS;
}

int Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
    check(count, requests);
    const bool active = any_active(count, requests);
    if (active) log_test(pay_test());
    for (int i = 0; i < count; ++i) {
        if (null_or_idle(requests[i]) || is_done(request_of(requests[i]))) continue;
        *flag = 0;
        test_failed();
        return MPI_SUCCESS;
    }
    *flag = 1;
    if (active) test_succeeded();
    log_all(ActionKind::wait_all, count, requests);
    wait_for(count, requests, statuses);
    return MPI_SUCCESS;
}

int Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
    check(count, requests);
    *index = MPI_UNDEFINED;
    *flag = 1;
    if (!any_active(count, requests)) {
        set_empty(status);
        return MPI_SUCCESS;
    }
    log_test(pay_test());
    *index = first_done(count, requests);
    if (*index == MPI_UNDEFINED) {
        *flag = 0;
        test_failed();
        return MPI_SUCCESS;
    }
    test_succeeded();
    log_all(ActionKind::wait_all, 1, &requests[*index]);
    take(&requests[*index], status);
    return MPI_SUCCESS;
}

int Testsome(int count, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[]) {
    check(count, requests);
    if (count > 0) check_pointer(indices, "the array of indices");
    *outcount = MPI_UNDEFINED;
    if (!any_active(count, requests)) return MPI_SUCCESS;
    log_test(pay_test());
    if (first_done(count, requests) == MPI_UNDEFINED) {
        *outcount = 0;
        test_failed();
        return MPI_SUCCESS;
    }
    test_succeeded();
    *outcount = take_some(count, requests, indices, statuses, false);
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
