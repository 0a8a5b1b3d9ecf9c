#include "tools/cosim/session.h"

#include "engine/too_long.h"
#include "tools/cosim/session_words.h"

#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

constexpr std::size_t longest_request = 4096;
constexpr std::size_t longest_answer = 499; // Dimemas reads 500 bytes at once and does not put lines together
constexpr Time latest = Time::longest();

// Times cross the wire as decimals of a double, in nanoseconds.
double nanoseconds(Time time) { return time.picoseconds() / 1000; }

Time nearest(double nanoseconds) {
    const double ps = std::round(nanoseconds * 1000);
    return ps >= latest.picoseconds() ? latest : Time::ps(static_cast<std::int64_t>(ps));
}

void refuse_after_longest(Time time) {
    if (time >= latest) throw SessionError(TooLong("the run").what());
}

// The latest time that the client, which compares doubles, does not take to be later.
Time not_after(double limit) {
    Time time = nearest(limit);
    if (time == latest) return time;
    while (time > Time::zero() && nanoseconds(time) > limit) time -= Time::tick();
    return time;
}

} // namespace

CosimSession::CosimSession(Network& network, CosimOptions options)
    : network_(network), options_(std::move(options)) {}

std::string CosimSession::take(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() > longest_request) throw SessionError("a line is too long");
    if (line.find('\0') != std::string_view::npos) throw SessionError("a line with a zero byte");
    SessionWords words(line);
    if (words.left() == 0) return {};
    const std::string_view command = words.word("a command");
    if (command == "SEND") {
        send(words);
    } else if (command == "PROTO") {
        protocol(words);
    } else if (command == "STOP") {
        stop_ = not_after(words.nanoseconds());
        if (words.left() > 0) throw SessionError("STOP has one argument, a time");
    } else if (command == "END") {
        ++figures_.rounds;
        run();
        return answer();
    } else if (command == "FINISH") {
        finished_ = true;
    } else {
        throw SessionError(fmt::format("unknown command {}", quoted_words(command)));
    }
    return {};
}

CosimSession::MessageId CosimSession::make(HostId from, HostId to, Bytes bytes) {
    if (under_way_ >= options_.most_messages)
        throw SessionError(fmt::format("more than {} messages are in flight", options_.most_messages));
    const MessageId id = messages_.add();
    messages_[id].from = from;
    messages_[id].to = to;
    messages_[id].bytes = bytes;
    ++under_way_;
    return id;
}

void CosimSession::send(SessionWords words) {
    if (words.left() != 10 && words.left() != 11)
        throw SessionError(fmt::format("SEND has 10 or 11 arguments, not {}", words.left()));
    const bool tagged = words.left() == 11; // there was no tag before 2014
    const Time time = nearest(words.nanoseconds());
    const std::uint32_t from = words.node(options_.nodes.size());
    const std::uint32_t to = words.node(options_.nodes.size());
    if (tagged) (void)words.token("a tag");
    const Bytes bytes = words.size(options_.largest_message);
    std::string tokens = fmt::format("{} {} {}", from, to, bytes);
    words.append_tokens(tokens);
    const MessageId id = make(options_.nodes[from], options_.nodes[to], bytes);
    messages_[id].tokens = std::move(tokens);
    enter(id, Phase::data, time);
}

void CosimSession::protocol(SessionWords words) {
    const std::string_view kind = words.word("OK_TO_SEND or READY_TO_RECV");
    const bool ready = kind == "READY_TO_RECV";
    if (!ready && kind != "OK_TO_SEND") throw SessionError(fmt::format("unknown PROTO {}", quoted_words(kind)));
    const std::size_t expected = ready ? 11 : 7;
    if (words.left() != expected)
        throw SessionError(fmt::format("PROTO {} has {} arguments, not {}", kind, expected, words.left()));
    const Time time = nearest(words.nanoseconds());
    const std::uint32_t from = words.node(options_.nodes.size());
    const std::uint32_t to = words.node(options_.nodes.size());
    const std::string_view tag = words.token("a tag");
    const Bytes bytes = words.size(options_.largest_message);
    std::string tokens = fmt::format("{} {} {}", from, to, bytes);
    if (ready) words.append_tokens(tokens);
    const std::string_view from_application = words.token("an application");
    const std::string_view to_application = words.token("an application");
    const std::string key =
        fmt::format("{} {} {} {} {} {}", from, to, tag, bytes, from_application, to_application);

    // The receiver is ready for the first that was offered, or for one that never was: then the request leaves
    // now.
    MessageId id = 0;
    const auto offered = offered_.find(key);
    if (ready && offered != offered_.end()) {
        id = offered->second.front();
        offered->second.pop_front();
        if (offered->second.empty()) offered_.erase(offered);
    } else {
        id = make(options_.nodes[from], options_.nodes[to], bytes);
        if (!ready) offered_[key].push_back(id);
        enter(id, Phase::request, time);
    }
    if (!ready) return;
    Message& message = messages_[id];
    message.tokens = std::move(tokens);
    message.ready = true;
    message.ready_at = time;
    ++figures_.rendezvous;
    clear_to_send_if_due(id);
}

