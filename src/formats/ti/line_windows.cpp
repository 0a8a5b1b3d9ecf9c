// One-sided communication, and algorithms that run beside a rank (extensions: SimGrid's replay has none).
#include "formats/ti/line_parser.h"
#include "workload/listed_steps.h"
#include "workload/window_ranks.h"

#include <fmt/format.h>

namespace orrery::ti {

void LineParser::one_sided(RankContext& rank, Window& out) {
    const std::int64_t target = integer("the rank whose memory is accessed");
    skip_blanks();
    const char* const where = at_;
    const Bytes there = bytes(count("a number of bytes"), 1);
    const Bytes back = bytes(count("a number of bytes that come back"), 1);
    finish();
    const std::uint32_t to = peer(target, rank, "the target");
    if (there + back == 0) fail_at(where, "no bytes in either direction; expected some");
    Action& action = put(ActionKind::one_sided, out);
    action.peer = to;
    action.bytes = there;
    action.more_bytes = back;
    action.nonblocking = word_->nonblocking;
    if (action.nonblocking) action.request = rank.requests.add(no_message);
}

std::uint32_t LineParser::window_flag_bits() {
    skip_blanks();
    const char* const where = at_;
    const std::uint64_t flags = count("flags");
    if (flags > window_flags)
        fail_at(where, fmt::format("there are no flags {}; expected 0 to {}", flags, window_flags));
    return static_cast<std::uint32_t>(flags);
}

void LineParser::window(const RankContext& rank, Window& out) {
    const WindowCall call = word_->window;
    const std::int64_t target = has_target(call) ? integer("the rank whose memory is accessed") : 0;
    const std::uint32_t flags = has_flags(call) ? window_flag_bits() : 0;
    const auto first = static_cast<std::uint32_t>(out.counts.size());
    const std::uint32_t ranks = has_ranks(call) ? read_ranks(out, "a rank") : 0;
    finish();
    const std::uint32_t to = peer(target, rank, "the target"); // its communicator must be there
    if (names_twice(std::span(out.counts).last(ranks))) fail_at(name_, "a rank is named twice");
    Action& action = put(ActionKind::window, out);
    action.other = static_cast<std::uint32_t>(call);
    action.peer = to;
    action.tag = flags;
    action.first_count = first;
    action.counts = ranks;
}

// aside <kind> <peer> <source> <request> <bytes out> <bytes in> ...
void LineParser::aside(RankContext& rank, Window& out) {
    const std::size_t first = out.counts.size();
    skip_blanks();
    const char* const where = at_;
    while (number_follows()) out.counts.push_back(count("a number of a step"));
    finish();
    (void)comm_size(rank); // it must be there
    const std::span<const Bytes> steps = std::span<const Bytes>(out.counts).subspan(first);
    if (const char* const fault = fault_of_steps(steps, ranks_)) fail_at(where, fault);
    Action& action = put(ActionKind::aside, out);
    action.first_count = static_cast<std::uint32_t>(first);
    action.counts = static_cast<std::uint32_t>(steps.size());
    action.request = rank.requests.add(no_message);
}

} // namespace orrery::ti
