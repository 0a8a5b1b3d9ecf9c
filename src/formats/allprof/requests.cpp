#include "formats/allprof/requests.h"

#include <algorithm>

namespace orrery::allprof {

std::uint32_t RequestTable::activate(Request& request, std::uint32_t record) {
    request.active = true;
    request.record = record;
    request.serial = serial_++;
    if (request.what == What::nothing) return no_slot;
    if (free_slots_.empty()) {
        request.slot = out_.slots++;
    } else {
        request.slot = free_slots_.back();
        free_slots_.pop_back();
    }
    return request.slot;
}

void RequestTable::release(Request& request) {
    if (request.slot != no_slot) free_slots_.push_back(request.slot);
    request.slot = no_slot;
    request.active = false;
    request.last_test = no_record;
}

void RequestTable::complete(Request& request, std::uint32_t wait) {
    if (request.slot != no_slot) require(wait, request.slot);
    release(request);
}

std::uint32_t RequestTable::post(std::uint64_t address, What what, std::uint32_t stride, std::uint32_t record) {
    Request& request = requests_[address];
    request = {};
    request.what = what;
    request.stride = static_cast<std::uint8_t>(stride);
    return activate(request, record);
}

void RequestTable::make_persistent(std::uint64_t address, What what, std::uint32_t stride,
                                   const Record& prototype) {
    Request& request = requests_[address];
    request = {};
    request.what = what;
    request.stride = static_cast<std::uint8_t>(stride);
    request.prototype = static_cast<std::uint32_t>(prototypes_.size());
    prototypes_.push_back(prototype);
}

const Record* RequestTable::prototype(std::uint64_t address) const {
    const auto found = requests_.find(address);
    if (found == requests_.end() || found->second.prototype == no_record) return nullptr;
    return &prototypes_[found->second.prototype];
}

std::uint32_t RequestTable::start(std::uint64_t address, std::uint32_t record) {
    return activate(requests_.at(address), record);
}

// By the requests that are there: those of C in Open MPI are pointers, those of Fortran and of MPICH integers.
std::uint32_t RequestTable::stride_in(std::uint64_t base, std::uint64_t count) const {
    if (request_bytes_ != 0) return request_bytes_;
    const auto hits = [&](std::uint32_t stride) {
        std::uint64_t found = 0;
        const auto belongs = [&](std::uint64_t address, const Request& request) {
            return request.stride == stride && address >= base && (address - base) % stride == 0 &&
                   (address - base) / stride < count;
        };
        if (count < requests_.size()) {
            for (std::uint64_t i = 0; i < count; ++i) {
                const auto at = requests_.find(base + i * stride);
                found += at != requests_.end() && belongs(at->first, at->second) ? 1 : 0;
            }
        } else {
            for (const auto& [address, request] : requests_) found += belongs(address, request) ? 1 : 0;
        }
        return found;
    };
    return hits(4) > hits(8) ? 4 : 8;
}

std::vector<std::uint64_t> RequestTable::in_array(std::uint64_t base, std::uint64_t count) const {
    const std::uint32_t stride = stride_in(base, count);
    std::vector<std::uint64_t> found;
    if (count < requests_.size()) {
        for (std::uint64_t i = 0; i < count; ++i) {
            if (requests_.contains(base + i * stride)) found.push_back(base + i * stride);
        }
        return found;
    }
    for (const auto& [address, request] : requests_) {
        if (address >= base && (address - base) % stride == 0 && (address - base) / stride < count) {
            found.push_back(address);
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

bool RequestTable::covers(const Open& open, std::uint64_t address, const Request& request) const {
    const std::uint64_t stride = request_bytes_ != 0 ? request_bytes_ : request.stride;
    return request.serial < open.serial && address >= open.base && (address - open.base) % stride == 0 &&
           (address - open.base) / stride < open.count;
}

bool RequestTable::complete_earlier(std::uint64_t address, Request& request) {
    const auto found = std::find_if(open_.begin(), open_.end(),
                                    [&](const Open& open) { return covers(open, address, request); });
    if (found == open_.end() && request.last_test == no_record) return false;
    complete(request, found != open_.end() ? found->record : request.last_test);
    if (found != open_.end()) open_.erase(found);
    ++out_.tally.inferred_completions;
    return true;
}

std::uint32_t RequestTable::displace(std::uint64_t address) {
    const auto found = requests_.find(address);
    if (found == requests_.end() || !found->second.active) return no_slot;
    Request& request = found->second;
    if (complete_earlier(address, request)) return no_slot;
    const std::uint32_t slot = request.slot;
    release(request);
    // A send may have been left to itself (MPI_Request_free); the data of a receive is wanted.
    if (slot == no_slot || request.what == What::send) return no_slot;
    ++out_.tally.inferred_completions;
    return slot;
}

bool RequestTable::wait_one(std::uint64_t address, std::uint32_t wait) {
    const auto found = requests_.find(address);
    if (found == requests_.end()) return false;
    if (found->second.active) complete(found->second, wait);
    return true;
}

// Each open call has completed one request; those of `addresses` that it names come into question.
void RequestTable::fill_open(const std::vector<std::uint64_t>& addresses) {
    const auto fill = [&](const Open& open) {
        Request* oldest = nullptr;
        for (const std::uint64_t address : addresses) {
            Request& request = requests_.at(address);
            if (!request.active || !covers(open, address, request)) continue;
            if (oldest == nullptr || request.serial < oldest->serial) oldest = &request;
        }
        if (oldest == nullptr) return false;
        complete(*oldest, open.record);
        ++out_.tally.inferred_completions;
        return true;
    };
    open_.erase(std::remove_if(open_.begin(), open_.end(), fill), open_.end());
}

bool RequestTable::wait_all(std::uint64_t base, std::uint64_t count, std::uint32_t wait) {
    const std::vector<std::uint64_t> addresses = in_array(base, count);
    fill_open(addresses);
    for (const std::uint64_t address : addresses) {
        Request& request = requests_.at(address);
        if (request.active) complete(request, wait);
    }
    return !addresses.empty();
}

bool RequestTable::wait_any(std::uint64_t base, std::uint64_t count, std::uint32_t wait, bool some) {
    const std::vector<std::uint64_t> addresses = in_array(base, count);
    std::vector<Request*> active;
    for (const std::uint64_t address : addresses) {
        Request& request = requests_.at(address);
        if (!request.active) continue;
        active.push_back(&request);
        if (some) request.last_test = wait;
    }
    if (active.size() == 1) {
        complete(*active.front(), wait);
    } else if (!active.empty()) {
        open_.push_back({wait, base, count, serial_});
    }
    return !addresses.empty();
}

bool RequestTable::test(std::uint64_t base, std::uint64_t count, std::uint32_t wait) {
    const std::vector<std::uint64_t> addresses = in_array(base, count);
    for (const std::uint64_t address : addresses) {
        Request& request = requests_.at(address);
        if (request.active) request.last_test = wait;
    }
    return !addresses.empty();
}

void RequestTable::free(std::uint64_t address) {
    const auto found = requests_.find(address);
    if (found == requests_.end()) return;
    release(found->second);
    requests_.erase(found);
}

void RequestTable::cancel(std::uint64_t address) {
    const auto found = requests_.find(address);
    if (found == requests_.end() || !found->second.active || found->second.what != What::recv) return;
    out_.records[found->second.record].flags |= record_flag::dropped;
    ++out_.tally.cancelled;
    release(found->second);
    found->second.what = What::nothing; // the wait that must follow has nothing to wait for
    found->second.active = true;
}

std::vector<std::uint32_t> RequestTable::leftovers() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> active; // (order of posting, address)
    for (const auto& [address, request] : requests_) {
        if (request.active && request.what != What::nothing) active.emplace_back(request.serial, address);
    }
    std::sort(active.begin(), active.end());
    std::vector<std::uint64_t> addresses;
    addresses.reserve(active.size());
    for (const auto& entry : active) addresses.push_back(entry.second);
    fill_open(addresses);
    std::vector<std::uint32_t> slots;
    for (const std::uint64_t address : addresses) {
        Request& request = requests_.at(address);
        if (!request.active || complete_earlier(address, request) || request.what == What::send) continue;
        slots.push_back(request.slot);
        ++out_.tally.inferred_completions;
    }
    return slots;
}

void RequestTable::reset() {
    requests_.clear();
    open_.clear();
    pairs_.clear();
    free_slots_.clear();
    out_.slots = 0;
}

void RequestTable::seal() {
    std::stable_sort(pairs_.begin(), pairs_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t begin = 0; begin < pairs_.size();) {
        std::size_t end = begin;
        while (end < pairs_.size() && pairs_[end].first == pairs_[begin].first) ++end;
        Record& wait = out_.records[pairs_[begin].first];
        wait.slot = static_cast<std::uint32_t>(out_.waits.size());
        wait.peer = static_cast<std::uint32_t>(end - begin);
        for (; begin < end; ++begin) out_.waits.push_back(pairs_[begin].second);
    }
    pairs_.clear();
    drop_records(out_);
}

void drop_records(RankRecords& rank) {
    std::vector<Record>& records = rank.records;
    std::size_t kept = 0;
    std::size_t call = 0; // first kept record of the present call
    std::uint64_t carried = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const Record record = records[i];
        const bool empty_wait =
            record.kind == RecordKind::wait && record.has(record_flag::may_be_empty) && record.peer == 0;
        if (!record.has(record_flag::dropped) && !empty_wait) records[kept++] = record;
        if (record.has(record_flag::joined)) continue;
        carried += record.gap;
        if (kept == call) continue; // nothing is left of the call: its computing time goes to the next one
        records[kept - 1].gap = carried;
        records[kept - 1].flags &= static_cast<std::uint8_t>(~record_flag::joined);
        carried = 0;
        call = kept;
    }
    records.resize(kept);
}

} // namespace orrery::allprof
