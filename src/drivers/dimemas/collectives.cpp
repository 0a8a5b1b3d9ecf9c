// Collectives: all threads of a communicator meet, all buses are taken, and the whole costs one closed form.
#include "drivers/dimemas/collective_cost.h"
#include "drivers/dimemas/simulation.h"
#include "engine/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery::dimemas {

namespace {

constexpr const char* too_many_threads = "two threads of a task take part in one collective";

} // namespace

CommunicatorState& Simulation::communicator_of(const Thread& thread) {
    const auto found = communicator_index_.find(thread.record.communicator);
    if (found == communicator_index_.end())
        fail(thread, fmt::format("communicator {} is not defined", thread.record.communicator));
    CommunicatorState& communicator = communicators_[found->second];
    if (!std::binary_search(communicator.tasks.begin(), communicator.tasks.end(), thread.task))
        fail(thread, fmt::format("task {} is not in communicator {}", thread.task, communicator.id));
    return communicator;
}

std::uint32_t Simulation::new_collective(std::uint32_t communicator, bool blocking) {
    std::uint32_t id = 0;
    if (free_collectives_.empty()) {
        id = static_cast<std::uint32_t>(collectives_.size());
        collectives_.emplace_back();
    } else {
        id = free_collectives_.back();
        free_collectives_.pop_back();
    }
    collectives_[id] = {};
    collectives_[id].communicator = communicator;
    collectives_[id].blocking = blocking;
    return id;
}

// Nonblocking collectives and reductions meet by their number on each thread.
std::uint32_t Simulation::next_number(Thread& thread, std::uint32_t communicator) {
    for (auto& [which, count] : thread.unblocking) {
        if (which == communicator) return count++;
    }
    thread.unblocking.emplace_back(communicator, 1);
    return 0;
}

// What starting or waiting for a nonblocking collective costs: the greatest latency on its way.
Time Simulation::collective_latency(const Thread& thread, const CommunicatorState& communicator) const {
    const Node& node = machine_.nodes[thread.node];
    Time latency;
    if (!communicator.one_cluster) latency = node.wan_latency;
    if (!communicator.one_node) latency = later(latency, node.latency);
    if (communicator.shares_nodes) latency = later(latency, node.intra_latency);
    return latency;
}

bool Simulation::collective(std::uint32_t id) {
    Thread& thread = threads_[id];
    CommunicatorState& communicator = communicator_of(thread);
    const auto index = static_cast<std::uint32_t>(&communicator - communicators_.data());
    const DimRecord& record = thread.record;
    if (record.synchrony == Synchrony::waiting) {
        wait_collective(id);
        return false;
    }
    if (record.synchrony != Synchrony::blocking) {
        // Dimemas keeps this one in whole nanoseconds.
        const Time latency = collective_latency(thread, communicator);
        if (pay_latency(id, Time::ns(latency.ps() / 1000))) return false;
    }
    if (record.synchrony == Synchrony::nonblocking) {
        started_.push_back({id, index, next_number(thread, index), record});
        finish_record(thread, now_);
        return true;
    }
    if (record.synchrony == Synchrony::root_only) return reduce(id, index);
    if (communicator.blocking == nobody) communicator.blocking = new_collective(index, true);
    arrive(communicator.blocking, id, record);
    return false;
}

