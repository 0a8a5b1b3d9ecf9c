#include "formats/ti/text_writer.h"

#include "engine/error.h"
#include "engine/output_file.h"
#include "formats/ti/words.h"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>

namespace orrery {

namespace ti {

namespace {

constexpr std::uint32_t none = 0xFFFF'FFFF;

auto at_end(std::string& out) { return std::back_inserter(out); }

std::string rank_words(std::uint32_t rank) { return rank == any_source ? "-555" : std::to_string(rank); }
std::string tag_words(std::uint32_t tag) { return tag == any_tag ? "-444" : std::to_string(tag); }

std::string_view message_name(ActionKind kind) {
    switch (kind) {
    case ActionKind::send: return "send";
    case ActionKind::ssend: return "Ssend";
    case ActionKind::isend: return "isend";
    case ActionKind::issend: return "ISsend"; // as SimGrid's tracer has it
    case ActionKind::recv: return "recv";
    default: return "irecv";
    }
}

} // namespace

std::string volume_words(double volume) {
    if (volume < 1e15 && std::trunc(volume) == volume)
        return std::to_string(static_cast<std::uint64_t>(volume));
    return fmt::format("{}", volume);
}

LineWriter::LineWriter(std::uint32_t rank, std::uint32_t ranks, TiGrammar grammar, std::string file)
    : rank_(rank), ranks_(ranks), grammar_(grammar), file_(std::move(file)) {}

void LineWriter::refuse(const Action& action, std::string_view what) const {
    throw InputError(Error{file_, action.line, 0,
                           fmt::format("rank {}: {} has no words in the {} grammar", rank_, what,
                                       is_older() ? "older" : "current")});
}

void LineWriter::line(std::string& out, std::string_view words) const {
    fmt::format_to(at_end(out), "{} {}", rank_, words);
}

void LineWriter::finish_line(const Action& action, std::string& out) const {
    const bool may_take = action.kind == ActionKind::probe || action.kind == ActionKind::irecv;
    if (may_take && action.other != 0) fmt::format_to(at_end(out), " msg={}", action.other - 1);
    if (action.comm != world) fmt::format_to(at_end(out), " comm={}", action.comm);
    out += '\n';
}

void LineWriter::begin(std::string& out) const {
    if (grammar_ != TiGrammar::older) fmt::format_to(at_end(out), "{} init\n", rank_);
}

void LineWriter::end(std::string& out) {
    release_probe(out);
    if (grammar_ != TiGrammar::older) {
        fmt::format_to(at_end(out), "{} finalize\n", rank_);
    } else if (!begun_) { // no rank may be without a line
        fmt::format_to(at_end(out), "{} compute 0\n", rank_);
    }
}

void LineWriter::release_probe(std::string& out) {
    if (!probe_) return;
    fmt::format_to(at_end(out), "{} probe {} {}", rank_, rank_words(probe_->peer), tag_words(probe_->tag));
    finish_line(*probe_, out);
    probe_.reset();
}

void LineWriter::message(std::string_view name, const Action& action, std::string& out) const {
    fmt::format_to(at_end(out), "{} {} {} {} ", rank_, name, rank_words(action.peer), tag_words(action.tag));
    if (action.bytes == any_bytes) {
        out += "-1";
    } else {
        fmt::format_to(at_end(out), "{}", action.bytes);
    }
    fmt::format_to(at_end(out), " {}", datatype_byte);
    finish_line(action, out);
}

void LineWriter::request(const Action& action, const RequestName& name) {
    if (action.request >= mirrored_.size()) mirrored_.resize(action.request + std::size_t{1}, none);
    mirrored_[action.request] = mirror_.add(name);
}

void LineWriter::wait(const Action& action, std::string& out) {
    const std::uint32_t number = action.request < mirrored_.size() ? mirrored_[action.request] : none;
    if (number == none || !mirror_.pending(number)) return; // done before: nothing happens
    const RequestName& name = mirror_.name(number);
    line(out, action.kind == ActionKind::test ? "test" : "wait");
    if (mirror_.oldest(name) != number) {
        fmt::format_to(at_end(out), " req={}\n", number);
    } else if (name.to == any_source) { // not a message
        fmt::format_to(at_end(out), " {0} {0} 0\n", text_undefined);
    } else {
        // SimGrid stores the request of a receive from anyone under that rank minus one.
        const bool quirk = grammar_ == TiGrammar::simgrid && name.from == any_source;
        fmt::format_to(at_end(out), " {} {} {}", quirk ? "-556" : rank_words(name.from), rank_words(name.to),
                       tag_words(name.tag));
        Action where;
        where.comm = name.comm;
        finish_line(where, out);
    }
    if (action.kind == ActionKind::test) return;
    mirror_.remove(number);
    if (mirror_.all_done()) mirror_.clear(); // as the reader will
}

void LineWriter::forget(const Action& action, std::string& out) {
    const std::uint32_t number = action.request < mirrored_.size() ? mirrored_[action.request] : none;
    if (number == none || !mirror_.pending(number)) return;
    fmt::format_to(at_end(out), "{} {} req={}\n", rank_,
                   action.kind == ActionKind::cancel ? "cancel" : "forget", number);
    mirror_.remove(number);
    if (mirror_.all_done()) mirror_.clear(); // as the reader will
}

void LineWriter::wait_set(const Action& action, std::span<const Bytes> numbers, std::string& out) {
    std::string named;
    std::vector<std::uint32_t> known;
    for (const Bytes number : numbers) {
        if (number >= mirrored_.size() || mirrored_[number] == none || !mirror_.pending(mirrored_[number]))
            continue;
        known.push_back(mirrored_[number]);
        named += (named.empty() ? " req=" : ",") + std::to_string(known.back());
    }
    if (mirror_.size() == 0 || (!numbers.empty() && known.empty())) return;
    line(out, action.kind == ActionKind::wait_all   ? "waitall"
              : action.kind == ActionKind::wait_any ? "waitAny"
              : action.kind == ActionKind::await    ? "await"
                                                    : "waitsome");
    out += named + "\n";
    if (action.kind == ActionKind::await) return;
    if (action.kind != ActionKind::wait_all) {
        mirror_.note_completion();
    } else if (numbers.empty()) {
        mirror_.clear();
    } else {
        for (const std::uint32_t number : known) mirror_.remove(number);
    }
    if (mirror_.all_done()) mirror_.clear();
}

void LineWriter::communicator(const Action& action, std::span<const Bytes> members, std::string& out) const {
    if (action.kind == ActionKind::comm_free) {
        fmt::format_to(at_end(out), "{} comm_free {}\n", rank_, action.comm);
        return;
    }
    if (action.kind == ActionKind::comm_split) {
        fmt::format_to(at_end(out), "{} comm_split {} {} {}", rank_, action.request,
                       action.peer == any_source ? "-1" : std::to_string(action.peer),
                       static_cast<std::int32_t>(action.other));
    } else if (action.kind == ActionKind::comm_dup) {
        fmt::format_to(at_end(out), "{} comm_dup {}", rank_, action.request);
    } else {
        fmt::format_to(at_end(out), "{} comm_create {} {}", rank_, action.request, fmt::join(members, " "));
    }
    finish_line(action, out);
}

void LineWriter::window(const Action& action, std::span<const Bytes> ranks, std::string& out) const {
    const auto call = static_cast<WindowCall>(action.other);
    line(out, name_of(call));
    if (has_target(call)) fmt::format_to(at_end(out), " {}", action.peer);
    if (has_flags(call)) fmt::format_to(at_end(out), " {}", action.tag);
    for (const Bytes rank : ranks) fmt::format_to(at_end(out), " {}", rank);
    finish_line(action, out);
}

void LineWriter::add(const Action& action, std::span<const Bytes> counts, std::string& out) {
    begun_ = true;
    if (is_older()) return older(action, counts, out);
    if (probe_) {
        const bool belongs = probe_->other == 0 &&
                             (action.kind == ActionKind::recv || action.kind == ActionKind::irecv) &&
                             action.bytes == any_bytes && action.peer == probe_->peer &&
                             action.tag == probe_->tag && action.comm == probe_->comm;
        if (belongs) {
            probe_.reset();
        } else {
            release_probe(out);
        }
    }
    switch (action.kind) {
    case ActionKind::compute:
        fmt::format_to(at_end(out), "{} compute {}\n", rank_, volume_words(action.volume));
        return;
    case ActionKind::sleep:
        fmt::format_to(at_end(out), "{} sleep {}", rank_, volume_words(action.volume));
        if (action.other != 0) fmt::format_to(at_end(out), " {}", action.other);
        if (static_cast<Pause>(action.other) == Pause::timed_wait)
            fmt::format_to(at_end(out), " {}", action.bytes);
        out += '\n';
        return;
    case ActionKind::send:
    case ActionKind::ssend:
    case ActionKind::recv: message(message_name(action.kind), action, out); return;
    case ActionKind::isend:
    case ActionKind::issend:
        message(message_name(action.kind), action, out);
        request(action, {rank_, action.peer, action.tag, action.comm});
        return;
    case ActionKind::irecv:
        message(message_name(action.kind), action, out);
        request(action, {action.peer, rank_, action.tag, action.comm});
        return;
    case ActionKind::sendrecv:
        fmt::format_to(at_end(out), "{0} sendRecv {1} {2} {3} {4} {5} {5}", rank_, action.bytes, action.peer,
                       action.more_bytes, rank_words(action.other), datatype_byte);
        if (action.tag != 0) fmt::format_to(at_end(out), " tag={}", action.tag);
        finish_line(action, out);
        return;
    case ActionKind::probe: probe_ = action; return;
    case ActionKind::wait:
    case ActionKind::test: wait(action, out); return;
    case ActionKind::wait_all:
    case ActionKind::wait_any:
    case ActionKind::wait_some:
    case ActionKind::await: wait_set(action, counts, out); return;
    case ActionKind::collective:
        collective(action, counts, out);
        if (action.nonblocking) request(action, no_message);
        return;
    case ActionKind::comm_split:
    case ActionKind::comm_dup:
    case ActionKind::comm_create:
    case ActionKind::comm_free: communicator(action, counts, out); return;
    case ActionKind::forget:
    case ActionKind::cancel: forget(action, out); return;
    case ActionKind::neighbours:
        fmt::format_to(at_end(out), "{} neighbours {}", rank_, action.peer);
        for (const Bytes neighbour : counts) fmt::format_to(at_end(out), " {}", neighbour);
        finish_line(action, out);
        return;
    case ActionKind::one_sided:
        fmt::format_to(at_end(out), "{} {} {} {} {}", rank_, action.nonblocking ? "irma" : "rma", action.peer,
                       action.bytes, action.more_bytes);
        finish_line(action, out);
        if (action.nonblocking) request(action, no_message);
        return;
    case ActionKind::window: window(action, counts, out); return;
    case ActionKind::aside:
        line(out, "aside");
        for (const Bytes number : counts) fmt::format_to(at_end(out), " {}", number);
        finish_line(action, out);
        request(action, no_message);
        return;
    }
}

} // namespace ti

namespace {

constexpr std::size_t enough_text = 65'536;

std::uint64_t write_rank(ActionSource& source, std::uint32_t rank, TiGrammar grammar, OutputFile& file) {
    ti::LineWriter writer(rank, source.ranks(), grammar, source.file(RankId{rank}));
    std::string text;
    std::uint64_t actions = 0;
    writer.begin(text);
    for (std::span<const Action> window; !(window = source.next(RankId{rank})).empty();) {
        actions += window.size();
        for (const Action& action : window) writer.add(action, source.counts(RankId{rank}, action), text);
        if (text.size() < enough_text) continue;
        file.write(text);
        text.clear();
    }
    writer.end(text);
    file.write(text);
    return actions;
}

} // namespace

TiWritten write_ti_text(ActionSource& source, const std::string& path, TiGrammar grammar) {
    TiWritten written;
    if (!path.ends_with('/')) {
        OutputFile file(path == "-" ? OutputFile::standard_output : path);
        for (std::uint32_t rank = 0; rank < source.ranks(); ++rank)
            written.actions += write_rank(source, rank, grammar, file);
        written.bytes = file.position();
        file.commit();
        return written;
    }
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) throw InputError(Error{path, 0, 0, "cannot be made: " + error.message()});
    std::string list;
    for (std::uint32_t rank = 0; rank < source.ranks(); ++rank) {
        const std::string name = fmt::format("rank-{}.txt", rank);
        OutputFile file(path + name);
        written.actions += write_rank(source, rank, grammar, file);
        written.bytes += file.position();
        file.commit();
        list += name + "\n";
    }
    OutputFile file(path + "LIST"); // last: where it is, the trace is whole
    file.write(list);
    file.commit();
    return written;
}

} // namespace orrery
