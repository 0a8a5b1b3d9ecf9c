#include "emulate/mpi/rma/channel.h"

#include "emulate/engine.h"
#include "emulate/mpi/request.h"
#include "emulate/mpi/rma/window.h"

#include <utility>

namespace orrery::emulate::mpi {

namespace {

bool uses_buffers(const Operation& operation) {
    switch (operation.kind) {
    case Operation::Kind::put:
    case Operation::Kind::accumulate: return operation.answered || operation.data == nullptr;
    case Operation::Kind::get:
    case Operation::Kind::compare_and_swap: return true;
    default: return false;
    }
}

bool has_data(const Operation& operation) { return operation.bytes > 0; }

// What its message carries to the target.
Bytes carried(const Operation& operation) {
    switch (operation.kind) {
    case Operation::Kind::put: return operation.bytes;
    case Operation::Kind::accumulate: return operation.op == MPI_NO_OP ? 0 : operation.bytes;
    case Operation::Kind::compare_and_swap: return 2 * operation.bytes;
    default: return engine().endpoint().control_bytes;
    }
}

void finish(const Operation& operation) {
    if (operation.request == MPI_REQUEST_NULL) return;
    MPI_Status status;
    set_empty(&status);
    finish_request(operation.request, status);
}

void release_buffers(const Operation& operation) {
    --operation.channel->using_buffers;
    --operation.channel->origin->using_buffers;
    finish(operation);
}

void on_answer(void* what) {
    const std::unique_ptr<Operation> operation(static_cast<Operation*>(what));
    Win& origin = *operation->channel->origin;
    if (has_data(*operation)) {
        take_answer(*operation);
        release_buffers(*operation);
    } else {
        --origin.awaited;
    }
    origin.wake();
}

void answer(std::unique_ptr<Operation> operation) {
    const Channel& channel = *operation->channel;
    const Bytes bytes = has_data(*operation) ? operation->bytes : engine().endpoint().control_bytes;
    engine().carry(channel.target->world_rank(), channel.origin->world_rank(), bytes, on_answer,
                   operation.release());
}

bool is_free(const Win& target, bool shared) { return !target.exclusive && (shared || target.sharing == 0); }

void acquire(Win& target, bool shared) {
    if (shared) {
        ++target.sharing;
    } else {
        target.exclusive = true;
    }
}

void perform(std::unique_ptr<Operation> operation);

// Locks are given in the order in which they came.
void release_lock(Win& target) {
    if (target.exclusive) {
        target.exclusive = false;
    } else {
        --target.sharing;
    }
    while (!target.queued.empty() && is_free(target, target.queued.front()->shared)) {
        std::unique_ptr<Operation> next(target.queued.front());
        target.queued.pop_front();
        Channel& channel = *next->channel;
        acquire(target, next->shared);
        channel.held_up = false;
        perform(std::move(next));
        target.all->ready.push_back(&channel);
    }
}

void perform(std::unique_ptr<Operation> operation) {
    Channel& channel = *operation->channel;
    Win& target = *channel.target;
    ++channel.performed;
    --channel.origin->under_way;
    switch (operation->kind) {
    case Operation::Kind::put:
    case Operation::Kind::get:
    case Operation::Kind::accumulate:
    case Operation::Kind::compare_and_swap:
        move_data(*operation);
        if (!operation->answered && operation->data == nullptr) release_buffers(*operation);
        break;
    case Operation::Kind::unlock: release_lock(target); break;
    case Operation::Kind::complete:
        ++target.completed;
        target.wake();
        break;
    case Operation::Kind::lock:
    case Operation::Kind::flush: break;
    }
    channel.origin->wake();
    if (operation->answered) answer(std::move(operation));
}

void go_on(Channel& channel) {
    while (!channel.held_up && !channel.arrived.empty() &&
           channel.arrived.begin()->first == channel.performed) {
        std::unique_ptr<Operation> next = std::move(channel.arrived.begin()->second);
        channel.arrived.erase(channel.arrived.begin());
        Win& target = *channel.target;
        if (next->kind == Operation::Kind::lock) {
            if (!target.queued.empty() || !is_free(target, next->shared)) {
                channel.held_up = true;
                target.queued.push_back(next.release());
                return;
            }
            acquire(target, next->shared);
        }
        perform(std::move(next));
    }
}

void on_arrival(void* what) {
    std::unique_ptr<Operation> operation(static_cast<Operation*>(what));
    Channel& channel = *operation->channel;
    const std::shared_ptr<Window> all = channel.target->all;
    const std::uint64_t number = operation->number;
    channel.arrived.emplace(number, std::move(operation));
    all->ready.push_back(&channel);
    if (all->working) return;
    all->working = true;
    while (!all->ready.empty()) { // an unlock adds to them
        Channel& next = *all->ready.front();
        all->ready.pop_front();
        go_on(next);
    }
    all->working = false;
}

} // namespace

void send(Channel& channel, std::unique_ptr<Operation> operation) {
    Win& origin = *channel.origin;
    const Bytes bytes = carried(*operation);
    operation->channel = &channel;
    operation->number = channel.sent++;
    ++origin.under_way;
    if (uses_buffers(*operation)) {
        ++channel.using_buffers;
        ++origin.using_buffers;
    } else if (has_data(*operation)) {
        finish(*operation);
    } else if (operation->answered) {
        ++origin.awaited;
    }
    if (operation->answered) {
        channel.unconfirmed = false; // its answer says that all before it are performed
    } else if (has_data(*operation)) {
        channel.unconfirmed = true;
    }
    engine().sleep(engine().endpoint().isend_cost(bytes));
    engine().carry(origin.world_rank(), channel.target->world_rank(), bytes, on_arrival, operation.release());
}

void send(Channel& channel, Operation::Kind kind, bool answered, bool shared) {
    auto operation = std::make_unique<Operation>();
    operation->kind = kind;
    operation->answered = answered;
    operation->shared = shared;
    send(channel, std::move(operation));
}

} // namespace orrery::emulate::mpi