// MPI_Reduce: leaves send to the root and go on when they have; the root goes on when all have sent.
bool Simulation::reduce(std::uint32_t id, std::uint32_t index) {
    Thread& thread = threads_[id];
    CommunicatorState& communicator = communicators_[index];
    const auto root = static_cast<std::uint32_t>(thread.record.peer);
    if (!std::binary_search(communicator.tasks.begin(), communicator.tasks.end(), root))
        fail(thread, fmt::format("task {} is the root, which is not in communicator {}", thread.record.peer,
                                 communicator.id));
    ++communicator.tasks_of_node[thread.node];
    const std::uint32_t number = next_number(thread, index);
    CommunicatorState::Reduction& reduction = communicator.reductions.try_emplace(number, root).first->second;
    if (reduction.root_task != root)
        fail(thread, fmt::format("task {} is the root here, task {} elsewhere in the same reduction", root,
                                 reduction.root_task));
    if (root == thread.task) {
        if (reduction.root != nobody) fail(thread, too_many_threads);
        reduction.root = id;
        communicator.root = id;
        if (++reduction.arrived < communicator.size) return false;
        communicator.reductions.erase(number);
        finish_record(thread, now_);
        return true; // it keeps its processor
    }
    tally_.reduced(thread.record);
    const std::uint32_t leaf = new_transfer(Purpose::reduction, id);
    if (reports_) reports_->sent(leaf, thread.since);
    Transfer& transfer = transfers_[leaf];
    transfer.to_task = root;
    transfer.bytes = thread.record.bytes;
    transfer.route = route(thread.task, root, transfer.tag, transfer.bytes, transfer.connection);
    transfer.collective = number;
    carry(leaf);
    return false;
}

void Simulation::reduction_arrived(std::uint32_t id) {
    const Transfer transfer = transfers_[id];
    if (reports_) reports_->arrived(id, transfer, target_of(transfer), now_);
    free_transfer(id);
    const Thread& leaf = threads_[transfer.thread];
    CommunicatorState& communicator = communicator_of(leaf);
    const auto found = communicator.reductions.find(transfer.collective);
    // All have arrived without this one, or without the root: some task has come with two threads.
    if (found == communicator.reductions.end()) fail(leaf, too_many_threads);
    if (++found->second.arrived == communicator.size) {
        const std::uint32_t root = found->second.root;
        if (root == nobody) fail(leaf, too_many_threads);
        communicator.reductions.erase(found);
        proceed(root, Place::back);
    }
    proceed(transfer.thread, Place::back);
}

// The thread has gone on already; the collective goes its own way.
void Simulation::start_nonblocking(const Started& started) {
    CommunicatorState& communicator = communicators_[started.communicator];
    const auto [found, fresh] = communicator.nonblocking.try_emplace(started.number, nobody);
    if (fresh) found->second = new_collective(started.communicator, false);
    arrive(found->second, started.thread, started.record);
}

void Simulation::wait_collective(std::uint32_t id) {
    Thread& thread = threads_[id];
    if (pay_latency(id, collective_latency(thread, communicator_of(thread)))) return;
    if (thread.collectives_done == 0) {
        ++thread.collectives_waited_for;
        return;
    }
    --thread.collectives_done;
    proceed(id, Place::front);
}

void Simulation::arrive(std::uint32_t op, std::uint32_t id, const DimRecord& record) {
    CollectiveOp& collective = collectives_[op];
    CommunicatorState& communicator = communicators_[collective.communicator];
    const Thread& thread = threads_[id];
    if (collective.begun) fail(thread, too_many_threads);
    ++communicator.tasks_of_node[thread.node];
    const bool is_root = record.operation == dim_reduce ? static_cast<std::uint32_t>(record.peer) == thread.task
                                                        : record.peer == 1;
    collective.threads.push_back(id);
    collective.came += static_cast<double>(now_.ticks());
    if (is_root) (collective.blocking ? communicator.root : collective.root) = id;
    if (collective.root == id) collective.root_record = record;
    if (collective.threads.size() < communicator.size) return;
    if (causes_) causes_->complete(op, id);
    if (collective.blocking && communicator.root != nobody) {
        collective.root = communicator.root;
        collective.root_record = threads_[collective.root].record;
    }
    if (collective.root == nobody) {
        collective.root = id;
        collective.root_record = record;
    }
    check_members(collective, thread);
    begin_collective(op);
}

// One thread of each task, the root among them: who is missing was stood in for by a second thread of another.
void Simulation::check_members(const CollectiveOp& collective, const Thread& last) const {
    std::vector<std::uint32_t> tasks;
    tasks.reserve(collective.threads.size());
    for (const std::uint32_t id : collective.threads) tasks.push_back(threads_[id].task);
    std::sort(tasks.begin(), tasks.end());
    const bool twice = std::adjacent_find(tasks.begin(), tasks.end()) != tasks.end();
    const auto& threads = collective.threads;
    if (twice || std::find(threads.begin(), threads.end(), collective.root) == threads.end())
        fail(last, too_many_threads);
}

