#include "observe/event_path.h"

#include <algorithm>
#include <map>
#include <utility>

namespace orrery {

namespace {

// Keeps the `path_top` largest by `size`; of equals the one that comes later, since a path is walked from its
// end.
template <typename T, typename Size> void keep_largest_of(std::vector<T>& top, const T& candidate, Size size) {
    if (size(candidate) <= Time::zero()) return;
    const auto place = std::lower_bound(top.begin(), top.end(), candidate,
                                        [&](const T& a, const T& b) { return size(a) > size(b); });
    if (place == top.end() && top.size() == path_top) return;
    top.insert(place, candidate);
    if (top.size() > path_top) top.pop_back();
}

bool on_its_way(EventKind kind) {
    return kind == EventKind::transfer || kind == EventKind::control || kind == EventKind::latency ||
           kind == EventKind::collective;
}

// What lets it start is that a link or a bus was no longer held by another message.
bool of_a_holder(EventCause how) {
    return how == EventCause::output_link || how == EventCause::input_link || how == EventCause::bus;
}

class EventPathWalk {
  public:
    EventPathWalk(const EventLog& log, const EventPathContext& context)
        : log_(log), context_(context), on_ranks_(log.ends.size()) {}
    EventPath walk();

  private:
    void step(const LoggedEvent& event, const EventLink& link, std::uint32_t number, Time to);
    void add_transfer(const LoggedEvent& event, const EventLink& why, Time length);
    void add_bytes(const EventLink& why, Time length);
    void add_bottleneck(const Uncontended& alone, Time transmission, Time contention);
    void add_route(const RouteSlopes& slopes);
    void add_loggops(const LoggedEvent& event, const EventLink& link, Time length);
    void leave_stay();
    void find_top_of_all();
    struct OfLink {
        EventPathLink time;
        std::uint32_t link_class = 0;
    };
    OfLink& link_at(std::uint32_t rail, LinkId link);

