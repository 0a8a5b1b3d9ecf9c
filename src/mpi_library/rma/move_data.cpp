// What operations do to memory. Only one rank runs at a time, so everything here is atomic.
#include "mpi_library/datatype/transfer.h"
#include "mpi_library/delivery.h"
#include "mpi_library/engine.h"
#include "mpi_library/op.h"
#include "mpi_library/rma/window.h"

#include <cstring>

namespace orrery::emulate::mpi {

namespace {

using HeldBytes = std::unique_ptr<std::byte[]>;

void* here(const Win& win, void* address) { return engine().payloads().memory_of(win.world_rank(), address); }

HeldBytes packed(const Operation::Place& place, const void* address, Bytes bytes) {
    HeldBytes made = std::make_unique_for_overwrite<std::byte[]>(bytes);
    pack(*place.type, address, place.count, 0, bytes, made.get());
    return made;
}

void put(const Operation& operation, const void* origin, void* target) {
    const Operation::Place& from = operation.origin;
    const Operation::Place& to = operation.target;
    if (operation.data != nullptr) {
        unpack(*to.type, target, to.count, 0, operation.bytes, operation.data.get());
    } else {
        copy(*from.type, origin, from.count, *to.type, target, to.count, operation.bytes);
    }
}

void accumulate(const Operation& operation, const void* origin, void* target) {
    if (operation.op == MPI_NO_OP) return;
    if (operation.op == MPI_REPLACE) return put(operation, origin, target);
    const Operation::Place& to = operation.target;
    HeldBytes own;
    const std::byte* in = operation.data.get();
    if (in == nullptr && operation.origin.type->dense()) in = static_cast<const std::byte*>(origin);
    if (in == nullptr) {
        own = packed(operation.origin, origin, operation.bytes);
        in = own.get();
    }
    const Op& combine = op(operation.op);
    if (to.type->dense()) {
        reduce_packed(combine, operation.basic, in, static_cast<std::byte*>(target), operation.bytes, true);
        return;
    }
    const HeldBytes values = packed(to, target, operation.bytes);
    reduce_packed(combine, operation.basic, in, values.get(), operation.bytes, true);
    unpack(*to.type, target, to.count, 0, operation.bytes, values.get());
}

void move_data(Operation& operation) {
    void* const target = here(*operation.to, operation.target.address);
    const bool in_buffer = operation.writes() && operation.data == nullptr;
    const void* const origin = in_buffer ? here(*operation.from, operation.origin.address) : nullptr;
    if (operation.reads()) operation.answer = packed(operation.target, target, operation.bytes);
    switch (operation.kind) {
    case Operation::Kind::put: return put(operation, origin, target);
    case Operation::Kind::get: return;
    case Operation::Kind::accumulate: return accumulate(operation, origin, target);
    case Operation::Kind::compare_and_swap: { // the data: what is compared, then what is new
        const std::byte* const data = operation.data.get();
        if (std::memcmp(data, operation.answer.get(), operation.bytes) != 0) return;
        const Operation::Place& to = operation.target;
        return unpack(*to.type, target, to.count, 0, operation.bytes, data + operation.bytes);
    }
    }
}

class Memory final : public WindowMemory {
    void perform(const WindowOperation& operation) override {
        delivery.one_sided = &of(operation);
        move_data(of(operation));
        delivery.one_sided = nullptr;
        if (!operation.answered) delete &of(operation);
    }
    void take_answer(const WindowOperation& operation) override {
        const std::unique_ptr<Operation> read(&of(operation));
        const Operation::Place& to = read->result;
        delivery.one_sided = read.get();
        unpack(*to.type, here(*read->from, to.address), to.count, 0, read->bytes, read->answer.get());
        delivery.one_sided = nullptr;
    }
    static Operation& of(const WindowOperation& operation) {
        return *static_cast<Operation*>(operation.memory);
    }
};

} // namespace

WindowMemory& rma_memory() {
    static Memory memory;
    return memory;
}

} // namespace orrery::emulate::mpi
