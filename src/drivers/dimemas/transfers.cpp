// Links and buses: who gets them, who waits for them, and in which order they are handed on.
//
// A message between nodes takes an output link, then an input link, then a bus, and keeps all three while it is
// carried. One that holds its output link but waits for an input link can be robbed of it by another message
// that can go at once; it then stands first in the queue for output links.
#include "drivers/dimemas/simulation.h"
#include "engine/error.h"

#include <algorithm>

namespace orrery::dimemas {

void Simulation::log_wait(const Transfer& transfer, EventCause what) {
    if (transfer.purpose == Purpose::collective) {
        causes_->claim_waits(transfer.collective, what);
    } else {
        causes_->waits(static_cast<std::uint32_t>(&transfer - transfers_.data()), what);
    }
}

void Simulation::push_back(WaitingLine& line, std::uint32_t id, EventCause what) {
    Transfer& transfer = transfers_[id];
    if (causes_) log_wait(transfer, what);
    transfer.before = line.last;
    transfer.behind = nobody;
    (line.last == nobody ? line.first : transfers_[line.last].behind) = id;
    line.last = id;
    ++line.count;
}

void Simulation::push_front(WaitingLine& line, std::uint32_t id, EventCause what) {
    Transfer& transfer = transfers_[id];
    if (causes_) log_wait(transfer, what);
    transfer.before = nobody;
    transfer.behind = line.first;
    (line.first == nobody ? line.last : transfers_[line.first].before) = id;
    line.first = id;
    ++line.count;
}

void Simulation::remove(WaitingLine& line, std::uint32_t id) {
    const Transfer& transfer = transfers_[id];
    (transfer.before == nobody ? line.first : transfers_[transfer.before].behind) = transfer.behind;
    (transfer.behind == nobody ? line.last : transfers_[transfer.behind].before) = transfer.before;
    --line.count;
}

std::uint32_t Simulation::pop_front(WaitingLine& line) {
    const std::uint32_t first = line.first;
    if (first != nobody) remove(line, first);
    return first;
}

LinkSet& Simulation::links_out(const Transfer& transfer) {
    const std::uint32_t task = threads_[transfer.thread].task;
    switch (transfer.route) {
    case Route::memory: return task_links_[task];
    case Route::network: return node_links_[node_of_[task]];
    case Route::wide_area: return wan_links_[machine_.nodes[node_of_[task]].machine];
    case Route::dedicated: break;
    }
    return connection_links_[transfer.connection];
}

LinkSet& Simulation::links_in(const Transfer& transfer) {
    const std::uint32_t task =
        transfer.purpose == Purpose::collective ? threads_[transfer.thread].task : transfer.to_task;
    switch (transfer.route) {
    case Route::memory: return task_links_[task];
    case Route::network: return node_links_[node_of_[task]];
    case Route::wide_area: return wan_links_[machine_.nodes[node_of_[task]].machine];
    case Route::dedicated: break;
    }
    return connection_links_[transfer.connection];
}

BusSet* Simulation::buses_of(const Transfer& transfer) {
    const std::uint32_t node = threads_[transfer.thread].node;
    if (transfer.route == Route::memory) return &memory_buses_[node];
    if (transfer.route == Route::network) return &buses_[machine_.nodes[node].machine];
    return nullptr;
}

bool Simulation::get_out(std::uint32_t id, LinkSet& links) {
    if (links.free_out == 0) return false;
    --links.free_out;
    links.holders.push_back(id);
    transfers_[id].has_out = true;
    return true;
}

bool Simulation::get_in(std::uint32_t id, LinkSet& links) {
    std::uint32_t& free = links.half_duplex ? links.free_out : links.free_in;
    if (free == 0) return false;
    --free;
    transfers_[id].has_in = true;
    return true;
}

// The first holder of an output link that does nothing but wait for an input link elsewhere.
std::uint32_t Simulation::robbable(const LinkSet& links) const {
    for (const std::uint32_t holder : links.holders) {
        if (transfers_[holder].waits_for_in) return holder;
    }
    return nobody;
}

// Takes the link of a waiting transfer, as an output link, or (half duplex) as an input link.
void Simulation::rob(std::uint32_t id, LinkSet& links, bool as_output) {
    const std::uint32_t robbed = robbable(links);
    Transfer& victim = transfers_[robbed];
    remove(links_in(victim).for_in, robbed);
    victim.waits_for_in = false;
    victim.has_out = false;
    const auto at = std::find(links.holders.begin(), links.holders.end(), robbed);
    if (as_output) {
        *at = id;
        transfers_[id].has_out = true;
    } else {
        links.holders.erase(at);
        transfers_[id].has_in = true;
    }
    push_front(links.for_out, robbed, EventCause::output_link);
}

bool Simulation::get_network_links(std::uint32_t id, LinkSet& from, LinkSet& to) {
    bool must_rob_output = false;
    if (!from.endless && !transfers_[id].has_out && !get_out(id, from)) {
        if (robbable(from) == nobody) {
            push_back(from.for_out, id, EventCause::output_link);
            return false;
        }
        must_rob_output = true;
    }
    if (to.endless || transfers_[id].has_in) {
        if (must_rob_output) rob(id, from, true);
        return true;
    }
    if (get_in(id, to)) {
        if (must_rob_output) rob(id, from, true);
        return true;
    }
    // An input link can be had by robbery only where links are half duplex.
    if (to.half_duplex && robbable(to) != nobody) {
        if (must_rob_output) rob(id, from, true);
        if (robbable(to) != nobody) {
            rob(id, to, false);
            return true;
        }
    } else if (must_rob_output) {
        push_back(from.for_out, id, EventCause::output_link); // robbing would not help
        return false;
    }
    push_back(to.for_in, id, EventCause::input_link);
    transfers_[id].waits_for_in = transfers_[id].has_out;
    return false;
}

// Without robbery: within a node, and between clusters.
bool Simulation::get_ordered_links(std::uint32_t id, LinkSet& from, LinkSet& to, bool input_first) {
    const auto output = [&] {
        if (from.endless || transfers_[id].has_out || get_out(id, from)) return true;
        push_back(from.for_out, id, EventCause::output_link);
        return false;
    };
    const auto input = [&] {
        if (to.endless || transfers_[id].has_in || get_in(id, to)) return true;
        push_back(to.for_in, id, EventCause::input_link);
        return false;
    };
    return input_first ? input() && output() : output() && input();
}

// Takes what the transfer needs, or queues it for what is missing first.
void Simulation::carry(std::uint32_t id) {
    Transfer& transfer = transfers_[id];
    LinkSet& from = links_out(transfer);
    LinkSet& to = links_in(transfer);
    const std::uint32_t task = threads_[transfer.thread].task;
    if (transfer.route == Route::network) {
        if (!get_network_links(id, from, to)) return;
    } else if (transfer.route != Route::memory || task != transfer.to_task) {
        const bool input_first =
            transfer.route == Route::memory && (from.half_duplex || to.half_duplex) && task > transfer.to_task;
        if (!get_ordered_links(id, from, to, input_first)) return;
    }
    BusSet* const bus = buses_of(transfer);
    if (bus != nullptr && bus->buses > 0) {
        if (bus->taken >= bus->buses) return push_back(bus->waiting, id, EventCause::bus);
        ++bus->taken;
    }
    begin_transfer(id, from, to, bus);
}

void Simulation::begin_transfer(std::uint32_t id, LinkSet& from, LinkSet& to, BusSet* bus) {
    const Transfer& transfer = transfers_[id];
    const std::uint32_t here = threads_[transfer.thread].node;
    const std::uint32_t there = node_of_[transfer.to_task];
    const std::uint32_t cluster = machine_.nodes[here].machine;
    double per_byte = 0;
    Time flight;
    switch (transfer.route) {
    case Route::memory: per_byte = machine_.nodes[here].intra_ps_per_byte; break;
    case Route::network: per_byte = machine_.clusters[cluster].ps_per_byte; break;
    case Route::wide_area:
        per_byte = machine_.wan_ps_per_byte;
        if (per_byte > 0 && !machine_.flight.empty())
            flight = machine_.flight[cluster][machine_.nodes[there].machine];
        break;
    case Route::dedicated:
        per_byte = machine_.connections[transfer.connection].ps_per_byte;
        if (per_byte > 0) flight = machine_.connections[transfer.connection].flight;
        break;
    }
    if (reports_) reports_->left(id, now_);
    ++found_.base.messages;
    found_.base.bytes += transfer.bytes;
    const Time carried = now_ + Time::from_ps(static_cast<double>(transfer.bytes) * per_byte,
                                              "Dimemas: the transfer of a message");
    const bool to_itself =
        transfer.route == Route::memory && threads_[transfer.thread].task == transfer.to_task;
    if (!to_itself) { // which takes no links
        from.out.add(transfer.bytes, carried - now_);
        to.in.add(transfer.bytes, carried - now_);
    }
    if (bus != nullptr) bus->carried.add(transfer.bytes, carried - now_);
    if (causes_)
        causes_->begins(id, transfer.thread, target_of(transfer), transfer.bytes, now_, carried,
                        carried + flight);
    plan(carried, What::resources, id);
    plan(carried + flight, What::arrival, id);
}

void Simulation::go_on(std::uint32_t id) {
    if (id == nobody) return;
    Transfer& transfer = transfers_[id];
    transfer.waits_for_in = false;
    if (transfer.purpose != Purpose::collective) return carry(id);
    // A claim on the links of a cluster: first the way out, then the way in.
    LinkSet& links = wan_links_[machine_.nodes[threads_[transfer.thread].node].machine];
    if (!transfer.has_out) {
        if (get_out(id, links)) return claim_has_out(id);
        push_back(links.for_out, id, EventCause::output_link);
    } else {
        if (get_in(id, links)) return claim_has_all(id);
        push_back(links.for_in, id, EventCause::input_link);
    }
}

void Simulation::free_out_link(std::uint32_t id, LinkSet& links) {
    transfers_[id].has_out = false;
    links.holders.erase(std::find(links.holders.begin(), links.holders.end(), id));
    ++links.free_out;
    if (links.half_duplex) go_on(pop_front(links.for_in));
    go_on(pop_front(links.for_out));
}

void Simulation::free_in_link(std::uint32_t id, LinkSet& links) {
    transfers_[id].has_in = false;
    ++(links.half_duplex ? links.free_out : links.free_in);
    if (links.half_duplex) go_on(pop_front(links.for_out));
    go_on(pop_front(links.for_in));
}

// Carried: what it took is free, though it may not have arrived yet. Those that go on because of a link find
// the bus still taken and queue for it, behind others.
void Simulation::resources_free(std::uint32_t id) {
    const Transfer transfer = transfers_[id];
    if (transfer.has_out) free_out_link(id, links_out(transfer));
    if (transfer.has_in) free_in_link(id, links_in(transfer));
    if (BusSet* const bus = buses_of(transfer); bus != nullptr && bus->buses > 0) {
        --bus->taken;
        serve_bus(*bus);
    }
}

// One of those that wait for a bus goes on.
void Simulation::serve_bus(BusSet& bus) {
    const std::uint32_t first = bus.waiting.first;
    if (first == nobody) return;
    if (transfers_[first].purpose == Purpose::collective) {
        (void)serve_claim(bus, first);
    } else {
        remove(bus.waiting, first);
        carry(first);
    }
}

// A collective collects bus after bus until it has all; true once it has.
bool Simulation::serve_claim(BusSet& bus, std::uint32_t claim) {
    transfers_[claim].buses += bus.buses - bus.taken;
    bus.taken = bus.buses;
    if (transfers_[claim].buses != bus.buses) return false;
    remove(bus.waiting, claim);
    claim_buses(claim);
    return true;
}

} // namespace orrery::dimemas
