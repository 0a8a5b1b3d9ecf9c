#include "mpi_library/request.h"

#include "mpi_library/engine.h"
#include "mpi_library/message.h"
#include "mpi_library/process_state.h"

namespace orrery::emulate::mpi {

namespace {

// A pool of objects that do not move: requests come and go with every message.
class Pool {
  public:
    // Null if there is none.
    RequestObject* find(std::uint32_t index) {
        return index < size_ ? &chunks_[index / chunk][index % chunk] : nullptr;
    }
    std::uint32_t add(RequestObject&& request) {
        std::uint32_t index = size_;
        if (unused_.empty()) {
            if (size_ % chunk == 0) chunks_.push_back(std::make_unique<RequestObject[]>(chunk));
            ++size_;
        } else {
            index = unused_.back();
            unused_.pop_back();
        }
        *find(index) = std::move(request);
        return index;
    }
    // What a handle to it must not find any more; the rest is overwritten by the next one.
    void remove(std::uint32_t index) {
        RequestObject& request = *find(index);
        request.kind = RequestObject::Kind::none;
        request.message.type = {};
        request.extra.reset();
        unused_.push_back(index);
    }

  private:
    static constexpr std::uint32_t chunk = 256;
    std::vector<std::unique_ptr<RequestObject[]>> chunks_;
    std::vector<std::uint32_t> unused_;
    std::uint32_t size_ = 0;
};

Pool pool;

} // namespace

RequestObject& request_of(MPI_Request handle) {
    RequestObject* const found =
        is_kind(handle, Kind::request) ? pool.find(index_of(handle) - first_own) : nullptr;
    if (found == nullptr || found->kind == RequestObject::Kind::none) {
        throw Failure(MPI_ERR_REQUEST, handle == MPI_REQUEST_NULL
                                           ? "the request is MPI_REQUEST_NULL"
                                           : "this is no request, or it has been completed or freed");
    }
    return *found;
}

MPI_Request new_request(RequestObject&& request) {
    request.rank = self().index;
    ++process().requests;
    return handle_of(Kind::request, first_own + pool.add(std::move(request)));
}

void drop_request(MPI_Request handle) {
    const std::uint32_t index = index_of(handle) - first_own;
    const RequestObject& request = *pool.find(index);
    --engine().rank(request.rank).mpi->requests;
    if (request.message.comm != nullptr && --request.message.comm->uses == 0)
        free_unused_comm(request.message.comm->handle);
    pool.remove(index);
}

MPI_Request finished_request(const MPI_Status& status) {
    RequestObject made;
    made.kind = RequestObject::Kind::other;
    made.active = true;
    made.complete = true;
    made.extra = std::make_unique<RequestObject::Extra>();
    made.extra->status = status;
    return new_request(std::move(made));
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
