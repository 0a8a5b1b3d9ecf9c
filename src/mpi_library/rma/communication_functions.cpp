// Put, get, accumulate and their like.
#include "functions.h"
#include "mpi_library/datatype/transfer.h"
#include "mpi_library/engine.h"
#include "mpi_library/logging.h"
#include "mpi_library/op.h"
#include "mpi_library/request.h"
#include "mpi_library/rma/target.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

namespace orrery::emulate::mpi {

namespace {

using What = Operation::Kind;

struct Buffer {
    const void* address;
    int count;
    MPI_Datatype type;
};

Operation::Place checked(const Buffer& buffer) {
    if (buffer.count < 0) throw Failure(MPI_ERR_COUNT, fmt::format("the count is {}", buffer.count));
    const Datatype& type = committed_datatype(buffer.type);
    if (buffer.address == nullptr && buffer.count > 0 && type.size() > 0 && type.dense())
        throw Failure(MPI_ERR_BUFFER, "the buffer is a null pointer");
    return {const_cast<void*>(buffer.address), buffer.count, TypeRef(type)};
}

Bytes bytes_of(const Operation::Place& place) { return static_cast<Bytes>(place.count) * place.type->size(); }

// The one predefined type that a datatype consists of; null if there are several, or none.
MPI_Datatype basic_of(const Datatype& type) {
    if (type.basic() != MPI_DATATYPE_NULL) return type.basic();
    MPI_Datatype found = MPI_DATATYPE_NULL;
    for (const Datatype::Part& part : type.shape().parts) {
        if (part.count == 0 || part.type->size() == 0) continue;
        const MPI_Datatype here = basic_of(*part.type);
        if (here == MPI_DATATYPE_NULL || (found != MPI_DATATYPE_NULL && here != found))
            return MPI_DATATYPE_NULL;
        found = here;
    }
    return found;
}

// Of an accumulate: what the operation combines.
MPI_Datatype combined_type(const Operation& operation) {
    const Op& combine = op(operation.op);
    if (!combine.predefined()) throw Failure(MPI_ERR_OP, "accumulates take predefined operations only");
    if (operation.op == MPI_NO_OP || operation.op == MPI_REPLACE || operation.bytes == 0)
        return MPI_DATATYPE_NULL;
    const MPI_Datatype basic = basic_of(*operation.target.type);
    if (basic == MPI_DATATYPE_NULL || basic_of(*operation.origin.type) != basic)
        throw Failure(MPI_ERR_TYPE, "origin and target must consist of the same predefined type");
    combine.check(datatype(basic));
    return basic;
}

void check_same_size(const Operation::Place& a, const Operation::Place& b) {
    if (bytes_of(a) != bytes_of(b))
        throw Failure(MPI_ERR_TYPE,
                      fmt::format("{} bytes on one side, {} on the other", bytes_of(a), bytes_of(b)));
}

// Short data may be changed by the origin as soon as the call is over.
void keep_short(Operation& operation) {
    if (operation.bytes >= engine().endpoint().eager_below) return;
    const Operation::Place& from = operation.origin;
    operation.data = std::make_unique_for_overwrite<std::byte[]>(operation.bytes);
    pack(*from.type, from.address, from.count, 0, operation.bytes, operation.data.get());
}

struct Target {
    int rank;
    MPI_Aint displacement;
    int count;
    MPI_Datatype type;
};

// A request that is done when `id` is; no_request: done at once.
MPI_Request request_for(RequestId id, std::uint32_t number) {
    RequestObject made;
    made.kind = RequestObject::Kind::collective; // has an empty status, too
    made.active = true;
    made.engine = id;
    made.number = number;
    if (id == no_request) made.message.peer = MPI_PROC_NULL;
    return new_request(std::move(made));
}

// `request`: null, or where that of the operation goes.
void start(Win& win, std::unique_ptr<Operation> operation, const Target& target, MPI_Request* request) {
    const std::optional<std::uint32_t> to = open_target(win, target.rank, request != nullptr);
    if (target.count < 0) throw Failure(MPI_ERR_COUNT, fmt::format("the target's count is {}", target.count));
    operation->target = {nullptr, target.count, TypeRef(committed_datatype(target.type))};
    operation->bytes = bytes_of(operation->target);
    if (operation->origin.type && operation->writes()) check_same_size(operation->origin, operation->target);
    if (operation->result.type) check_same_size(operation->result, operation->target);
    if (operation->kind == What::accumulate) operation->basic = combined_type(*operation);
    if (!to || operation->bytes == 0) {
        if (request != nullptr) *request = request_for(no_request, not_logged);
        return;
    }
    operation->from = &win;
    operation->to = win.all->members[*to];
    operation->target.address =
        place_in(*operation->to, target.displacement, target.count, *operation->target.type);
    if (operation->writes() && operation->kind != What::compare_and_swap) keep_short(*operation);
    const Bytes bytes = operation->kind == What::compare_and_swap ? 2 * operation->bytes : operation->bytes;
    const Bytes out = operation->writes() ? bytes : 0;
    const Bytes back = operation->reads() ? operation->bytes : 0;
    const std::uint32_t number =
        request != nullptr && log() != nullptr ? log()->new_request(self().index) : not_logged;
    log_one_sided(*win.comm, *to, out, back, number);
    RequestId id = no_request;
    engine().one_sided(*win.state, *to, out, back, request != nullptr ? &id : nullptr, operation.release());
    if (request != nullptr) *request = request_for(id, number);
}

std::unique_ptr<Operation> make(What kind, MPI_Op op = MPI_OP_NULL) {
    auto made = std::make_unique<Operation>();
    made->kind = kind;
    made->op = op;
    return made;
}

int put(const Buffer& origin, const Target& target, MPI_Win win, MPI_Request* request) {
    return on_win(win, [&](Win& found) {
        auto operation = make(What::put);
        operation->origin = checked(origin);
        start(found, std::move(operation), target, request);
    });
}

int get(const Buffer& origin, const Target& target, MPI_Win win, MPI_Request* request) {
    return on_win(win, [&](Win& found) {
        auto operation = make(What::get);
        operation->result = checked(origin);
        start(found, std::move(operation), target, request);
    });
}

int accumulate(const Buffer& origin, const Target& target, MPI_Op op, MPI_Win win, MPI_Request* request) {
    return on_win(win, [&](Win& found) {
        if (op == MPI_NO_OP) throw Failure(MPI_ERR_OP, "MPI_NO_OP is for accumulates that also get");
        auto operation = make(What::accumulate, op);
        operation->origin = checked(origin);
        start(found, std::move(operation), target, request);
    });
}

int get_accumulate(const Buffer& origin, const Buffer& result, const Target& target, MPI_Op op, MPI_Win win,
                   MPI_Request* request) {
    return on_win(win, [&](Win& found) {
        auto operation = make(What::accumulate, op);
        if (op != MPI_NO_OP) operation->origin = checked(origin);
        operation->result = checked(result);
        start(found, std::move(operation), target, request);
    });
}

// Of compare and swap: C and Fortran integers, logical types, multi-language types and bytes.
void check_comparable(const Datatype& type) {
    switch (type.type_class()) {
    case TypeClass::c_integer:
    case TypeClass::fortran_integer:
    case TypeClass::logical:
    case TypeClass::byte:
    case TypeClass::multi: return;
    default:
        if (type.handle() == MPI_CHAR) return;
        throw Failure(MPI_ERR_TYPE, "compare and swap is for integers, logical values and bytes");
    }
}

} // namespace

int Put(const void* origin, int count, MPI_Datatype type, int rank, MPI_Aint displacement, int target_count,
        MPI_Datatype target_type, MPI_Win win) {
    return put({origin, count, type}, {rank, displacement, target_count, target_type}, win, nullptr);
}

int Rput(const void* origin, int count, MPI_Datatype type, int rank, MPI_Aint displacement, int target_count,
         MPI_Datatype target_type, MPI_Win win, MPI_Request* request) {
    return put({origin, count, type}, {rank, displacement, target_count, target_type}, win, request);
}

int Get(void* origin, int count, MPI_Datatype type, int rank, MPI_Aint displacement, int target_count,
        MPI_Datatype target_type, MPI_Win win) {
    return get({origin, count, type}, {rank, displacement, target_count, target_type}, win, nullptr);
}

int Rget(void* origin, int count, MPI_Datatype type, int rank, MPI_Aint displacement, int target_count,
         MPI_Datatype target_type, MPI_Win win, MPI_Request* request) {
    return get({origin, count, type}, {rank, displacement, target_count, target_type}, win, request);
}

int Accumulate(const void* origin, int count, MPI_Datatype type, int rank, MPI_Aint displacement,
               int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
    return accumulate({origin, count, type}, {rank, displacement, target_count, target_type}, op, win, nullptr);
}

int Raccumulate(const void* origin, int count, MPI_Datatype type, int rank, MPI_Aint displacement,
                int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request* request) {
    return accumulate({origin, count, type}, {rank, displacement, target_count, target_type}, op, win, request);
}

int Get_accumulate(const void* origin, int count, MPI_Datatype type, void* result, int result_count,
                   MPI_Datatype result_type, int rank, MPI_Aint displacement, int target_count,
                   MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
    return get_accumulate({origin, count, type}, {result, result_count, result_type},
                          {rank, displacement, target_count, target_type}, op, win, nullptr);
}

int Rget_accumulate(const void* origin, int count, MPI_Datatype type, void* result, int result_count,
                    MPI_Datatype result_type, int rank, MPI_Aint displacement, int target_count,
                    MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request* request) {
    return get_accumulate({origin, count, type}, {result, result_count, result_type},
                          {rank, displacement, target_count, target_type}, op, win, request);
}

int Fetch_and_op(const void* origin, void* result, MPI_Datatype type, int rank, MPI_Aint displacement,
                 MPI_Op op, MPI_Win win) {
    if (datatype(type).basic() == MPI_DATATYPE_NULL)
        throw Failure(MPI_ERR_TYPE, "MPI_Fetch_and_op takes predefined datatypes only", win);
    return get_accumulate({origin, 1, type}, {result, 1, type}, {rank, displacement, 1, type}, op, win,
                          nullptr);
}

int Compare_and_swap(const void* origin, const void* compare, void* result, MPI_Datatype type, int rank,
                     MPI_Aint displacement, MPI_Win win) {
    return on_win(win, [&](Win& found) {
        auto operation = make(What::compare_and_swap);
        const Operation::Place given = checked({origin, 1, type});
        const Operation::Place compared = checked({compare, 1, type});
        check_comparable(*given.type);
        operation->result = checked({result, 1, type});
        const Bytes bytes = bytes_of(given);
        operation->data = std::make_unique_for_overwrite<std::byte[]>(2 * bytes);
        pack(*given.type, compared.address, 1, 0, bytes, operation->data.get());
        pack(*given.type, given.address, 1, 0, bytes, operation->data.get() + bytes);
        start(found, std::move(operation), {rank, displacement, 1, type}, nullptr);
    });
}

} // namespace orrery::emulate::mpi