// One thread of each cluster claims its buses, the root for its own.
void Simulation::begin_collective(std::uint32_t op) {
    CollectiveOp& collective = collectives_[op];
    collective.begun = true;
    std::map<std::uint32_t, std::uint32_t> claimers; // by cluster
    claimers[machine_.nodes[threads_[collective.root].node].machine] = collective.root;
    for (const std::uint32_t id : collective.threads)
        claimers.try_emplace(machine_.nodes[threads_[id].node].machine, id);
    for (const auto& [cluster, id] : claimers) {
        const auto at = std::find(collective.threads.begin(), collective.threads.end(), id);
        collective.threads.erase(at); // until its cluster's resources are there
        const std::uint32_t claim = new_transfer(Purpose::collective, id);
        transfers_[claim].collective = op;
        transfers_[claim].route = Route::wide_area;
        collective.claims.push_back(claim);
    }
    const std::vector<std::uint32_t> claims = collective.claims;
    for (const std::uint32_t claim : claims) claim_buses(claim);
}

void Simulation::claim_buses(std::uint32_t id) {
    Transfer& claim = transfers_[id];
    const std::uint32_t cluster = machine_.nodes[threads_[claim.thread].node].machine;
    BusSet& bus = buses_[cluster];
    if (bus.buses > 0 && claim.buses == 0 && bus.taken != 0) {
        claim.buses = bus.buses - bus.taken;
        bus.taken = bus.buses;
        return push_back(bus.waiting, id, EventCause::bus);
    }
    bus.taken = bus.buses;
    if (collectives_[claim.collective].claims.size() == 1) return claim_has_all(id);
    if (get_out(id, wan_links_[cluster])) return claim_has_out(id);
    push_back(wan_links_[cluster].for_out, id, EventCause::output_link);
}

void Simulation::claim_has_out(std::uint32_t id) {
    CollectiveOp& collective = collectives_[transfers_[id].collective];
    if (++collective.claims_with_out < collective.claims.size()) return;
    const std::vector<std::uint32_t> claims = collective.claims;
    for (const std::uint32_t claim : claims) {
        LinkSet& links = wan_links_[machine_.nodes[threads_[transfers_[claim].thread].node].machine];
        if (get_in(claim, links)) {
            claim_has_all(claim);
        } else {
            push_back(links.for_in, claim, EventCause::input_link);
        }
    }
}

void Simulation::claim_has_all(std::uint32_t id) {
    const std::uint32_t op = transfers_[id].collective;
    CollectiveOp& collective = collectives_[op];
    collective.threads.push_back(transfers_[id].thread);
    if (collective.threads.size() == communicators_[collective.communicator].size) start_collective(op);
}

