// Communicators (an extension: SimGrid's replay has none) and the options at the end of a line.
#include "formats/ti/line_parser.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery::ti {

namespace {

constexpr std::uint64_t most_comms = 0x7FFF'FFFF; // numbers of communicators, tags and requests are below

} // namespace

void LineParser::finish() {
    skip_blanks();
    while (!at_end()) {
        read_option();
        skip_blanks();
    }
}

// comm=<communicator>; tag=<number> for sendRecv; msg=<number> for probe and irecv; req=<number>[,<number>...]
// for waits; element=<bytes> and ordered for reductions.
void LineParser::read_option() {
    const char* const from = at_;
    const std::string_view word = word_from(from);
    const bool is_comm = word.starts_with("comm=");
    const bool is_tag = word.starts_with("tag=") && word_->verb == Verb::sendrecv;
    const bool is_message =
        word.starts_with("msg=") && (word_->verb == Verb::probe || word_->verb == Verb::irecv);
    const bool reduces = word_->verb == Verb::collective && is_reduction(word_->collective);
    const bool is_element = reduces && word.starts_with("element=");
    if (reduces && word == "ordered") {
        ordered_ = true;
        at_ = from + word.size();
        return;
    }
    if (!is_comm && !is_tag && !is_message && !is_element && !word.starts_with("req=")) {
        fail_at(from,
                fmt::format("found \"{}\" after the arguments; expected {}", word.substr(0, 40), usage()));
    }
    const char* p = from + word.find('=') + 1;
    const auto number = [&](std::uint64_t limit) {
        std::uint64_t value = 0;
        const char* const digits = p;
        for (; *p >= '0' && *p <= '9' && p - digits < 10; ++p)
            value = 10 * value + static_cast<unsigned>(*p - '0');
        if (p == digits || value >= limit) fail_at(digits, "expected a number after =");
        return static_cast<std::uint32_t>(value);
    };
    if (is_comm) {
        comm_ = number(most_comms);
    } else if (is_tag) {
        tag_ = number(most_comms);
    } else if (is_element) {
        element_ = number(most_comms);
        if (element_ == 0) fail_at(from, "an element of a reduction has no size");
    } else if (is_message) {
        taken_ = number(most_comms) + 1;
    } else {
        named_.push_back(number(most_comms));
        while (*p == ',') {
            ++p;
            named_.push_back(number(most_comms));
        }
        std::sort(named_.begin(), named_.end());
        named_.erase(std::unique(named_.begin(), named_.end()), named_.end());
    }
    if (!ends_word(*p)) fail_at(p, "expected a blank or the end of the line after the option");
    at_ = p;
}

std::uint32_t LineParser::comm_size(const RankContext& rank) const {
    if (comm_ == world) return ranks_;
    if (rank.comms) {
        if (const auto at = rank.comms->find(comm_); at != rank.comms->end()) return at->second;
    }
    fail_at(name_, fmt::format("rank {} has not made communicator {} (by comm_split, comm_dup or comm_create)",
                               rank.rank, comm_));
}

std::uint32_t LineParser::read_ranks(Window& out, const char* what) {
    const std::size_t first = out.counts.size();
    while (number_follows()) {
        const char* const at = at_;
        const std::uint64_t rank = count(what);
        if (rank >= ranks_)
            fail_at(at, fmt::format("rank {} is outside of the trace, which has {} ranks", rank, ranks_));
        out.counts.push_back(rank);
    }
    return static_cast<std::uint32_t>(out.counts.size() - first);
}

void LineParser::neighbours(const RankContext& rank, Window& out) {
    skip_blanks();
    const char* const where = at_;
    const std::uint64_t sources = count("how many sources there are");
    const auto first = static_cast<std::uint32_t>(out.counts.size());
    const std::uint32_t ranks = read_ranks(out, "the rank of a neighbour");
    finish();
    (void)comm_size(rank); // it must be there
    if (sources > ranks)
        fail_at(where, fmt::format("{} sources, but the ranks of {} neighbours follow", sources, ranks));
    Action& action = put(ActionKind::neighbours, out);
    action.peer = static_cast<std::uint32_t>(sources);
    action.first_count = first;
    action.counts = ranks;
}

void LineParser::communicator(RankContext& rank, Window& out) {
    if (!number_follows()) { // as SimGrid writes and ignores them
        finish();
        tally_->note(Oddity::mute_communicator);
        return;
    }
    const char* const where = at_;
    const std::uint64_t id = count("the number of a communicator");
    if (id == 0 || id >= most_comms)
        fail_at(where, "expected the number of a communicator: 1 or more (0 is all ranks)");
    const auto made = static_cast<std::uint32_t>(id);
    if (!rank.comms) rank.comms = std::make_unique<std::map<std::uint32_t, std::uint32_t>>();

    if (word_->verb == Verb::comm_free) {
        finish();
        if (rank.comms->erase(made) == 0)
            fail_at(where, fmt::format("rank {} has no communicator {}", rank.rank, made));
        put(ActionKind::comm_free, out).comm = made;
        return;
    }
    if (rank.comms->contains(made))
        fail_at(where, fmt::format("rank {} has a communicator {} already; free it first", rank.rank, made));
    if (word_->verb == Verb::comm_split) {
        const std::int64_t colour = integer("a colour");
        const std::int64_t key = integer("a key");
        finish();
        (void)comm_size(rank); // it must be there
        if (colour >= any_source) fail_at(where, fmt::format("the colour {} is too large", colour));
        if (key != static_cast<std::int32_t>(key))
            fail_at(where, fmt::format("the key {} is not in -2147483648 to 2147483647", key));
        Action& action = put(ActionKind::comm_split, out);
        action.peer = colour < 0 ? any_source : static_cast<std::uint32_t>(colour);
        action.other = static_cast<std::uint32_t>(key);
        action.request = made;
        if (colour >= 0) rank.comms->emplace(made, 0);
        return;
    }
    if (word_->verb == Verb::comm_dup) {
        finish();
        const std::uint32_t size = comm_size(rank);
        put(ActionKind::comm_dup, out).request = made;
        rank.comms->emplace(made, comm_ == world ? ranks_ : size);
        return;
    }
    const auto first = static_cast<std::uint32_t>(out.counts.size());
    const std::uint32_t members = read_ranks(out, "the rank of a member");
    finish();
    if (members == 0) fail_at(at_, "the line ends here; expected the ranks of the members");
    const std::vector<Bytes> sorted = [&] {
        std::vector<Bytes> list(out.counts.end() - members, out.counts.end());
        std::sort(list.begin(), list.end());
        return list;
    }();
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        fail_at(where, "a rank is named twice among the members");
    Action& action = put(ActionKind::comm_create, out);
    action.request = made;
    action.first_count = first;
    action.counts = members;
    if (std::binary_search(sorted.begin(), sorted.end(), rank.rank)) rank.comms->emplace(made, members);
}

} // namespace orrery::ti
