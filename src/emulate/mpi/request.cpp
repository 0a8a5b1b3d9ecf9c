#include "emulate/mpi/request.h"

#include "emulate/engine.h"
#include "emulate/mpi/message.h"
#include "emulate/mpi/process_state.h"

namespace orrery::emulate::mpi {

namespace {

// A pool of objects that do not move: requests come and go with every message.
struct Pool {
    std::deque<RequestObject> all;
    std::vector<std::uint32_t> unused;
};

Pool& pool() {
    static Pool requests;
    return requests;
}

} // namespace

RequestObject& request_of(MPI_Request handle) {
    const std::uint32_t index = index_of(handle);
    if (!is_kind(handle, Kind::request) || index < first_own || index - first_own >= pool().all.size() ||
        pool().all[index - first_own].kind == RequestObject::Kind::none) {
        throw Failure(MPI_ERR_REQUEST, handle == MPI_REQUEST_NULL
                                           ? "the request is MPI_REQUEST_NULL"
                                           : "this is no request, or it has been completed or freed");
    }
    return pool().all[index - first_own];
}

MPI_Request new_request(RequestObject&& request) {
    Pool& requests = pool();
    std::uint32_t index = 0;
    if (requests.unused.empty()) {
        index = static_cast<std::uint32_t>(requests.all.size());
        requests.all.push_back(std::move(request));
    } else {
        index = requests.unused.back();
        requests.unused.pop_back();
        requests.all[index] = std::move(request);
    }
    requests.all[index].rank = self().index;
    ++process().requests;
    return handle_of(Kind::request, first_own + index);
}

void drop_request(MPI_Request handle) {
    const std::uint32_t index = index_of(handle) - first_own;
    RequestObject& request = pool().all[index];
    --engine().rank(request.rank).mpi->requests;
    if (request.message.comm != nullptr && --request.message.comm->uses == 0)
        free_unused_comm(request.message.comm->handle);
    request = RequestObject{};
    pool().unused.push_back(index);
}

MPI_Request other_request() {
    RequestObject made;
    made.kind = RequestObject::Kind::other;
    made.active = true;
    set_empty(&made.status);
    return new_request(std::move(made));
}

void finish_request(MPI_Request handle, const MPI_Status& status) {
    RequestObject& request = request_of(handle);
    request.complete = true;
    request.status = status;
    if (request.freed) {
        drop_request(handle);
    } else {
        engine().wake(request.rank);
    }
}

bool is_logged(const RequestObject& request) {
    return request.active && request.number != not_logged && request.message.mode != Mode::buffered;
}

bool is_done(const RequestObject& request) {
    if (!request.active) return true;
    if (request.sent != MPI_REQUEST_NULL && !is_done(request_of(request.sent))) return false;
    if (request.kind == RequestObject::Kind::other || request.kind == RequestObject::Kind::generalised)
        return request.complete;
    return request.engine == no_request || engine().done(request.engine);
}

} // namespace orrery::emulate::mpi