void Simulation::start_collective(std::uint32_t op) {
    const CollectiveOp& collective = collectives_[op];
    const CommunicatorState& communicator = communicators_[collective.communicator];
    const DimRecord& record = collective.root_record;
    PhaseCost nodes;   // between the nodes of a cluster; kept from one cluster to the next, as in Dimemas
    PhaseCost dearest; // of these and of the busiest node together
    PhaseCost within;
    double heaviest = 0;
    const Node* node = nullptr;
    for (const std::uint32_t claim : collective.claims) {
        node = &machine_.nodes[threads_[transfers_[claim].thread].node];
        const Cluster& cluster = machine_.clusters[node->machine];
        const CollectiveModel& model = cluster.collectives[record.operation];
        std::uint32_t used = 0;
        PhaseCost busiest;
        for (const auto& [which, tasks] : communicator.tasks_of_node) {
            const Node& each = machine_.nodes[which];
            if (each.machine != node->machine) continue;
            ++used;
            const Phase phase{each.intra_latency.picoseconds(), each.intra_ps_per_byte, tasks, 0};
            const PhaseCost cost = cost_of(phase, model, record.bytes, record.bytes_received);
            if (cost.weight() > busiest.weight()) busiest = cost;
        }
        if (cluster.nodes > 1 && used > 0) {
            const Phase phase{node->latency.picoseconds(), cluster.ps_per_byte, used, cluster.buses};
            nodes = cost_of(phase, model, record.bytes, record.bytes_received);
        }
        if (nodes.weight() + busiest.weight() > heaviest) {
            heaviest = nodes.weight() + busiest.weight();
            dearest = nodes;
            within = busiest;
        }
    }
    double ps = within.in + within.out + dearest.in + dearest.out;
    double latency_ps = within.in_latency + within.out_latency + dearest.in_latency + dearest.out_latency;
    Time flight;
    if (collective.claims.size() > 1) {
        const Phase phase{node->wan_latency.picoseconds(), machine_.wan_ps_per_byte, communicator.size, 0};
        const PhaseCost wide =
            cost_of(phase, machine_.wan_collectives[record.operation], record.bytes, record.bytes_received);
        ps += wide.in + wide.out;
        latency_ps += wide.in_latency + wide.out_latency;
        const std::uint32_t here = machine_.nodes[threads_[collective.root].node].machine;
        Time out;
        for (std::size_t there = 0; there < machine_.flight.size(); ++there) {
            const bool takes_part =
                std::any_of(collective.claims.begin(), collective.claims.end(), [&](std::uint32_t claim) {
                    return machine_.nodes[threads_[transfers_[claim].thread].node].machine == there;
                });
            if (!takes_part || there == here) continue;
            flight = later(flight, machine_.flight[there][here]);
            out = later(out, machine_.flight[here][there]);
        }
        flight += out;
    }
    const Time done = now_ + Time::from_ps(ps, "Dimemas: a collective");
    if (causes_)
        causes_->collective_begins(
            op, {record.bytes, Time::from_ps(latency_ps, "Dimemas: a collective"), done, done + flight}, now_);
    for (const std::uint32_t claim : collective.claims) {
        BusSet& bus = buses_[machine_.nodes[threads_[transfers_[claim].thread].node].machine];
        bus.carried.ticks += bus.buses * static_cast<double>((done - now_).ticks()); // it holds all
    }
    plan(done, What::group_resources, op);
    plan(done + flight, What::group_end, op);
}

void Simulation::free_collective_resources(std::uint32_t op) {
    const std::vector<std::uint32_t> claims = std::exchange(collectives_[op].claims, {});
    for (const std::uint32_t id : claims) {
        const Transfer claim = transfers_[id];
        const std::uint32_t cluster = machine_.nodes[threads_[claim.thread].node].machine;
        BusSet& bus = buses_[cluster];
        bus.taken = 0;
        if (claim.has_out) free_out_link(id, wan_links_[cluster]);
        if (claim.has_in) free_in_link(id, wan_links_[cluster]);
        free_transfer(id);
        for (std::uint32_t left = bus.waiting.count; left > 0 && bus.taken < bus.buses; --left) serve_bus(bus);
    }
}

void Simulation::end_collective(std::uint32_t op) {
    CollectiveOp& collective = collectives_[op];
    CommunicatorState& communicator = communicators_[collective.communicator];
    communicator.tasks_of_node.clear();
    const std::vector<std::uint32_t> threads = std::exchange(collective.threads, {});
    if (reports_) reports_->root_is(threads_[collective.root].task);
    if (collective.blocking) {
        communicator.blocking = nobody;
        communicator.root = nobody;
        for (const std::uint32_t id : threads) proceed(id, Place::back);
    } else {
        tally_.ended(collective.root_record, threads.size(), collective.came, now_);
        std::erase_if(communicator.nonblocking, [&](const auto& each) { return each.second == op; });
        for (const std::uint32_t id : threads) {
            Thread& thread = threads_[id];
            if (thread.collectives_waited_for > 0) {
                --thread.collectives_waited_for;
                proceed(id, Place::back);
            } else {
                ++thread.collectives_done;
            }
        }
    }
    free_collectives_.push_back(op);
}

} // namespace orrery::dimemas
