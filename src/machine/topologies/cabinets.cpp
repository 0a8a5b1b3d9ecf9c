#include "machine/topologies/cabinets.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

class Cabinets final : public RegularTopology {
  public:
    Cabinets(const CabinetsShape& shape, HostNames names, std::vector<Link>& links)
        : RegularTopology(std::move(names), shape.loopback, links), shape_(shape),
          cables_(add_cables("link", shape.cable, host_count(), links)),
          uplinks_(add_cables("uplink", shape.uplink, shape.sizes.size(), links)) {
        if (shape.core) core_ = add_cables("core", *shape.core, 1, links);
        for (std::uint32_t i = 0; i < shape.sizes.size(); ++i) {
            cabinet_of_.resize(cabinet_of_.size() + shape.sizes[i], i);
        }
    }

    void route(HostId from, HostId to, std::vector<LinkId>& links) const override {
        if (from == to && loopback(from, links)) return;
        const std::uint32_t near = cabinet_of_[from.index()];
        const std::uint32_t far = cabinet_of_[to.index()];
        links.push_back(cables_.up(from.value));
        if (near != far) {
            links.push_back(uplinks_.up(near));
            if (shape_.core) links.push_back(core_.up(0));
            links.push_back(uplinks_.down(far));
        }
        links.push_back(cables_.down(to.value));
    }

    [[nodiscard]] std::string name_of(LinkId link) const override {
        if (shape_.core && core_.holds(link)) return "core";
        if (uplinks_.holds(link)) {
            return fmt::format("cabinet {}{}", uplinks_.cable_of(link) + 1, uplinks_.direction_of(link));
        }
        return fmt::format("{}{}", host_name({cables_.cable_of(link)}), cables_.direction_of(link));
    }

    [[nodiscard]] std::string words() const override {
        return fmt::format("{} hosts in {} cabinets ({})", host_count(), shape_.sizes.size(),
                           fmt::join(shape_.sizes, ", "));
    }

    [[nodiscard]] std::optional<double> bisection() const override {
        if (shape_.sizes.size() < 2) return shape_.cable.bandwidth * half_the_hosts();
        const std::size_t half = shape_.sizes.size() / 2;
        double narrow = shape_.uplink.bandwidth * static_cast<double>(half);
        if (shape_.core && shape_.core->duplex != Duplex::fat_pipe) {
            narrow = std::min(narrow, shape_.core->bandwidth);
        }
        return std::min(narrow, shape_.cable.bandwidth * half_the_hosts());
    }

    bool wire(Wiring& wiring) const override {
        const std::size_t cabinets = shape_.sizes.size();
        std::uint32_t host = 0;
        for (std::uint32_t i = 0; i < cabinets; ++i) {
            wiring.switches.push_back({fmt::format("cabinet {}", i + 1), 1});
            for (std::uint32_t port = 0; port < shape_.sizes[i]; ++port, ++host) {
                wiring.cables.push_back(
                    {NodeId{host}, switch_node(i), 0, port, cables_.up(host), cables_.down(host)});
            }
            wiring.cables.push_back(
                {switch_node(i), switch_node(cabinets), shape_.sizes[i], i, uplinks_.up(i), uplinks_.down(i)});
        }
        wiring.switches.push_back({"core", 2});
        if (shape_.core) wiring.left_out.emplace_back("the link of the core that all cabinets share");
        return true;
    }

  private:
    CabinetsShape shape_;
    CableSet cables_;
    CableSet uplinks_;
    CableSet core_;
    std::vector<std::uint32_t> cabinet_of_;
};

} // namespace

std::unique_ptr<Topology> make_cabinets(const CabinetsShape& shape, HostNames names, std::vector<Link>& links) {
    return std::make_unique<Cabinets>(shape, std::move(names), links);
}

} // namespace orrery
