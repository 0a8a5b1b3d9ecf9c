#include "trace/communicator_table.h"

namespace orrery::trace {

Communicator* CommunicatorTable::look_up(MPI_Comm handle) {
    const auto found = all_.find(key_of(handle));
    if (found == all_.end()) return nullptr;
    last_handle_ = handle;
    last_ = found->second.get();
    return last_;
}

Communicator& CommunicatorTable::add(MPI_Comm handle, Communicator communicator) {
    remove(handle);
    last_handle_ = handle;
    last_ = (all_[key_of(handle)] = std::make_unique<Communicator>(std::move(communicator))).get();
    return *last_;
}

Communicator CommunicatorTable::remove(MPI_Comm handle) {
    const auto found = all_.find(key_of(handle));
    if (found == all_.end()) return {};
    Communicator removed = std::move(*found->second);
    all_.erase(found);
    last_ = nullptr;
    if (removed.recorded()) numbers_.give_back(removed.number);
    return removed;
}

} // namespace orrery::trace
