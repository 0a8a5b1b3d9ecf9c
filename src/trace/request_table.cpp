#include "trace/request_table.h"

namespace orrery::trace {

std::uint32_t RequestTable::add(Requests request) {
    const std::uint32_t slot = slots_.add();
    Request& added = slots_[slot];
    added.key = key_of(request[0]);
    added.place = request.place(0);
    added.youngest = slot;
    const auto [place, first] = oldest_.try_emplace(added.key, slot);
    if (!first) {
        Request& oldest = slots_[place->second];
        slots_[oldest.youngest].next = slot;
        oldest.youngest = slot;
    }
    return slot;
}

std::uint32_t RequestTable::find(MPI_Request handle, const void* place, std::uint64_t call) {
    if (handle == MPI_REQUEST_NULL) return no_number;
    const auto found = oldest_.find(key_of(handle));
    if (found == oldest_.end()) return no_number;
    const std::uint32_t slot =
        slots_[found->second].next == no_number ? found->second : find_among(found->second, place, call);
    if (slot == no_number || slots_[slot].seen == call) return no_number;
    slots_[slot].seen = call;
    return slot;
}

std::uint32_t RequestTable::find_among(std::uint32_t oldest, const void* place, std::uint64_t call) {
    std::uint32_t unseen = no_number;
    for (std::uint32_t slot = oldest; slot != no_number; slot = slots_[slot].next) {
        if (slots_[slot].seen == call) continue;
        if (slots_[slot].place == place) return slot;
        if (unseen == no_number) unseen = slot;
    }
    return unseen;
}

void RequestTable::remove(std::uint32_t slot) {
    Request& removed = slots_[slot];
    const auto place = oldest_.find(removed.key);
    if (place->second != slot) {
        Request& oldest = slots_[place->second];
        std::uint32_t before = place->second;
        while (slots_[before].next != slot) before = slots_[before].next;
        slots_[before].next = removed.next;
        if (oldest.youngest == slot) oldest.youngest = before;
    } else if (removed.next != no_number) {
        slots_[removed.next].youngest = removed.youngest;
        place.value() = removed.next;
    } else {
        oldest_.erase(place);
    }
    removed = Request{};
    slots_.remove(slot);
}

} // namespace orrery::trace
