// Collectives as lines of text, and all that the older grammar has words for.
#include "formats/ti/text_writer.h"
#include "formats/ti/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <numeric>

namespace orrery::ti {

namespace {

auto at_line_end(std::string& out) { return std::back_inserter(out); }

struct Elements {
    std::uint64_t bytes_each = 1;
    int datatype = datatype_byte;
};

// A datatype of the size of an element, if all sizes are multiples of it.
Elements elements_of(const Action& action, std::span<const Bytes> counts) {
    int datatype = -1;
    switch (action.element) {
    case 2: datatype = 3; break;
    case 4: datatype = 1; break;
    case 8: datatype = 0; break;
    case 16: datatype = 14; break;
    case 32: datatype = 27; break;
    default: return {};
    }
    const auto whole = [&](Bytes bytes) { return bytes % action.element == 0; };
    if (!whole(action.bytes) || !std::all_of(counts.begin(), counts.end(), whole)) return {};
    return {action.element, datatype};
}

std::string numbers(std::span<const Bytes> counts, std::uint64_t each = 1) {
    std::string text;
    for (const Bytes count : counts) fmt::format_to(at_line_end(text), " {}", count / each);
    return text;
}

Bytes sum(std::span<const Bytes> counts) { return std::accumulate(counts.begin(), counts.end(), Bytes{0}); }

} // namespace

void LineWriter::collective(const Action& action, std::span<const Bytes> counts, std::string& out) {
    line(out, spelling(action.collective, action.nonblocking));
    const Elements each = elements_of(action, counts);
    switch (action.collective) {
    case Collective::barrier: break;
    case Collective::bcast:
        fmt::format_to(at_line_end(out), " {} {} {}", action.bytes, action.peer, datatype_byte);
        break;
    case Collective::reduce:
        fmt::format_to(at_line_end(out), " {} {} {} {}", action.bytes / each.bytes_each,
                       volume_words(action.volume), action.peer, each.datatype);
        break;
    case Collective::allgather:
    case Collective::alltoall:
        fmt::format_to(at_line_end(out), " {0} {0} {1} {1}", action.bytes, datatype_byte);
        break;
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall: fmt::format_to(at_line_end(out), " {}", action.bytes); break;
    case Collective::neighbor_allgatherv:
        fmt::format_to(at_line_end(out), " {}{}", action.bytes, numbers(counts));
        break;
    case Collective::neighbor_alltoallv:
    case Collective::neighbor_alltoallw: out += numbers(counts); break;
    case Collective::gather:
    case Collective::scatter:
        fmt::format_to(at_line_end(out), " {0} {0} {1} {2} {2}", action.bytes, action.peer, datatype_byte);
        break;
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
    case Collective::reduce_scatter_block:
        fmt::format_to(at_line_end(out), " {} {} {}", action.bytes / each.bytes_each,
                       volume_words(action.volume), each.datatype);
        break;
    case Collective::reduce_scatter:
        fmt::format_to(at_line_end(out), "{} {} {}", numbers(counts, each.bytes_each),
                       volume_words(action.volume), each.datatype);
        break;
    default: counted_collective(action, counts, out); break;
    }
    if (is_reduction(action.collective) && grammar_ == TiGrammar::current) { // SimGrid knows neither
        if (each.bytes_each != action.element) fmt::format_to(at_line_end(out), " element={}", action.element);
        if (!action.commutative) out += " ordered";
    }
    finish_line(action, out);
}

void LineWriter::counted_collective(const Action& action, std::span<const Bytes> counts,
                                    std::string& out) const {
    // What only the root knows: zeros elsewhere, as SimGrid's tracer writes them; on a communicator, whose size
    // need not be known here, nothing.
    std::string known = numbers(counts);
    if (counts.empty() && action.comm == world) {
        for (std::uint32_t i = 0; i < ranks_; ++i) known += " 0";
    }
    switch (action.collective) {
    case Collective::gatherv:
        fmt::format_to(at_line_end(out), " {0}{1} {2} {3} {3}", action.bytes, known, action.peer,
                       datatype_byte);
        return;
    case Collective::scatterv:
        fmt::format_to(at_line_end(out), "{1} {0} {2} {3} {3}", action.bytes, known, action.peer,
                       datatype_byte);
        return;
    case Collective::allgatherv:
        fmt::format_to(at_line_end(out), " {0}{1} {2} {2}", action.bytes, known, datatype_byte);
        return;
    default: { // alltoallv, alltoallw
        const auto sent = counts.first(counts.size() / 2);
        const auto received = counts.last(counts.size() / 2);
        fmt::format_to(at_line_end(out), " {0}{1} {2}{3} {4} {4}", sum(sent), numbers(sent), sum(received),
                       numbers(received), datatype_byte);
    }
    }
}

void LineWriter::older(const Action& action, std::span<const Bytes> counts, std::string& out) {
    if (action.comm != world) refuse(action, "a communicator");
    const auto plain_message = [&](std::string_view name) {
        if (action.tag != 0) refuse(action, "a tag other than 0");
        if (action.peer == any_source) refuse(action, "a receive from any source");
        if (action.bytes == any_bytes) refuse(action, "a receive of unknown size");
        fmt::format_to(at_line_end(out), "{} {} {} {}\n", rank_, name, action.peer, action.bytes);
    };
    switch (action.kind) {
    case ActionKind::compute:
        fmt::format_to(at_line_end(out), "{} compute {}\n", rank_, volume_words(action.volume));
        return;
    case ActionKind::send: plain_message("send"); return;
    case ActionKind::recv: plain_message("recv"); return;
    case ActionKind::isend:
        plain_message("Isend");
        request(action, {rank_, action.peer, 0, world});
        return;
    case ActionKind::irecv:
        plain_message("Irecv");
        request(action, {action.peer, rank_, 0, world});
        return;
    case ActionKind::wait: {
        if (action.request >= mirrored_.size() || !mirror_.pending(mirrored_[action.request])) return;
        if (mirror_.latest() != mirrored_[action.request])
            refuse(action, "a wait for a request that is not the latest one");
        mirror_.remove(mirrored_[action.request]);
        fmt::format_to(at_line_end(out), "{} wait\n", rank_);
        return;
    }
    case ActionKind::wait_all:
        if (!counts.empty()) refuse(action, "a wait for some of the requests");
        mirror_.clear();
        fmt::format_to(at_line_end(out), "{} waitAll\n", rank_);
        return;
    case ActionKind::collective: older_collective(action, counts, out); return;
    case ActionKind::sleep: refuse(action, "sleep");
    case ActionKind::ssend:
    case ActionKind::issend: refuse(action, "a synchronous send");
    case ActionKind::sendrecv: refuse(action, "sendRecv");
    case ActionKind::probe: refuse(action, "probe");
    case ActionKind::test: refuse(action, "test");
    case ActionKind::wait_any:
    case ActionKind::wait_some:
    case ActionKind::await: refuse(action, "a wait for any request");
    case ActionKind::forget: refuse(action, "a request that nobody waits for");
    case ActionKind::cancel: refuse(action, "a send that is cancelled");
    case ActionKind::one_sided:
    case ActionKind::window: refuse(action, "one-sided communication");
    case ActionKind::aside: refuse(action, "an algorithm concurrent with the rank");
    default: refuse(action, "a communicator");
    }
}

void LineWriter::older_collective(const Action& action, std::span<const Bytes> counts, std::string& out) const {
    if (action.nonblocking) refuse(action, "a nonblocking collective");
    if (!action.commutative) refuse(action, "a reduction whose operation does not commute");
    if (action.peer != 0) refuse(action, "a root other than rank 0");
    fmt::format_to(at_line_end(out), "{} ", rank_);
    switch (action.collective) {
    case Collective::barrier: out += "barrier"; break;
    case Collective::bcast: fmt::format_to(at_line_end(out), "bcast {}", action.bytes); break;
    case Collective::reduce:
        fmt::format_to(at_line_end(out), "reduce {} {}", action.bytes, volume_words(action.volume));
        break;
    case Collective::allreduce:
        fmt::format_to(at_line_end(out), "allReduce {} {}", action.bytes, volume_words(action.volume));
        break;
    case Collective::alltoall: fmt::format_to(at_line_end(out), "allToAll {0} {0}", action.bytes); break;
    case Collective::gather: fmt::format_to(at_line_end(out), "gather {0} {0}", action.bytes); break;
    case Collective::allgatherv:
        fmt::format_to(at_line_end(out), "allGatherV {}{}", action.bytes, numbers(counts));
        break;
    case Collective::reduce_scatter:
        fmt::format_to(at_line_end(out), "reduceScatter{} {}", numbers(counts), volume_words(action.volume));
        break;
    case Collective::alltoallv: {
        const auto sent = counts.first(counts.size() / 2);
        const auto received = counts.last(counts.size() / 2);
        fmt::format_to(at_line_end(out), "allToAllv {}{} {}{}", sum(sent), numbers(sent), sum(received),
                       numbers(received));
        break;
    }
    default: refuse(action, spelling(action.collective, false));
    }
    out += '\n';
}

} // namespace orrery::ti
