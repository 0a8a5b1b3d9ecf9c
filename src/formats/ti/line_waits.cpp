// wait, test and their kin: names of requests become numbers.
#include "formats/ti/line_parser.h"

#include <fmt/format.h>

namespace orrery::ti {

namespace {

std::uint32_t named_rank(std::int64_t value) {
    // SimGrid's replay has the request of a receive from any source under that number minus one.
    const bool any = value == text_any_source || value == text_any_source - 1 || value == text_undefined;
    return any ? any_source : static_cast<std::uint32_t>(value);
}

} // namespace

// wait <from> <to> <tag>: the oldest request of that name. `wait` alone: the latest one of all.
void LineParser::wait(RankContext& rank, Grammar& grammar, Window& out) {
    named_.clear();
    if (!number_follows()) {
        finish();
        if (!named_.empty()) {
            for (const std::uint32_t number : named_) {
                if (!rank.requests.pending(number))
                    fail_at(name_, fmt::format("request {} of rank {} is not pending", number, rank.rank));
                wait_for(number, rank, out);
            }
            return;
        }
        if (grammar == Grammar::unknown) grammar = Grammar::older;
        const auto latest = rank.requests.latest();
        if (!latest) fail_at(name_, fmt::format("rank {} waits, but no request of it is pending", rank.rank));
        wait_for(*latest, rank, out);
        return;
    }
    const std::int64_t from = integer("the sender of the message that is waited for");
    const std::int64_t to = integer("its receiver");
    const std::int64_t with = integer("its tag");
    finish();
    // A message from or to nobody was left out, and so is the wait for it.
    if (from == text_null_rank || to == text_null_rank) return;
    // Of a collective the tracer writes ranks that mean nothing and a tag below zero.
    const bool collective = (from < 0 && to < 0) || (with < 0 && with != text_any_tag);
    if (!collective && to == text_undefined && from == rank.written_rank) return;
    const RequestName name =
        collective ? no_message
                   : RequestName{named_rank(from), named_rank(to),
                                 with == text_any_tag ? any_tag : static_cast<std::uint32_t>(with), comm_};
    const auto oldest = rank.requests.oldest(name);
    if (!oldest) {
        fail_at(name_,
                collective
                    ? fmt::format("rank {} waits for a nonblocking collective, but none is pending", rank.rank)
                    : fmt::format("rank {} waits for a message from {} to {} with tag {}, but no isend or "
                                  "irecv of that kind is pending ({} others are)",
                                  rank.rank, from, to, with, rank.requests.size()));
    }
    wait_for(*oldest, rank, out);
}

void LineParser::wait_for(std::uint32_t number, RankContext& rank, Window& out) {
    const bool testing = word_->verb == Verb::test;
    Action& action = put(testing ? ActionKind::test : ActionKind::wait, out);
    action.comm = world;
    action.request = number;
    if (testing) return; // whether it was done then, only the replay will know
    rank.requests.remove(number);
    free_all_done(rank, out);
}

// A wait for any says that one more is done, not which. When all must be, say so and take their numbers back.
void LineParser::free_all_done(RankContext& rank, Window& out) {
    if (rank.requests.size() == 0 || !rank.requests.all_done()) return;
    put(ActionKind::wait_all, out).comm = world;
    rank.requests.clear();
}

// forget req=<number>: what nobody will wait for; cancel req=<number>: nor will it arrive (extensions, as req=
// is).
void LineParser::forget(RankContext& rank, Window& out) {
    const bool withdrawn = word_->verb == Verb::cancel;
    named_.clear();
    finish();
    if (named_.empty())
        fail_at(at_, fmt::format("expected the request that is {}: req=<number>",
                                 withdrawn ? "cancelled" : "forgotten"));
    for (const std::uint32_t number : named_) {
        if (!rank.requests.pending(number))
            fail_at(name_, fmt::format("request {} of rank {} is not pending", number, rank.rank));
        Action& action = put(withdrawn ? ActionKind::cancel : ActionKind::forget, out);
        action.comm = world;
        action.request = number;
        rank.requests.remove(number);
    }
    free_all_done(rank, out);
}

void LineParser::wait_set(RankContext& rank, Window& out) {
    named_.clear();
    while (number_follows()) (void)real("how many requests"); // the tracer's number says nothing about which
    finish();
    const auto oldest = rank.requests.oldest();
    if (word_->verb == Verb::test_set) {
        tally_->note(Oddity::blind_test);
        if (oldest) {
            Action& action = put(ActionKind::test, out);
            action.comm = world;
            action.request = *oldest;
        }
        return;
    }
    if (named_.empty() && word_->verb == Verb::await) fail_at(at_, "expected the requests: req=<number>");
    if (!named_.empty()) {
        const auto first = static_cast<std::uint32_t>(out.counts.size());
        for (const std::uint32_t number : named_) {
            if (!rank.requests.pending(number))
                fail_at(name_, fmt::format("request {} of rank {} is not pending", number, rank.rank));
            out.counts.push_back(number);
        }
        Action& action = put(word_->verb == Verb::wait_all   ? ActionKind::wait_all
                             : word_->verb == Verb::wait_any ? ActionKind::wait_any
                             : word_->verb == Verb::await    ? ActionKind::await
                                                             : ActionKind::wait_some,
                             out);
        action.comm = world;
        action.first_count = first;
        action.counts = static_cast<std::uint32_t>(named_.size());
        if (word_->verb == Verb::await) return; // they stay
        if (word_->verb == Verb::wait_all) {
            for (const std::uint32_t number : named_) {
                if (rank.requests.pending(number)) rank.requests.remove(number);
            }
        } else {
            rank.requests.note_completion();
        }
        free_all_done(rank, out);
        return;
    }
    if (!oldest) return; // nothing to wait for
    if (word_->verb == Verb::wait_all) {
        put(ActionKind::wait_all, out).comm = world;
        rank.requests.clear();
        return;
    }
    rank.requests.note_completion();
    if (!rank.requests.all_done()) {
        put(word_->verb == Verb::wait_any ? ActionKind::wait_any : ActionKind::wait_some, out).comm = world;
    }
    free_all_done(rank, out);
}

} // namespace orrery::ti
