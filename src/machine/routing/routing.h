// The paths that packets take through a fabric, and their virtual channels.
//
// A routing decides once per pair of hosts, per message, per packet, or at every switch. All but the last give
// a whole path (source routing); the last one is asked at each node. Where choices are random they are a
// function of the seed, of the pair and of `draw`, a number that the network counts up for each source host: so
// a run can be repeated, and what other hosts send does not change a host's choices.
// Routings hold no state that a run changes: one serves any number of networks and threads.
#pragma once

#include "engine/settings.h"
#include "machine/fabric/fabric.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace orrery {

struct Hop {
    LinkId channel;
    std::uint32_t lane = 0; // virtual channel
    bool operator==(const Hop&) const = default;
};

// What adaptive routings see of the network: how much waits for a channel, at its sending end.
class LoadView {
  public:
    virtual ~LoadView() = default;
    [[nodiscard]] virtual Bytes queued(LinkId channel) const = 0;
};

enum class Decides : std::uint8_t { per_pair, per_message, per_packet, per_hop };

// Receives the paths between two hosts.
class PathSink {
  public:
    virtual ~PathSink() = default;
    virtual void path(std::span<const Hop> hops) = 0;
};

class Routing {
  public:
    virtual ~Routing() = default;
    [[nodiscard]] virtual Decides decides() const { return Decides::per_pair; }
    [[nodiscard]] virtual std::uint32_t lanes() const { return 1; } // how many virtual channels it needs
    // Appends the path from one host to a different one, the first hop leaving `from`. `draw` counts the
    // messages (packets) of `from`; per_pair routings do not look at it. For per_hop routings: some path that
    // it might choose.
    virtual void path(HostId from, HostId to, std::uint64_t draw, const LoadView& load,
                      std::vector<Hop>& hops) const = 0;
    // For per_hop: the next hop of a packet that arrived at switch `at` by `came`; at a host `came.channel` is
    // no_link. All other routings go on along path().
    [[nodiscard]] virtual Hop next(NodeId at, Hop came, HostId from, HostId to, std::uint64_t draw,
                                   const LoadView& load) const;
    // Every path that it might choose between two hosts, for checks of deadlocks and surveys; by default the
    // one of path(), which is all there is to routings per_pair. Returns false if there are more than `most`:
    // then that many of them are reported, the same every time.
    virtual bool paths(HostId from, HostId to, std::uint64_t most, PathSink& sink) const;
    // For people: "D-mod-k".
    [[nodiscard]] virtual std::string words() const = 0;
};

// A network on which nothing waits, for questions without a run.
const LoadView& no_load();

// The parameters (`routing.*`), for help and checking.
std::span<const Parameter> routing_parameters();
// Throws InputError or UsageError if a value cannot be, also on networks that do not route.
void check_routing_settings(const Settings& settings);

// By routing.policy; "auto" is what the topology is made for (D-mod-k, dimension order, minimal, shortest
// paths). Throws InputError if the policy does not fit the topology. The fabric must outlive it.
std::unique_ptr<Routing> make_routing(const Fabric& fabric, const Settings& settings);

} // namespace orrery
