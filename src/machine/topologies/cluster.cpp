#include "machine/topologies/cluster.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

class Cluster final : public ClusterTopology {
  public:
    Cluster(const ClusterShape& shape, HostNames names, std::vector<Link>& links)
        : ClusterTopology(std::move(names), shape.loopback, links), shape_(shape),
          cables_(add_cables("link", shape.cable, host_count(), links)) {
        if (shape.limiter) {
            limiters_ =
                add_cables("limiter", {*shape.limiter, Time::zero(), Duplex::shared}, host_count(), links);
        }
        if (shape.backbone) backbone_ = add_cables("backbone", *shape.backbone, 1, links);
    }

    void route(HostId from, HostId to, std::vector<LinkId>& links) const override {
        if (from == to && loopback(from, links)) return;
        const std::size_t start = links.size();
        route_up(from, links);
        const std::size_t turn = links.size();
        route_down(to, links);
        // A link occurs once: the backbone, and the cable of a host that sends to itself over a shared one.
        const auto at = [&](std::size_t index) { return links.begin() + static_cast<std::ptrdiff_t>(index); };
        const auto kept = std::remove_if(at(turn), links.end(), [&](LinkId link) {
            return std::find(at(start), at(turn), link) != at(turn);
        });
        links.erase(kept, links.end());
    }

    void route_up(HostId from, std::vector<LinkId>& links) const override {
        if (shape_.limiter) links.push_back(limiters_.up(from.value));
        links.push_back(cables_.up(from.value));
        if (shape_.backbone) links.push_back(backbone_.up(0));
    }

    void route_down(HostId to, std::vector<LinkId>& links) const override {
        if (shape_.backbone) links.push_back(backbone_.up(0));
        links.push_back(cables_.down(to.value));
        if (shape_.limiter) links.push_back(limiters_.up(to.value));
    }

    [[nodiscard]] std::string name_of(LinkId link) const override {
        if (shape_.backbone && backbone_.holds(link)) return "backbone";
        if (shape_.limiter && limiters_.holds(link)) {
            return host_name({limiters_.cable_of(link)}) + " limiter";
        }
        return fmt::format("{}{}", host_name({cables_.cable_of(link)}), cables_.direction_of(link));
    }

    [[nodiscard]] std::string words() const override {
        if (shape_.crossbar) return fmt::format("crossbar of {} hosts", host_count());
        return fmt::format("cluster of {} hosts{}", host_count(), shape_.backbone ? " with a backbone" : "");
    }

    [[nodiscard]] std::optional<double> bisection() const override {
        const double hosts = shape_.cable.bandwidth * half_the_hosts();
        const bool narrow = shape_.backbone && shape_.backbone->duplex != Duplex::fat_pipe;
        return narrow ? std::min(hosts, shape_.backbone->bandwidth) : hosts;
    }

    bool wire(Wiring& wiring) const override {
        wiring.switches.push_back({"switch", 1});
        for (std::uint32_t i = 0; i < host_count(); ++i) {
            wiring.cables.push_back({NodeId{i}, switch_node(0), 0, i, cables_.up(i), cables_.down(i)});
        }
        if (shape_.limiter) wiring.left_out.emplace_back(limiters_left_out);
        if (shape_.backbone) wiring.left_out.emplace_back("the backbone that all messages share");
        return true;
    }

  private:
    ClusterShape shape_;
    CableSet cables_;
    CableSet limiters_;
    CableSet backbone_;
};

} // namespace

std::unique_ptr<ClusterTopology> make_cluster(const ClusterShape& shape, HostNames names,
                                              std::vector<Link>& links) {
    return std::make_unique<Cluster>(shape, std::move(names), links);
}

} // namespace orrery
