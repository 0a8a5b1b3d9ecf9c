// Point-to-point messages: send, recv, their nonblocking and synchronous kin, sendRecv, probe.
#include "formats/ti/line_parser.h"

#include <fmt/format.h>

namespace orrery::ti {

namespace {

bool is_nobody(std::int64_t rank) { return rank == text_null_rank; }

} // namespace

// <partner> <tag> <count> [datatype], or in the older grammar <partner> <bytes> [datatype].
bool LineParser::message(const RankContext& rank, Grammar& grammar, const char* partner, Message& found) {
    skip_blanks();
    if (*at_ == 'p') ++at_;
    found.partner = integer(partner);
    const char* const second = at_;
    found.tag = integer("a tag");
    if (!number_follows()) { // two arguments
        if (grammar == Grammar::current) {
            fail_at(at_, fmt::format(
                             "the line ends early; expected {} (two arguments are the older grammar, but this "
                             "file is in the current one)",
                             usage()));
        }
        grammar = Grammar::older;
        found.elements = found.tag;
        found.tag = 0;
        found.bytes_each = rank.default_bytes;
        return true;
    }
    found.elements = integer("a number of elements");
    if (!number_follows()) { // three: <partner> <tag> <count>, or <partner> <bytes> <datatype>
        if (grammar == Grammar::unknown) {
            at_ = name_;
            return false;
        }
        if (grammar != Grammar::current) {
            found.bytes_each = type_bytes(found.elements, second);
            found.elements = found.tag;
            found.tag = 0;
        } else {
            found.bytes_each = rank.default_bytes;
        }
        return true;
    }
    if (grammar == Grammar::older) {
        fail_at(at_, fmt::format("too many arguments: this file is in the older grammar, {} <rank> <bytes>",
                                 word_->name));
    }
    grammar = Grammar::current;
    found.bytes_each = type(rank);
    return true;
}

std::uint32_t LineParser::peer(std::int64_t value, const RankContext& rank, const char* what) const {
    const std::uint32_t size = comm_size(rank);
    const std::uint32_t limit = size == 0 ? ranks_ : size;
    if (value >= 0 && value < limit) return static_cast<std::uint32_t>(value);
    fail_at(name_, fmt::format("{} {} is outside of {}, which has {} ranks", what, value,
                               comm_ == world ? "the trace" : fmt::format("communicator {}", comm_), limit));
}

std::uint32_t LineParser::source(std::int64_t value, const RankContext& rank) const {
    if (value == text_any_source) return any_source;
    if (value == text_undefined) {
        tally_->note(Oddity::undefined_source);
        return any_source;
    }
    return peer(value, rank, "the source");
}

std::uint32_t LineParser::tag(std::int64_t value, bool receiving) const {
    if (receiving && value == text_any_tag) return any_tag;
    if (value < 0 || value >= any_tag)
        fail_at(name_, fmt::format("{} is not a tag; expected 0 or more", value));
    return static_cast<std::uint32_t>(value);
}

void LineParser::add_request(Action& action, RankContext& rank, bool receiving) {
    const RequestName name = receiving ? RequestName{action.peer, rank.written_rank, action.tag, comm_}
                                       : RequestName{rank.written_rank, action.peer, action.tag, comm_};
    action.request = rank.requests.add(name);
}

bool LineParser::send(RankContext& rank, Grammar& grammar, Window& out) {
    Message found;
    if (!message(rank, grammar, "the rank to send to", found)) return false;
    finish();
    if (found.elements < 0) fail_at(name_, fmt::format("a negative number of elements: {}", found.elements));
    // SimGrid's tracer writes -333 for the null rank, too.
    if (is_nobody(found.partner) || found.partner == text_undefined) {
        tally_->note(Oddity::null_peer);
        return true;
    }
    if (word_->verb == Verb::bsend) tally_->note(Oddity::buffered_send);
    const bool goes_on = word_->verb == Verb::isend || word_->verb == Verb::issend;
    const ActionKind kind = word_->verb == Verb::isend    ? ActionKind::isend
                            : word_->verb == Verb::issend ? ActionKind::issend
                            : word_->verb == Verb::ssend  ? ActionKind::ssend
                                                          : ActionKind::send;
    const std::uint32_t to = peer(found.partner, rank, "the destination");
    const std::uint32_t with = tag(found.tag, false);
    const Bytes size = bytes(static_cast<std::uint64_t>(found.elements), found.bytes_each);
    Action& action = put(kind, out);
    action.peer = to;
    action.tag = with;
    action.bytes = size;
    if (goes_on) add_request(action, rank, false);
    return true;
}

bool LineParser::receive(RankContext& rank, Grammar& grammar, Window& out) {
    Message found;
    if (!message(rank, grammar, "the rank to receive from", found)) return false;
    finish();
    if (is_nobody(found.partner)) {
        tally_->note(Oddity::null_peer);
        return true;
    }
    const std::uint32_t from = source(found.partner, rank);
    const std::uint32_t with = tag(found.tag, true);
    const bool unknown_size = found.elements < 0; // look at the message first, then take all of it
    const Bytes size =
        unknown_size ? any_bytes : bytes(static_cast<std::uint64_t>(found.elements), found.bytes_each);
    const auto take = [&](ActionKind kind) -> Action& {
        Action& action = put(kind, out);
        action.peer = from;
        action.tag = with;
        return action;
    };
    if (unknown_size && taken_ == 0) take(ActionKind::probe);
    Action& action = take(word_->verb == Verb::irecv ? ActionKind::irecv : ActionKind::recv);
    action.bytes = size;
    if (word_->verb == Verb::irecv) {
        action.other = taken_;
        add_request(action, rank, true);
    }
    return true;
}

void LineParser::send_and_receive(const RankContext& rank, Window& out) {
    const std::uint64_t sent = count("a number of elements to send");
    const std::int64_t to = integer("the rank to send to");
    const std::uint64_t received = count("a number of elements to receive");
    const std::int64_t from = integer("the rank to receive from");
    const std::uint32_t sent_each = type(rank);
    const std::uint32_t received_each = type(rank);
    finish();
    const bool sends = !is_nobody(to) && to != text_undefined;
    const bool receives = !is_nobody(from);
    if (!sends || !receives) tally_->note(Oddity::null_peer);
    if (!sends && !receives) return;
    const std::uint32_t destination = sends ? peer(to, rank, "the destination") : 0;
    const std::uint32_t origin = receives ? source(from, rank) : 0;
    const Bytes sent_bytes = sends ? bytes(sent, sent_each) : 0;
    const Bytes received_bytes = receives ? bytes(received, received_each) : 0;
    Action& action = put(!receives ? ActionKind::send : !sends ? ActionKind::recv : ActionKind::sendrecv, out);
    action.peer = sends ? destination : origin;
    action.bytes = sends ? sent_bytes : received_bytes;
    action.tag = tag_;
    if (sends && receives) {
        action.other = origin;
        action.more_bytes = received_bytes;
    }
}

// The tracer writes the destination and the bytes of a persistent request, so that of a receive its source is
// lost.
void LineParser::start(RankContext& rank, Window& out) {
    const std::int64_t to = integer("the rank to send to");
    const std::int64_t with = integer("a tag");
    const std::uint64_t size = count("a number of bytes");
    (void)type(rank);
    finish();
    if (to == rank.written_rank) {
        fail_at(name_, "the start of a persistent receive does not say where from: it cannot be replayed");
    }
    const std::uint32_t destination = peer(to, rank, "the destination");
    const std::uint32_t number = tag(with, false);
    Action& action = put(ActionKind::isend, out);
    action.peer = destination;
    action.tag = number;
    action.bytes = size;
    add_request(action, rank, false);
}

void LineParser::probe(const RankContext& rank, Window& out) {
    const std::int64_t from = integer("the rank of the message's sender");
    const std::int64_t with = integer("a tag");
    finish();
    if (word_->verb == Verb::iprobe) {
        tally_->note(Oddity::polled);
        return;
    }
    if (is_nobody(from)) {
        tally_->note(Oddity::null_peer);
        return;
    }
    const std::uint32_t origin = source(from, rank);
    const std::uint32_t number = tag(with, true);
    Action& action = put(ActionKind::probe, out);
    action.peer = origin;
    action.tag = number;
    action.other = taken_;
}

} // namespace orrery::ti