    const EventLog& log_;
    const EventPathContext& context_;
    EventPath path_;
    std::vector<PathRank> on_ranks_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, OfLink> links_; // by rail and link
    std::map<std::string, std::uint32_t> class_numbers_;              // by name: in path_.link_classes
    std::map<std::string, EventPathLink> held_;                       // by name
    LoggedEvent after_;                                               // what the present step let go
    PathStay stay_;                                                   // the present one
    bool staying_ = false;
};

EventPath EventPathWalk::walk() {
    path_.ranks = static_cast<std::uint32_t>(log_.ends.size());
    path_.events = log_.size();
    path_.consistent = true;
    path_.through_holders = context_.resource_name != nullptr;
    const auto last = std::max_element(log_.ends.begin(), log_.ends.end(),
                                       [](const auto& a, const auto& b) { return a.time < b.time; });
    if (last == log_.ends.end()) return path_;
    path_.time = last->time;
    path_.rank = static_cast<std::uint32_t>(last - log_.ends.begin());
    if (context_.loggops != nullptr) path_.loggops.emplace();

    Time at = path_.time;
    EventLink link = last->why;
    std::uint32_t rank = path_.rank;
    // Causes lie earlier in the log, so the walk ends.
    for (std::uint32_t below = no_event; link.event < below;) {
        const std::uint32_t number = below = link.event;
        const LoggedEvent event = log_.read(number);
        if (!link.early && event.end != at) {
            path_.consistent = false;
            if (event.end < at) {
                path_.parts.other += at - event.end;
                path_.on_rank += at - event.end;
                at = event.end;
            }
        }
        EventLink next = event.link();
        if (event.start > at) { // it had not come to that yet
            if (!link.early) path_.consistent = false;
            next.early = true;
        } else {
            step(event, link, number, at);
            if (event.rank != rank) ++path_.crossings;
            rank = event.rank;
            at = event.start;
            after_ = event;
        }
        link = next;
    }
    leave_stay();
    if (path_.through_holders) {
        path_.link_latency = path_.parts.latency;
        path_.link_transmission = path_.parts.transmission + path_.parts.contention;
    }
    const bool shared = path_.parts.core_wait > Time::zero() && !path_.through_holders;
    if (shared || path_.parts.noise > Time::zero()) path_.first_order = true;
    if (at != Time::zero()) {
        path_.parts.other += at;
        path_.on_rank += at;
        path_.consistent = false;
    }
    if (path_.loggops)
        path_.loggops->other =
            path_.parts.other + path_.parts.idle + path_.parts.core_wait + path_.parts.contention;
    find_top_of_all();
    return path_;
}

void EventPathWalk::step(const LoggedEvent& event, const EventLink& link, std::uint32_t number, Time to) {
    const Time length = to - event.start;
    ++path_.steps;
    EventPathParts& parts = path_.parts;
    switch (event.kind) {
    case EventKind::compute:
        (path_.through_holders && link.how == EventCause::cpu ? parts.core_wait : parts.compute) += length;
        break;
    case EventKind::noise: parts.noise += length; break;
    case EventKind::core_wait: parts.core_wait += length; break;
    case EventKind::idle: parts.idle += length; break;
    case EventKind::send:
    case EventKind::receive:
    case EventKind::call:
        (link.how == EventCause::interface ? parts.interface : parts.overhead) += length;
        break;
    case EventKind::transfer:
    case EventKind::control: add_transfer(event, link, length); break;
    case EventKind::startup:
    case EventKind::latency: parts.latency += length; break;
    case EventKind::collective: add_bytes(link, length); break;
    }
    if (context_.loggops != nullptr) add_loggops(event, link, length);

    if (on_its_way(event.kind)) {
        path_.in_flight += length;
        leave_stay();
    } else {
        if (staying_ && stay_.rank != event.rank) leave_stay();
        if (!staying_) stay_ = {event.rank, to, to, 0};
        staying_ = true;
        stay_.from = event.start;
        ++stay_.steps;
    }
    const EventPathStep told{number, event.kind, event.rank, event.peer, event.bytes, event.start, to};
    if (context_.steps != nullptr) context_.steps->push_back(told);
    keep_largest_of(path_.top_operations, told, [](const EventPathStep& s) { return s.to - s.from; });
}

// All of them, as a message or collective holds its links and buses for them.
void EventPathWalk::add_bytes(const EventLink& why, Time length) {
    if (!path_.through_holders || !of_a_holder(why.how)) {
        path_.parts.transmission += length;
        return;
    }
    path_.parts.contention += length;
    const std::string name = context_.resource_name(why.how, after_);
    EventPathLink& held = held_[name];
    held.name = name;
    held.contention += length;
    ++held.messages;
}

void EventPathWalk::add_transfer(const LoggedEvent& event, const EventLink& why, Time length) {
    if (path_.through_holders) return add_bytes(why, length);
    EventPathParts& parts = path_.parts;
    const bool empty = event.kind == EventKind::control && event.bytes == 0; // it travels as a latency
    if (context_.network == nullptr || (empty && context_.loggops != nullptr)) {
        parts.latency += length;
        return;
    }
    Network& network = *context_.network;
    const HostId from = log_.hosts[event.rank];
    const HostId to = log_.hosts[event.peer];
    const Uncontended alone = network.uncontended(from, to, event.bytes);
    Time latency = std::min(length, alone.latency);
    const Time transmission = std::min(length - latency, alone.transmission);
    Time contention = length - latency - transmission;
    if (empty) latency += std::exchange(contention, Time::zero());
    parts.latency += latency;
    parts.transmission += transmission;
    parts.contention += contention;
    add_bottleneck(alone, transmission, contention);

    constexpr double rounding = 1e-9; // of rates
    const Time expected = alone.latency + alone.transmission;
    const Time rounded = Time::ticks(2) + Time::from_ps(rounding * expected.picoseconds());
    const bool shorter = length + rounded < expected; // the end of it, or over another route
    if (shorter || length > expected + rounded) path_.first_order = true;
    if (shorter) return;
    add_route(network.route_slopes(from, to, event.bytes, [this](std::uint32_t rail, LinkId link) {
        return link_at(rail, link).link_class;
    }));
    if (alone.limited == Time::zero()) path_.link_transmission += transmission;
}

EventPathWalk::OfLink& EventPathWalk::link_at(std::uint32_t rail, LinkId link) {
    const auto [at, is_new] = links_.try_emplace({rail, link.value});
    if (!is_new) return at->second;
    const std::string name = context_.link_class ? context_.link_class(rail, link) : "link";
    const auto [number, is_first] =
        class_numbers_.try_emplace(name, static_cast<std::uint32_t>(path_.link_classes.size()));
    if (is_first) path_.link_classes.emplace_back().time.name = name;
    at->second.link_class = number->second;
    return at->second;
}

void EventPathWalk::add_bottleneck(const Uncontended& alone, Time transmission, Time contention) {
    if (alone.bottleneck == Uncontended::no_link) return;
    OfLink& link = link_at(alone.rail, alone.bottleneck);
    for (EventPathLink* const time : {&link.time, &path_.link_classes[link.link_class].time}) {
        if (alone.limited == Time::zero()) time->transmission += transmission;
        time->contention += contention;
    }
}

void EventPathWalk::add_route(const RouteSlopes& slopes) {
    Time latency;
    for (const RouteSlopes::OfLink& each : slopes.links) latency += each.latency;
    path_.link_latency += latency + slopes.window;
    const double window = latency == Time::zero() ? 0 : slopes.window.seconds() / latency.seconds();
    std::vector<std::uint32_t> passed; // classes: a few
    for (auto at = slopes.links.begin(); at != slopes.links.end(); ++at) {
        const RouteSlopes::OfLink& each = *at;
        OfLink& link = link_at(each.rail, each.link);
        EventPathLinkClass& all = path_.link_classes[link.link_class];
        link.time.latency += each.latency;
        const bool again =
            std::any_of(slopes.links.begin(), at, [&](const auto& before) { return before.link == each.link; });
        if (!again) ++link.time.messages;
        all.time.latency += each.latency;
        all.slopes.latency += each.latency + Time::from_ps(window * each.latency.picoseconds());
        if (std::find(passed.begin(), passed.end(), link.link_class) != passed.end()) continue;
        passed.push_back(link.link_class);
        ++all.time.messages;
    }
    for (const RouteSlopes::OfClass& each : slopes.classes) {
        EventPathSlopes& of = path_.link_classes[each.link_class].slopes;
        of.more_bandwidth += each.more_bandwidth;
        of.less_bandwidth += each.less_bandwidth;
    }
}

// What the parameters of LogGOPS explain of it, and which of them it counts; see made_of() in critical_path.h.
void EventPathWalk::add_loggops(const LoggedEvent& event, const EventLink& link, Time length) {
    const LogGOPS& parameters = *context_.loggops;
    PathParts parts;
    PathCounts counts;
    const Bytes further = event.bytes == 0 ? 0 : event.bytes - 1;
    switch (event.kind) {
    case EventKind::compute: parts.compute = length; break;
    case EventKind::noise: parts.noise = length; break;
    case EventKind::core_wait:
    case EventKind::idle:
    case EventKind::startup:
    case EventKind::latency:
    case EventKind::collective: break;
    case EventKind::transfer:
    case EventKind::control:
        counts.L = 1;
        parts.L = std::min(length, parameters.L);
        parts.G = std::min(length - parts.L, per_byte(event.bytes, parameters.G));
        if (length > parts.L) counts.G = further; // one-sided: an interface has no event of its own there
        break;
    case EventKind::send:
    case EventKind::receive:
    case EventKind::call: {
        if (link.how == EventCause::interface) {
            counts.g = 1;
            counts.G = further;
            parts.g = std::min(length, parameters.g);
            parts.G = length - parts.g;
            break;
        }
        if (event.kind == EventKind::receive && link.early) break; // only that it began
        counts.o = 1;
        parts.o = std::min(length, parameters.o);
        const bool gap = event.kind == EventKind::receive &&
                         per_byte(event.bytes, parameters.G) > per_byte(event.bytes, parameters.O);
        (gap ? parts.G : parts.O) = length - parts.o;
        if (!link.early) (gap ? counts.G : counts.O) = further;
        break;
    }
    }
    *path_.loggops += parts;
    path_.counts += counts;
}

void EventPathWalk::leave_stay() {
    if (!std::exchange(staying_, false)) return;
    keep_largest_of(path_.top_stays, stay_, [](const PathStay& s) { return s.to - s.from; });
    PathRank& rank = on_ranks_[stay_.rank];
    rank.time += stay_.to - stay_.from;
    ++rank.stays;
}

void EventPathWalk::find_top_of_all() {
    for (std::uint32_t rank = path_.ranks; rank-- > 0;) {
        PathRank& each = on_ranks_[rank];
        if (each.stays == 0) continue;
        each.rank = rank;
        ++path_.path_ranks;
        (rank == path_.rank ? path_.on_rank : path_.on_others) += each.time;
        keep_largest_of(path_.top_ranks, each, [](const PathRank& r) { return r.time; });
    }
    const auto whole = [](const EventPathLink& l) { return l.total(); };
    for (auto each = links_.rbegin(); each != links_.rend(); ++each) {
        EventPathLink& link = each->second.time;
        if (context_.link_name) link.name = context_.link_name(each->first.first, {each->first.second});
        keep_largest_of(path_.top_links, link, whole);
    }
    for (auto each = held_.rbegin(); each != held_.rend(); ++each)
        keep_largest_of(path_.top_links, each->second, whole);
    std::erase_if(path_.link_classes, [](const EventPathLinkClass& each) {
        return each.time.total() == Time::zero() && each.slopes.less_bandwidth == Time::zero();
    });
    std::stable_sort(path_.link_classes.begin(), path_.link_classes.end(),
                     [](const auto& a, const auto& b) { return a.time.total() > b.time.total(); });
}

} // namespace

Time EventPathParts::total() const {
    return compute + core_wait + noise + overhead + latency + transmission + contention + interface + idle +
           other;
}

double EventPath::share(Time part) const {
    return time == Time::zero() ? 0 : part.picoseconds() / time.picoseconds();
}

EventPath event_path(const EventLog& log, const EventPathContext& context) {
    return EventPathWalk(log, context).walk();
}

} // namespace orrery