// The request is there and the receiver is ready: the acknowledgement goes back.
void CosimSession::clear_to_send_if_due(MessageId id) {
    const Message& message = messages_[id];
    if (message.requested && message.ready) enter(id, Phase::clear_to_send, message.ready_at);
}

void CosimSession::enter(MessageId id, Phase phase, Time time) {
    refuse_after_longest(time);
    if (time < now_) { // times cross the wire as rounded decimals: see section 4.1 of the paper
        if (phase != Phase::clear_to_send) ++figures_.drifts;
        time = now_;
    }
    messages_[id].phase = phase;
    starts_.push({time, order_++, id, false});
}

void CosimSession::start(const Start& due) {
    Message& message = messages_[due.message];
    if (due.arrives) return arrive(due.message);
    switch (message.phase) {
    case Phase::data:
        message.left = now_;
        return network_.start(TransferId{due.message}, message.from, message.to, message.bytes, now_);
    case Phase::request: return start_control(due.message, message.from, message.to);
    case Phase::clear_to_send: return start_control(due.message, message.to, message.from);
    }
}

void CosimSession::start_control(MessageId id, HostId from, HostId to) {
    if (options_.control_bytes > 0)
        return network_.start_control(TransferId{id}, from, to, options_.control_bytes, now_);
    starts_.push({now_ + network_.latency(from, to), order_++, id, true});
}

void CosimSession::arrive(MessageId id) {
    Message& message = messages_[id];
    switch (message.phase) {
    case Phase::data: delivered_.push_back({now_, id}); return;
    case Phase::request:
        message.requested = true;
        clear_to_send_if_due(id);
        return;
    case Phase::clear_to_send: enter(id, Phase::data, now_); return;
    }
}

// Up to what the client said, or to the first delivery; in strides, so that nobody waits long for a session to
// end.
void CosimSession::run() {
    const Time later_than_stop = stop_ < Time::max() ? stop_ + Time::tick() : stop_;
    Time horizon = stride_.first(now_);
    while (delivered_.empty()) {
        if (stride_.looks_around() && options_.look_around) options_.look_around();
        const Time entering = starts_.empty() ? Time::max() : starts_.top().time;
        const Time limit = std::min(entering, later_than_stop);
        const Time network = network_.next_until(std::min(limit, horizon));
        if (network >= horizon && horizon < limit) {
            horizon = stride_.next(network);
            continue;
        }
        const Time next = entering < network ? entering : network;
        if (next == Time::max() || next > stop_) return;
        refuse_after_longest(next);
        now_ = later(now_, next);
        if (entering <= network) {
            const Start due = starts_.top();
            starts_.pop();
            start(due);
        } else {
            arrived_.clear();
            network_.advance(now_, arrived_);
            for (const TransferId transfer : arrived_) arrive(transfer.value);
        }
    }
}

std::string CosimSession::answer() {
    std::string text;
    while (!delivered_.empty() && delivered_.front().time <= stop_) {
        const Delivery& delivery = delivered_.front();
        const Message& message = messages_[delivery.message];
        const std::string line = fmt::format("COMPLETED SEND {:.17g} {} {:.17g}\n", nanoseconds(delivery.time),
                                             message.tokens, nanoseconds(message.left));
        if (text.size() + line.size() + 4 > longest_answer) break;
        text += line;
        ++figures_.messages;
        figures_.bytes += message.bytes;
        figures_.last = delivery.time;
        messages_.remove(delivery.message);
        --under_way_;
        delivered_.pop_front();
    }
    return text + "END\n";
}

} // namespace orrery
