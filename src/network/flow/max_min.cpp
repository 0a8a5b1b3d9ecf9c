#include "network/flow/max_min.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery {

namespace {
// Levels and loads that differ by less are equal: keeps ties, which symmetric workloads are full of, from
// flipping.
constexpr double rounding = 1e-13;

// Members of a link lie anywhere in memory: they are fetched so many ahead.
constexpr std::uint32_t ahead = 12;

bool clearly_more(double a, double b) { return a > b * (1 + rounding); }
} // namespace

MaxMin::MaxMin(std::span<const Link> links, double precision)
    : precision_(precision), loads_(links.size()), links_(links.size()) {
    for (std::size_t i = 0; i < links.size(); ++i) {
        links_[i].capacity = links[i].bandwidth;
        links_[i].fat_pipe = links[i].sharing == Sharing::fat_pipe;
    }
}

void MaxMin::add(FlowId id, std::span<const LinkShare> route, double weight, double bound) {
    if (id.index() >= flows_.size()) {
        flows_.resize(std::max<std::size_t>(id.index() + 1, 2 * flows_.size()));
        bottleneck_.resize(flows_.size());
    }
    std::uint32_t count = 0;
    for (const LinkShare& share : route) {
        const LinkState& link = links_[share.link.index()];
        if (link.fat_pipe) {
            bound = std::min(bound, link.capacity / share.coefficient); // flows on it do not meet
        } else {
            ++count;
        }
    }
    const std::uint32_t head = take_cells(count);
    const double level = bound * weight;
    cells_[head] = {level, count, 0};
    flows_[id.index()] = {weight, head, false};
    bottleneck_[id.index()] = no_link.value;
    std::uint32_t next = head;
    for (const LinkShare& share : route) {
        LinkState& link = links_[share.link.index()];
        if (link.fat_pipe) continue;
        const double use = share.coefficient / weight;
        cells_[++next] = {use, share.link.value, static_cast<std::uint32_t>(link.members.size())};
        link.members.push_back({use, id.value, head});
        set_tolerance(share.link.value);
        Load& load = loads_[share.link.index()];
        load.used += use * level;
        if (level > load.level) {
            link.intruder = true;
            settle_later(share.link.value);
        } else {
            settle_if_off(share.link.value);
        }
    }
}

void MaxMin::remove(FlowId id) {
    const std::uint32_t head = flows_[id.index()].head;
    const double level = level_of(id.value, head);
    for (const Cell& hop : hops(head)) {
        LinkState& link = links_[hop.link];
        Load& load = loads_[hop.link];
        if (bottleneck_[id.index()] == hop.link) put_elsewhere(hop.link, hop.position);
        trade_places(hop.link, hop.position, static_cast<std::uint32_t>(link.members.size()) - 1);
        link.members.pop_back();
        if (link.members.empty()) { // forget what rounding has left
            load.used = 0;
            set_level(hop.link, unlimited_level);
        } else {
            load.used -= hop.use * level;
            set_tolerance(hop.link);
            settle_if_off(hop.link);
        }
    }
    free_cells_[cells_[head].link].push_back(head);
}

void MaxMin::solve() {
    while (!bottlenecks_.empty() || !others_.empty()) {
        const std::uint32_t link = (bottlenecks_.empty() ? others_ : bottlenecks_).take();
        links_[link].waiting = false;
        if (!links_[link].members.empty()) settle(link);
    }
}

