// Completion of requests: a test that succeeds is recorded as the wait that it amounts to, one that does not as
// nothing.
#include "trace/hooks.h"
#include "trace/hooks_state.h"

namespace orrery::trace {

namespace {

// A request is done. Gives the number to wait for, or none; a cancelled one is forgotten, not waited for.
std::uint32_t complete(std::uint32_t slot, bool cancelled) {
    if (slot == no_number) return no_number;
    RequestTable& requests = hooks_state->requests;
    Request& request = requests[slot];
    const std::uint32_t number = request.number;
    RequestDetail* const detail = request.detail.get();
    if (detail != nullptr && detail->persistent) {
        request.number = no_number; // until it is started again
        request.cancelled = false;
    } else {
        if (detail != nullptr && detail->communicator.recorded())
            hooks_state->communicators.add(detail->place[0], std::move(detail->communicator));
        requests.remove(slot);
    }
    if (number == no_number) return no_number;
    if (cancelled) {
        put_forget(number);
        return no_number;
    }
    requests.free_number(number);
    return number;
}

void wait_for(std::uint32_t slot, bool cancelled) {
    Action action;
    action.kind = ActionKind::wait;
    action.request = complete(slot, cancelled);
    if (action.request != no_number) put(action);
}

void put_wait_all() {
    const std::vector<Bytes>& numbers = hooks_state->counts;
    if (numbers.empty()) return; // without numbers it would be a wait for all that there are
    Action action;
    action.kind = ActionKind::wait_all;
    put(action, numbers.data(), numbers.size());
}

void wait_for_index(int index, int base, const Statuses& status) {
    if (index != MPI_UNDEFINED)
        wait_for(look_of_this_thread().slots[static_cast<std::size_t>(index - base)], status.cancelled(0));
}

} // namespace

namespace hooks {

void look(int count, Requests requests) noexcept {
    Look& look = look_of_this_thread();
    RequestTable& table = hooks_state->requests;
    const std::uint64_t call = table.new_call();
    look.slots.clear();
    look.cancelled = false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const std::uint32_t slot = table.find(requests[i], requests.place(i), call);
        look.slots.push_back(slot);
        if (slot != no_number) look.cancelled |= table[slot].cancelled;
    }
}

void wait(const Statuses& status) noexcept { wait_for(look_of_this_thread().slots[0], status.cancelled(0)); }

void wait_all(const Statuses& statuses) noexcept {
    const Look& look = look_of_this_thread();
    std::vector<Bytes>& numbers = hooks_state->counts;
    numbers.clear();
    for (std::size_t i = 0; i < look.slots.size(); ++i) {
        const std::uint32_t number = complete(look.slots[i], statuses.cancelled(i));
        if (number != no_number) numbers.push_back(number);
    }
    put_wait_all();
}

void wait_any(int index, int base, const Statuses& status) noexcept { wait_for_index(index, base, status); }

void wait_some(int done, const int* indices, int base, const Statuses& statuses) noexcept {
    if (done == MPI_UNDEFINED) return;
    const Look& look = look_of_this_thread();
    std::vector<Bytes>& numbers = hooks_state->counts;
    numbers.clear();
    for (std::size_t i = 0; i < static_cast<std::size_t>(done); ++i) {
        const std::uint32_t slot = look.slots[static_cast<std::size_t>(indices[i] - base)];
        const std::uint32_t number = complete(slot, statuses.cancelled(i));
        if (number != no_number) numbers.push_back(number);
    }
    put_wait_all();
}

void test(int flag, const Statuses& status) noexcept {
    if (flag != 0) wait(status);
}

void test_all(int flag, const Statuses& statuses) noexcept {
    if (flag != 0) wait_all(statuses);
}

void test_any(int flag, int index, int base, const Statuses& status) noexcept {
    if (flag != 0) wait_for_index(index, base, status);
}

void cancel(int count, Requests request) noexcept {
    look(count, request);
    for (const std::uint32_t slot : look_of_this_thread().slots) {
        if (slot != no_number) hooks_state->requests[slot].cancelled = true;
    }
}

void request_free() noexcept {
    const std::uint32_t slot = look_of_this_thread().slots[0];
    if (slot == no_number) return;
    const std::uint32_t number = hooks_state->requests[slot].number;
    hooks_state->requests.remove(slot);
    if (number != no_number) put_forget(number);
}

} // namespace hooks

} // namespace orrery::trace
