#include "network/packet/core.h"

#include "engine/error.h"
#include "engine/random.h"
#include "engine/too_long.h"
#include "engine/units.h"
#include "machine/platform.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <fmt/format.h>

namespace orrery::packet {

namespace {

// What a flit takes on a channel; nothing without a limit of bandwidth. All times of the network are sums and
// multiples of it, so that its rounding to whole picoseconds must not matter, and that of a whole segment must
// be a time.
Time flit_time_of(const Fabric& fabric, LinkId id, const PacketParameters& parameters,
                  std::uint32_t full_flits) {
    const double bandwidth = fabric.channel(id).bandwidth;
    if (!(bandwidth > 0)) return Time::zero();
    const double exact = static_cast<double>(parameters.flit) / bandwidth * 1e12;
    const auto where = [&] {
        return fmt::format("on channel {} at {}", fabric.name(id), format_bandwidth(bandwidth));
    };
    if (!(exact * full_flits < Time::longest().picoseconds() / 2))
        throw TooLong(fmt::format("packet network: a segment of {} {} ({:.6g} s)",
                                  format_bytes(full_flits * parameters.flit), where(),
                                  exact * full_flits * 1e-12));
    const Time rounded = Time::from_ps(exact, "a flit");
    constexpr double most_rounding = 0.01;
    if (std::abs(rounded.picoseconds() - exact) > most_rounding * exact)
        throw InputError(fmt::format(
            "packet network: a flit of {} {} takes {:.3g} ps, which {} do not resolve; packet.flit must "
            "be larger",
            format_bytes(parameters.flit), where(), exact,
            Time::tick_bits() == 0 ? "whole picoseconds"
                                   : fmt::format("ticks of {:.0f} ps (--resolution)", Time::tick_ps())));
    return rounded;
}

} // namespace

Core::Core(const Fabric& fabric, const Routing& routing, const PacketParameters& parameters,
           PacketObserver* observer)
    : fabric_(fabric), routing_(routing), parameters_(parameters), observer_(observer),
      decides_(routing.decides()), adaptive_(decides_ != Decides::per_pair),
      numbered_(observer != nullptr || decides_ == Decides::per_packet || decides_ == Decides::per_hop),
      control_lane_(parameters.control_priority), lanes_(routing.lanes() + (control_lane_ ? 1 : 0)),
      lane_bits_(static_cast<std::uint32_t>(std::bit_width(lanes_ - 1))), // room for a power of two
      arbiter_(lanes_, control_lane_), full_flits_(flits_of(parameters.segment, parameters)), histogram_(65, 0),
      start_order_(fabric.host_count()) {
    wire();
}

void Core::wire() {
    const std::uint32_t channels = fabric_.channel_count();
    std::vector<std::uint32_t> first_pair(fabric_.node_count());
    for (std::uint32_t node = fabric_.host_count(); node < fabric_.node_count(); ++node) {
        first_pair[node] = static_cast<std::uint32_t>(pair_slots_.size());
        for (std::uint32_t port = 0; port < fabric_.port_count(NodeId{node}); ++port) {
            const LinkId in = fabric_.in(NodeId{node}, port);
            for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
                pair_slots_.push_back(in == no_link ? none : slot_of(in.value, lane));
            }
        }
    }
    wires_.resize(channels);
    to_port_.resize(channels);
    flit_times_.resize(channels);
    for (std::uint32_t i = 0; i < channels; ++i) {
        const Channel& channel = fabric_.channel(LinkId{i});
        if (channel.from == channel.to) continue;
        const bool from_host = fabric_.is_host(channel.from);
        wires_[i] = {flit_time_of(fabric_, LinkId{i}, parameters_, full_flits_),
                     channel.latency,
                     from_host ? lanes_ : fabric_.port_count(channel.from) * lanes_,
                     first_pair[channel.from.index()],
                     none,
                     from_host,
                     fabric_.is_host(channel.to)};
        if (!wires_[i].to_host) wires_[i].line = lines_.line(channel.latency + parameters_.switch_delay);
        to_port_[i] = channel.to_port;
        flit_times_[i] = wires_[i].flit_time;
    }
    outbox_.resize(std::size_t{channels} << lane_bits_);
    active_flag_.resize(channels);
    load_.resize(adaptive_ ? channels : 0);
    draws_.resize(adaptive_ ? fabric_.host_count() : 0);
    if (decides_ == Decides::per_packet || decides_ == Decides::per_hop) {
        host_queues_.resize(std::size_t{2} * fabric_.host_count());
    }
}

std::uint64_t Core::first_pointer(std::uint32_t channel, std::uint64_t which, std::uint64_t bound) const {
    if (parameters_.first_turn == FirstTurn::equal || bound == 0) return 0;
    return RandomStream(parameters_.seed, channel).below(which, bound);
}

Time Core::next() {
    if (unsettled_) settle();
    return arrivals_.empty() ? next_event() : now_;
}

// The caller regains control after this many instants: the user may want to stop the run.
constexpr std::uint64_t instants_at_once = 1U << 20U;

// Channels are arbitrated when all events of an instant have been processed: not while the caller has more
// messages to start at it.
Time Core::next_until(Time limit) {
    if (limit <= now_) return limit;
    if (arrivals_.empty()) run_before(limit, instants_at_once);
    return arrivals_.empty() ? next_event() : now_;
}

void Core::advance(Time now, std::vector<TransferId>& arrived) {
    assert(now >= now_);
    if (now > now_) run_before(now, all_instants);
    now_ = now;
    process_events();
    if (arrivals_.size() > 1) {
        std::sort(arrivals_.begin(), arrivals_.end(),
                  [](const Arrival& a, const Arrival& b) { return a.order < b.order; });
    }
    for (const Arrival& each : arrivals_) arrived.push_back(each.transfer);
    arrivals_.clear();
}

void Core::arrived(std::uint32_t index) {
    const Message& message = messages_[index];
    arrivals_.push_back({message.order, message.transfer});
    if (message.from != message.to) {
        const auto ns = static_cast<std::uint64_t>((now_ - message.start).whole_ns());
        ++histogram_[static_cast<std::size_t>(std::bit_width(ns))];
        if (observer_ != nullptr) observer_->arrived(numbers_[index].number, now_);
        if (message.path != none) paths_.remove(message.path);
    }
    messages_.remove(index);
}

std::uint32_t flits_of(Bytes payload, const PacketParameters& parameters) {
    const Bytes flits = (payload + parameters.header + parameters.flit - 1) / parameters.flit;
    return static_cast<std::uint32_t>(std::max<Bytes>(flits, 1));
}

std::uint32_t Core::last_flits(Bytes bytes) const {
    const Bytes rest = bytes % parameters_.segment;
    return rest == 0 && bytes > 0 ? full_flits_ : flits_of(rest, parameters_);
}

} // namespace orrery::packet