// Finds the level at which the link is full while all other links keep theirs, and tells the flows that it
// concerns. Only as much is looked at as is needed: if the level falls, all flows that had it have it still,
// and those that something else limits may join them; if it rises, the latter stay where they are.
void MaxMin::settle(std::uint32_t index) {
    ++settled_;
    LinkState& link = links_[index];
    Load& load = loads_[index];
    const double before = load.level;
    const std::uint32_t were_here = link.here;
    double use_of_others = load.used; // at the level before
    if (were_here > 0) use_of_others -= link.here_use * before;
    caps_.clear();
    const bool may_be_full = before == unlimited_level ? !clearly_more(link.capacity, load.used)
                                                       : clearly_more(load.used, link.capacity);
    if (link.intruder || may_be_full) {
        cap_elsewhere(link);
        use_of_others = 0;
        for (const Cap& cap : caps_) use_of_others += cap.use * std::min(cap.level, before);
    }
    link.intruder = false;
    const auto were_elsewhere = static_cast<std::uint32_t>(caps_.size());
    const double used = use_of_others + (were_here > 0 ? link.here_use * before : 0);

    double after = before;
    bool rises = false;
    load.used = link.capacity;
    if (clearly_more(used, link.capacity)) {
        after = fill(link.capacity, link.here_use, before);
    } else if (clearly_more(link.capacity, used) || before == unlimited_level) {
        rises = true;
        cap_here(index);
        // Of the others, those that were looked at may rise too: to the level that they would have without this
        // link.
        const double fixed = were_elsewhere == 0 ? use_of_others : 0;
        double all = fixed;
        double highest = 0;
        for (const Cap& cap : caps_) {
            all += cap.use * cap.level;
            highest = std::max(highest, cap.level);
        }
        if (clearly_more(all, link.capacity)) {
            after = fill(link.capacity - fixed, 0, before);
        } else if (clearly_more(link.capacity, all)) {
            after = unlimited_level;
            load.used = all;
        } else { // just full by what others allow: nobody may go higher
            after = highest;
        }
    }

    for (std::uint32_t i = 0; i < were_elsewhere; ++i) {
        if (!clearly_more(caps_[i].level, after)) continue;
        const Member member = link.members[were_here + i];
        set_bottleneck(member, index);
        pass_on(member.head, index, after - caps_[i].level);
    }
    if (after != before) {
        for (std::uint32_t i = were_here; i-- > 0;) {
            if (i >= ahead) __builtin_prefetch(&cells_[link.members[i - ahead].head]);
            const Member member = link.members[i];
            double now = after;
            if (rises && clearly_more(after, caps_[were_elsewhere + i].level)) {
                now = caps_[were_elsewhere + i].level;
                set_bottleneck(member, caps_[were_elsewhere + i].link);
            }
            pass_on(member.head, index, now - before);
        }
    }
    set_level(index, after);
}

// What limits the members that have not the link's level, each with the level it has.
void MaxMin::cap_elsewhere(const LinkState& link) {
    for (std::size_t i = link.here; i < link.members.size(); ++i) {
        if (i + ahead < link.members.size()) __builtin_prefetch(&bottleneck_[link.members[i + ahead].flow]);
        const Member& member = link.members[i];
        caps_.push_back({member.use, level_of(member.flow, member.head), no_link.value});
    }
}

// What would limit the members that have the link's level, if the link did not.
void MaxMin::cap_here(std::uint32_t index) {
    const LinkState& link = links_[index];
    for (std::size_t i = 0; i < link.here; ++i) {
        if (i + ahead < link.here) __builtin_prefetch(&cells_[link.members[i + ahead].head]);
        const Member& member = link.members[i];
        Cap cap{member.use, cells_[member.head].use, no_link.value};
        for (const Cell& hop : hops(member.head)) {
            if (hop.link == index || loads_[hop.link].level >= cap.level) continue;
            if (links_[hop.link].waiting) { // it may make room, and will see who has gone too far
                links_[hop.link].intruder = true;
                continue;
            }
            cap.level = loads_[hop.link].level;
            cap.link = hop.link;
        }
        caps_.push_back(cap);
    }
}

// The root of free_use * level + sum over the caps of use * min(level, cap) = capacity, by Newton's method: the
// function is concave, so that after one step the root is approached from below, by one cap or more at a time.
double MaxMin::fill(double capacity, double free_use, double start) const {
    double level = start == unlimited_level ? 0 : start;
    for (bool first = true;; first = false) {
        double capped = 0;
        double free = free_use;
        double highest = 0;
        for (const Cap& cap : caps_) {
            const bool is_capped = cap.level < level;
            capped += is_capped ? cap.use * cap.level : 0;
            free += is_capped ? 0 : cap.use;
            highest = std::max(highest, cap.level);
        }
        // Come from below the root and yet right of all caps: they fill the link but for the rounding of sums.
        if (free == 0 && !first) return highest;
        const double next = free > 0 ? (capacity - capped) / free : 0; // 0: right of all caps, begin below them
        if (std::abs(next - level) <= rounding * level || (!first && next < level)) return next;
        level = next;
    }
}

