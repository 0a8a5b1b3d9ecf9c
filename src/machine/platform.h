// The hosts and links of a machine, and the route between any two hosts.
//
// Hosts and links are dense indices. Routes are computed by the topology where it allows (trees, tori,
// crossbars, dragonflies), so that 100,000 hosts cost a few megabytes. A split-duplex cable is two links, one
// per direction.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"
#include "machine/regularity.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

enum class Sharing : std::uint8_t {
    shared,   // the flows on it share its bandwidth
    fat_pipe, // each flow may use all of its bandwidth: it bounds a flow, but flows do not disturb each other
};

struct Link {
    double bandwidth = 0; // bytes per second
    Time latency;
    Sharing sharing = Sharing::shared;

    bool operator==(const Link&) const = default;
};

// A rate that depends on the size of a burst of computation, if the machine file gives one.
struct SpeedByBurst {
    double from = 0;  // instructions (or flops): holds for bursts of this size and larger
    double speed = 0; // per second

    bool operator==(const SpeedByBurst&) const = default;
};

struct Host {
    double speed = 0; // instructions (or flops) per second, of one core
    std::uint32_t cores = 1;
    std::uint32_t bursts = 0; // 0: none; otherwise 1 + index into Platform::bursts

    bool operator==(const Host&) const = default;
};

struct Wiring; // fabric/fabric.h

// How links are joined: the one virtual seam of the platform.
class Topology {
  public:
    virtual ~Topology() = default;
    // Appends the links that a message from one host to another passes, in order. Two equal hosts: the
    // loopback, or nothing where there is none. Throws InputError if there is no route.
    virtual void route(HostId from, HostId to, std::vector<LinkId>& links) const = 0;
    [[nodiscard]] virtual std::string host_name(HostId host) const = 0;
    [[nodiscard]] virtual std::string link_name(LinkId link) const = 0;
    // The links that are alike by construction, for people. Where a section of the machine file describes them
    // it is named as that: "link.level1" of a fat tree.
    [[nodiscard]] virtual std::string link_class(LinkId /*link*/) const { return "link"; }
    [[nodiscard]] virtual std::optional<HostId> find_host(std::string_view name) const = 0;
    // For people: "torus 4 x 4 x 4".
    [[nodiscard]] virtual std::string words() const { return {}; }
    // Bytes per second that one half of the hosts can send to the other half at the narrowest even cut of the
    // switches, where the shape says so.
    [[nodiscard]] virtual std::optional<double> bisection() const { return std::nullopt; }
    // How the links join hosts and switches; false if it does not know.
    virtual bool wire(Wiring& /*wiring*/) const { return false; }
    // What is regular about its shape, for routings, patterns and pictures.
    [[nodiscard]] virtual Regularity regularity() const { return {}; }
};

class Platform {
  public:
    Platform(std::vector<Host> hosts, std::vector<Link> links, std::unique_ptr<Topology> topology);

    [[nodiscard]] std::uint32_t host_count() const { return static_cast<std::uint32_t>(hosts_.size()); }
    [[nodiscard]] std::uint32_t link_count() const { return static_cast<std::uint32_t>(links_.size()); }
    [[nodiscard]] const Host& host(HostId host) const { return hosts_[host.index()]; }
    [[nodiscard]] std::span<const Host> hosts() const { return hosts_; }
    [[nodiscard]] const Link& link(LinkId link) const { return links_[link.index()]; }
    [[nodiscard]] std::span<const Link> links() const { return links_; }
    [[nodiscard]] const Topology& topology() const { return *topology_; }
    void route(HostId from, HostId to, std::vector<LinkId>& links) const { topology_->route(from, to, links); }

    // Distributions of speed by burst size; Host::bursts refers to them.
    std::vector<std::vector<SpeedByBurst>> bursts;
    [[nodiscard]] double speed(HostId host, double burst) const; // of one core, for a burst of this size

  private:
    std::vector<Host> hosts_;
    std::vector<Link> links_;
    std::unique_ptr<Topology> topology_;
};

} // namespace orrery
