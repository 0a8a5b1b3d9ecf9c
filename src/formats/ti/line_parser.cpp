#include "formats/ti/line_parser.h"

#include <fmt/format.h>

namespace orrery::ti {

namespace {

std::string_view next_word(std::string_view& rest) {
    std::size_t from = 0;
    while (from < rest.size() && is_blank(rest[from])) ++from;
    std::size_t to = from;
    while (to < rest.size() && !is_blank(rest[to])) ++to;
    const std::string_view word = rest.substr(from, to - from);
    rest.remove_prefix(to);
    return word;
}

// Of one line.
Grammar evidence(std::string_view line) {
    const std::string_view rank = next_word(line);
    if (rank.empty() || rank.front() == '#') return Grammar::unknown;
    const std::string_view name = next_word(line);
    std::size_t arguments = 0;
    while (!next_word(line).empty()) ++arguments;
    const Word* const word = find_word(name.data(), name.size());
    if (word == nullptr) return Grammar::unknown;
    switch (word->verb) {
    case Verb::send:
    case Verb::isend:
    case Verb::recv:
    case Verb::irecv:
        if (arguments == 2) return Grammar::older;
        if (arguments == 4) return Grammar::current;
        break;
    case Verb::wait: return arguments == 0 ? Grammar::older : Grammar::current;
    case Verb::sendrecv:
    case Verb::ssend:
    case Verb::issend:
    case Verb::test: return Grammar::current;
    default: break;
    }
    const bool spelled_so = rank.front() == 'p' || (!word->older.empty() && name == word->older);
    return spelled_so ? Grammar::likely_older : Grammar::unknown;
}

} // namespace

Grammar guess_grammar(std::string_view text) {
    Grammar likely = Grammar::current;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const Grammar found = evidence(text.substr(0, end));
        if (found == Grammar::current || found == Grammar::older) return found;
        if (found == Grammar::likely_older) likely = found;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return likely;
}

bool LineParser::action(RankContext& rank, Grammar& grammar, Window& out) {
    skip_blanks();
    name_ = at_;
    while (!ends_word(*at_)) ++at_;
    const auto length = static_cast<std::size_t>(at_ - name_);
    word_ = find_word(name_, length);
    if (word_ == nullptr) {
        const std::string_view name(name_, length);
        at_ = name_;
        if (name.empty()) missing("an action, such as compute or send");
        const std::string near = nearest_name(name);
        if (near.empty()) missing("an action, such as compute or send");
        missing(fmt::format("an action; did you mean {}?", near).c_str());
    }
    comm_ = world;
    tag_ = taken_ = element_ = 0;
    ordered_ = false;
    switch (word_->verb) {
    case Verb::compute: compute(ActionKind::compute, out); return true;
    case Verb::sleep: compute(ActionKind::sleep, out); return true;
    case Verb::send:
    case Verb::bsend:
    case Verb::ssend:
    case Verb::isend:
    case Verb::issend: return send(rank, grammar, out);
    case Verb::start: start(rank, out); return true;
    case Verb::recv:
    case Verb::irecv: return receive(rank, grammar, out);
    case Verb::sendrecv: send_and_receive(rank, out); return true;
    case Verb::probe:
    case Verb::iprobe: probe(rank, out); return true;
    case Verb::wait:
    case Verb::test: wait(rank, grammar, out); return true;
    case Verb::wait_all:
    case Verb::wait_any:
    case Verb::wait_some:
    case Verb::await:
    case Verb::test_set: wait_set(rank, out); return true;
    case Verb::collective:
        if (grammar == Grammar::unknown && !word_->older.empty() &&
            word_->older == std::string_view(name_, length))
            grammar = Grammar::likely_older;
        collective(rank, out);
        return true;
    case Verb::comm_split:
    case Verb::comm_dup:
    case Verb::comm_create:
    case Verb::comm_free: communicator(rank, out); return true;
    case Verb::neighbours: neighbours(rank, out); return true;
    case Verb::one_sided: one_sided(rank, out); return true;
    case Verb::window: window(rank, out); return true;
    case Verb::forget:
    case Verb::cancel: forget(rank, out); return true;
    case Verb::aside: aside(rank, out); return true;
    case Verb::init: // with an argument, as MPE's traces have it, counts are of doubles
        rank.default_bytes = number_follows() ? 8 : 1;
        skip_line();
        return true;
    case Verb::no_effect: skip_line(); return true;
    case Verb::unsupported: break;
    }
    fail_at(name_, fmt::format("{} is not supported: persistent groups of requests, "
                               "files and the one-sided operations of SimGrid's tracer cannot be replayed",
                               std::string_view(name_, length)));
}

void LineParser::compute(ActionKind kind, Window& out) {
    const double amount =
        volume(kind == ActionKind::compute ? "the number of instructions" : "a number of seconds");
    std::uint64_t pause = 0;
    std::uint64_t most = 0;
    if (kind == ActionKind::sleep && number_follows()) {
        const char* const where = at_;
        pause = count("the kind of the pause");
        if (pause >= pauses) fail_at(where, fmt::format("a pause is of a kind below {}", pauses));
        if (static_cast<Pause>(pause) == Pause::timed_wait) most = count("how long it lasts at most");
    }
    if (skip_blanks(); !at_end()) finish();
    Action& action = put(kind, out);
    action.volume = amount;
    action.other = static_cast<std::uint32_t>(pause);
    action.bytes = most;
}

Bytes LineParser::bytes(std::uint64_t elements, std::uint32_t bytes_each) const {
    if (elements > max_op_size / 64)
        fail_at(name_, fmt::format("a message of {} elements is too large", elements));
    if (bytes_each == 0 && elements > 0) tally_->note(Oddity::null_datatype);
    return elements * bytes_each;
}

std::uint32_t LineParser::type_bytes(std::int64_t number, const char* where) const {
    const int size = datatype_bytes(number);
    if (size < 0) fail_at(where, fmt::format("there is no datatype {}; expected -1 to 59", number));
    return static_cast<std::uint32_t>(size);
}

std::uint32_t LineParser::type(const RankContext& rank) {
    if (!number_follows()) return rank.default_bytes;
    const char* const where = at_;
    return type_bytes(integer("the number of a datatype"), where);
}

std::string LineParser::usage() const { return fmt::format("{} {}", word_->name, word_->usage); }

} // namespace orrery::ti