// Tells the other links of a flow that its level has changed.
void MaxMin::pass_on(std::uint32_t head, std::uint32_t except, double change) {
    for (const Cell& hop : hops(head)) {
        if (hop.link == except) continue;
        loads_[hop.link].used += hop.use * change;
        settle_if_off(hop.link);
    }
}

// A change at a link with n flows costs the attention of up to n other links with as many flows each, and is
// itself one n-th as large. So the crowded links, where it would cost most and matters least, are allowed to be
// off more.
void MaxMin::set_tolerance(std::uint32_t index) {
    constexpr double coarsest = 1e-4;
    constexpr double finest = 1e-12; // rounding errors stay below
    const auto flows = static_cast<double>(links_[index].members.size());
    const double off =
        std::clamp(precision_ * flows * flows, finest, std::max(precision_, coarsest)) * links_[index].capacity;
    Load& load = loads_[index];
    load.high = links_[index].capacity + off;
    load.low = load.level == unlimited_level ? -unlimited_level : links_[index].capacity - off;
}

void MaxMin::set_level(std::uint32_t index, double level) {
    Load& load = loads_[index];
    if (load.level == level) return;
    load.level = level;
    set_tolerance(index);
    if (links_[index].changed) return;
    links_[index].changed = true;
    changed_.push_back({index});
}

void MaxMin::set_bottleneck(const Member& member, std::uint32_t bottleneck) {
    const std::uint32_t former = std::exchange(bottleneck_[member.flow], bottleneck);
    for (const Cell& hop : hops(member.head)) {
        if (hop.link == former) put_elsewhere(former, hop.position);
        if (hop.link == bottleneck) put_here(bottleneck, hop.position);
    }
    if (flows_[member.flow].moved) return;
    flows_[member.flow].moved = true;
    moved_.push_back({member.flow});
}

void MaxMin::put_here(std::uint32_t index, std::uint32_t position) {
    LinkState& link = links_[index];
    link.here_use += link.members[position].use;
    trade_places(index, position, link.here++);
}

void MaxMin::put_elsewhere(std::uint32_t index, std::uint32_t position) {
    LinkState& link = links_[index];
    link.here_use -= link.members[position].use;
    trade_places(index, position, --link.here);
    if (link.here == 0) link.here_use = 0; // forget what rounding has left
}

void MaxMin::trade_places(std::uint32_t index, std::uint32_t a, std::uint32_t b) {
    if (a == b) return;
    std::vector<Member>& members = links_[index].members;
    std::swap(members[a], members[b]);
    for (const std::uint32_t position : {a, b}) {
        for (Cell& hop : hops(members[position].head)) {
            if (hop.link == index) hop.position = position;
        }
    }
}

// Links that limit most of their flows go first. In symmetric traffic all links on a flow's way are equally
// full; the others then find everything settled, and flows do not change sides at each event.
void MaxMin::settle_later(std::uint32_t index) {
    LinkState& link = links_[index];
    if (link.waiting) return;
    link.waiting = true;
    (2 * std::size_t{link.here} > link.members.size() ? bottlenecks_ : others_).links.push_back(index);
}

std::uint32_t MaxMin::Queue::take() {
    const std::uint32_t link = links[next++];
    if (empty()) {
        links.clear();
        next = 0;
    }
    return link;
}

std::uint32_t MaxMin::take_cells(std::uint32_t hops) {
    if (hops >= free_cells_.size()) free_cells_.resize(hops + 1);
    std::vector<std::uint32_t>& free = free_cells_[hops];
    if (!free.empty()) {
        const std::uint32_t head = free.back();
        free.pop_back();
        return head;
    }
    const auto head = static_cast<std::uint32_t>(cells_.size());
    cells_.resize(cells_.size() + hops + 1);
    return head;
}

void MaxMin::forget_changes() {
    for (const FlowId flow : moved_) flows_[flow.index()].moved = false;
    for (const LinkId link : changed_) links_[link.index()].changed = false;
    moved_.clear();
    changed_.clear();
}

double MaxMin::used(LinkId link) const {
    double sum = 0;
    for (const Member& member : links_[link.index()].members) {
        sum += member.use * level_of(member.flow, member.head);
    }
    return sum;
}

} // namespace orrery
