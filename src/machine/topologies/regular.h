// What the generators of regular networks share: cables, loopbacks, host names, and what they build.
//
// A generator adds the links of its network to a vector and returns the Topology that names them; link and host
// indices count from zero within it. A network made of several (a SimGrid platform with clusters) shifts them.
#pragma once

#include "machine/fabric/fabric.h"
#include "machine/host_names.h"
#include "machine/platform.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

enum class Duplex : std::uint8_t {
    split,    // two directions that do not disturb each other: two links
    shared,   // both directions share the bandwidth: one link
    fat_pipe, // one link that bounds each flow and is never full
};

struct Cable {
    double bandwidth = 0; // bytes per second
    Time latency;
    Duplex duplex = Duplex::split;

    [[nodiscard]] std::uint32_t links() const { return duplex == Duplex::split ? 2 : 1; }
    [[nodiscard]] Link link() const {
        return {bandwidth, latency, duplex == Duplex::fat_pipe ? Sharing::fat_pipe : Sharing::shared};
    }
};

// `count` equal cables side by side: cable i has the links first + 2i (up) and first + 2i + 1 (down), or one
// link first + i for both directions.
class CableSet {
  public:
    CableSet() = default;
    CableSet(const Cable& cable, std::uint64_t count, std::vector<Link>& links)
        : first_(static_cast<std::uint32_t>(links.size())), count_(static_cast<std::uint32_t>(count)),
          stride_(cable.links()) {
        links.resize(links.size() + count * stride_, cable.link());
    }

    [[nodiscard]] LinkId up(std::uint64_t cable) const {
        return {first_ + static_cast<std::uint32_t>(cable) * stride_};
    }
    [[nodiscard]] LinkId down(std::uint64_t cable) const {
        return {first_ + static_cast<std::uint32_t>(cable) * stride_ + stride_ - 1};
    }
    [[nodiscard]] bool holds(LinkId link) const {
        return link.value >= first_ && link.value < first_ + count_ * stride_;
    }
    [[nodiscard]] std::uint32_t cable_of(LinkId link) const { return (link.value - first_) / stride_; }
    // "up", "down", or nothing where one link serves both directions.
    [[nodiscard]] std::string_view direction_of(LinkId link) const {
        if (stride_ == 1) return "";
        return (link.value - first_) % 2 == 0 ? " up" : " down";
    }

  private:
    std::uint32_t first_ = 0;
    std::uint32_t count_ = 0;
    std::uint32_t stride_ = 2;
};

// Hosts that are numbered, with or without a loopback each.
class RegularTopology : public Topology {
  public:
    RegularTopology(HostNames names, const std::optional<Link>& loopback, std::vector<Link>& links);

    [[nodiscard]] std::string host_name(HostId host) const override { return names_.name(host.value); }
    [[nodiscard]] std::optional<HostId> find_host(std::string_view name) const override;
    [[nodiscard]] std::string link_name(LinkId link) const final;
    [[nodiscard]] std::string link_class(LinkId link) const final;

  protected:
    // Cables behind all others, which [section] of a machine file describes.
    CableSet add_cables(std::string section, const Cable& cable, std::uint64_t count, std::vector<Link>& links);
    // Appends the loopback of `host` if there is one.
    bool loopback(HostId host, std::vector<LinkId>& links) const;
    [[nodiscard]] std::uint32_t host_count() const { return names_.count(); }
    [[nodiscard]] std::uint32_t half_the_hosts() const { return names_.count() / 2; }
    // The node of a switch in the wiring: they are counted behind the hosts.
    [[nodiscard]] NodeId switch_node(std::uint64_t index) const {
        return {names_.count() + static_cast<std::uint32_t>(index)};
    }
    [[nodiscard]] virtual std::string name_of(LinkId link) const = 0; // of a link that is no loopback

  private:
    struct Section {
        std::uint32_t end = 0; // one more than its last link
        std::string name;
    };

    HostNames names_;
    bool has_loopback_;
    std::vector<Section> sections_; // in the order of their links
};

// What wirings say of parts that packets do not see.
inline constexpr std::string_view limiters_left_out =
    "limiters (what an interface transfers in both directions together)";

// More links than this would not fit 32 bits or any memory. Throws InputError.
void check_link_count(double links);

} // namespace orrery
