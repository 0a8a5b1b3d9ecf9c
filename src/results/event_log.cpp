#include "results/event_log.h"

#include "engine/error.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace orrery {

std::string_view name_of(EventKind kind) {
    switch (kind) {
    case EventKind::compute: return "compute";
    case EventKind::noise: return "noise";
    case EventKind::core_wait: return "core_wait";
    case EventKind::send: return "send";
    case EventKind::receive: return "receive";
    case EventKind::call: return "call";
    case EventKind::transfer: return "transfer";
    case EventKind::control: return "control";
    case EventKind::idle: return "idle";
    case EventKind::startup: return "startup";
    case EventKind::latency: return "latency";
    case EventKind::collective: return "collective";
    }
    return "";
}

std::string_view name_of(EventCause cause) {
    switch (cause) {
    case EventCause::none: return "none";
    case EventCause::before: return "before";
    case EventCause::cpu: return "cpu";
    case EventCause::interface: return "interface";
    case EventCause::arrival: return "arrival";
    case EventCause::partner: return "partner";
    case EventCause::lock: return "lock";
    case EventCause::output_link: return "output_link";
    case EventCause::input_link: return "input_link";
    case EventCause::bus: return "bus";
    }
    return "";
}

EventLog::EventLog(std::size_t in_memory)
    : most_blocks_(std::max<std::size_t>(in_memory / (block_events * sizeof(LoggedEvent)), 1)),
      file_((std::filesystem::temp_directory_path() / "orrery-events").string()) {
    last_ = &blocks_.emplace_back();
}

void EventLog::next_block() {
    if (size() + block_events >= no_event)
        throw SimulationError(
            "too many events for a critical path or a table of events: a log holds 4,294,967,295 at most");
    first_of_last_ += block_events;
    Block fresh;
    if (blocks_.size() >= most_blocks_) {
        fresh = std::move(blocks_.front()); // its memory is used again
        blocks_.pop_front();
        file_.append(fresh.data(), fresh.size() * sizeof(LoggedEvent));
        ++spilled_;
        fresh.clear();
    }
    fresh.reserve(block_events);
    last_ = &blocks_.emplace_back(std::move(fresh));
}

LoggedEvent EventLog::read(std::uint32_t number) const {
    const std::uint64_t block = number / block_events;
    const std::size_t place = number % block_events;
    if (block >= spilled_) return blocks_[block - spilled_][place];
    if (again_is_ != block) {
        again_.resize(block_events);
        file_.read(block * block_events * sizeof(LoggedEvent), again_.data(),
                   block_events * sizeof(LoggedEvent));
        again_is_ = block;
    }
    return again_[place];
}

} // namespace orrery
