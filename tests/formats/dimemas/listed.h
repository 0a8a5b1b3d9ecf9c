// The actions of a trace as lines, to compare.
#pragma once

#include "formats/ti/statistics.h"
#include "workload/action.h"

#include <fmt/format.h>
#include <string>
#include <vector>

namespace orrery::test {

inline std::vector<std::string> listed(ActionSource& source, std::uint32_t rank) {
    std::vector<std::string> lines;
    for (std::span<const Action> window; !(window = source.next(RankId{rank})).empty();) {
        for (const Action& action : window) {
            std::string line(name_of(action.kind));
            switch (action.kind) {
            case ActionKind::compute: line += fmt::format(" {:.3f}", action.volume); break;
            case ActionKind::collective:
                line = fmt::format("{}{} bytes {} root {} comm {}{}", action.nonblocking ? "i" : "",
                                   name_of(action.collective), action.bytes, action.peer, action.comm,
                                   action.nonblocking ? fmt::format(" request {}", action.request) : "");
                break;
            case ActionKind::wait:
            case ActionKind::forget: line += fmt::format(" request {}", action.request); break;
            case ActionKind::comm_create:
                line += fmt::format(" {}:", action.request);
                for (const Bytes member : source.counts(RankId{rank}, action))
                    line += fmt::format(" {}", member);
                break;
            default:
                line += fmt::format(" peer {} bytes {}", static_cast<std::int32_t>(action.peer), action.bytes);
                if (action.kind == ActionKind::isend || action.kind == ActionKind::irecv)
                    line += fmt::format(" request {}", action.request);
            }
            lines.push_back(line);
        }
    }
    return lines;
}

} // namespace orrery::test
