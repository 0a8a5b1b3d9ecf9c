// Actions as lines of text, so that what a program should leave can be written down: "isend 1 tag 5 bytes 8
// request 0". The communicator is named unless it is that of all ranks.
#pragma once

#include "workload/action.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <string>

namespace orrery::test {

inline std::string peer_text(std::uint32_t peer) { return peer == any_source ? "any" : fmt::to_string(peer); }
inline std::string tag_text(std::uint32_t tag) { return tag == any_tag ? "any" : fmt::to_string(tag); }

inline std::string collective_text(const Action& action, std::span<const Bytes> counts) {
    std::string text = fmt::format("{}{}", action.nonblocking ? "i" : "", name_of(action.collective));
    switch (action.collective) {
    case Collective::bcast:
    case Collective::gather:
    case Collective::gatherv:
    case Collective::scatter:
    case Collective::scatterv:
    case Collective::reduce: text += fmt::format(" root {}", action.peer); break;
    default: break;
    }
    if (action.collective != Collective::barrier) text += fmt::format(" bytes {}", action.bytes);
    if (action.element != 1) text += fmt::format(" element {}", action.element);
    if (!action.commutative) text += " ordered";
    if (!counts.empty()) text += fmt::format(" counts {}", fmt::join(counts, " "));
    if (action.nonblocking) text += fmt::format(" request {}", action.request);
    return text;
}

inline std::string window_text(const Action& action, std::span<const Bytes> ranks) {
    const auto call = static_cast<WindowCall>(action.other);
    std::string text(name_of(call));
    if (has_target(call)) text += fmt::format(" {}", action.peer);
    if (has_flags(call)) text += fmt::format(" flags {}", action.tag);
    if (has_ranks(call)) text += fmt::format(" ranks {}", fmt::join(ranks, " "));
    return text;
}

inline std::string body_text(const Action& action, std::span<const Bytes> counts) {
    const auto message = [&](const char* name) {
        return fmt::format("{} {} tag {} bytes {}", name, peer_text(action.peer), tag_text(action.tag),
                           action.bytes);
    };
    const auto started = [&](const char* name) {
        return fmt::format("{} request {}", message(name), action.request);
    };
    switch (action.kind) {
    case ActionKind::send: return message("send");
    case ActionKind::ssend: return message("ssend");
    case ActionKind::recv: return message("recv");
    case ActionKind::isend: return started("isend");
    case ActionKind::issend: return started("issend");
    case ActionKind::irecv: return started("irecv");
    case ActionKind::sendrecv:
        return fmt::format("{} from {} bytes {}", message("sendrecv"), peer_text(action.other),
                           action.more_bytes);
    case ActionKind::probe: return fmt::format("probe {} tag {}", peer_text(action.peer), tag_text(action.tag));
    case ActionKind::wait: return fmt::format("wait {}", action.request);
    case ActionKind::wait_all: return fmt::format("waitall {}", fmt::join(counts, " "));
    case ActionKind::forget: return fmt::format("forget {}", action.request);
    case ActionKind::collective: return collective_text(action, counts);
    case ActionKind::comm_split:
        if (action.peer == any_source) return "split none";
        return fmt::format("split colour {} key {} -> {}", action.peer, action.other, action.request);
    case ActionKind::comm_dup: return fmt::format("dup -> {}", action.request);
    case ActionKind::comm_create: return fmt::format("create {} -> {}", fmt::join(counts, " "), action.request);
    case ActionKind::comm_free: return "free";
    case ActionKind::neighbours:
        return fmt::format("neighbours from {} to {}", fmt::join(counts.first(action.peer), " "),
                           fmt::join(counts.subspan(action.peer), " "));
    case ActionKind::one_sided: {
        const std::string text =
            fmt::format("rma {} bytes {} back {}", action.peer, action.bytes, action.more_bytes);
        return action.nonblocking ? fmt::format("i{} request {}", text, action.request) : text;
    }
    case ActionKind::window: return window_text(action, counts);
    case ActionKind::await: return fmt::format("await {}", fmt::join(counts, " "));
    case ActionKind::cancel: return fmt::format("cancel {}", action.request);
    case ActionKind::aside: return fmt::format("aside {} request {}", fmt::join(counts, " "), action.request);
    default: return "?";
    }
}

inline std::string action_text(const Action& action, std::span<const Bytes> counts) {
    const std::string body = body_text(action, counts);
    return action.comm == world ? body : fmt::format("{} on {}", body, action.comm);
}

} // namespace orrery::test
