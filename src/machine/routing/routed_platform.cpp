#include "machine/routing/routed_platform.h"

#include "machine/fabric/fabric.h"
#include "machine/routing/imported.h"

#include <algorithm>
#include <utility>

namespace orrery {

namespace {

class RoutedTopology final : public Topology {
  public:
    RoutedTopology(std::shared_ptr<const Platform> platform, std::string_view routes, const std::string& file)
        : platform_(std::move(platform)), fabric_(*platform_),
          routing_(imported_routes(routes, fabric_, file)) {}

    void route(HostId from, HostId to, std::vector<LinkId>& links) const override {
        if (from == to) return platform_->route(from, to, links);
        const std::size_t start = links.size();
        routing_->first_route(from, to, links);
        // The channels between a host and the router it sits on are no links of the platform.
        const auto begin = links.begin() + static_cast<std::ptrdiff_t>(start);
        links.erase(std::remove_if(begin, links.end(),
                                   [&](LinkId link) { return link.value >= platform_->link_count(); }),
                    links.end());
    }
    [[nodiscard]] std::string host_name(HostId host) const override { return inner().host_name(host); }
    [[nodiscard]] std::string link_name(LinkId link) const override { return inner().link_name(link); }
    [[nodiscard]] std::string link_class(LinkId link) const override { return inner().link_class(link); }
    [[nodiscard]] std::optional<HostId> find_host(std::string_view name) const override {
        return inner().find_host(name);
    }
    [[nodiscard]] std::string words() const override { return inner().words() + ", routes from a file"; }
    [[nodiscard]] std::optional<double> bisection() const override { return inner().bisection(); }
    bool wire(Wiring& wiring) const override { return inner().wire(wiring); }
    [[nodiscard]] Regularity regularity() const override {
        Regularity wired = inner().regularity();
        wired.own_routes = false;
        return wired;
    }

  private:
    [[nodiscard]] const Topology& inner() const { return platform_->topology(); }

    std::shared_ptr<const Platform> platform_;
    Fabric fabric_;
    std::unique_ptr<ImportedRouting> routing_;
};

} // namespace

std::shared_ptr<const Platform> with_routes(std::shared_ptr<const Platform> platform, std::string_view routes,
                                            const std::string& file) {
    std::vector<Host> hosts;
    for (std::uint32_t i = 0; i < platform->host_count(); ++i) hosts.push_back(platform->host({i}));
    std::vector<Link> links(platform->links().begin(), platform->links().end());
    auto bursts = platform->bursts;
    auto topology = std::make_unique<RoutedTopology>(std::move(platform), routes, file);
    auto routed = std::make_shared<Platform>(std::move(hosts), std::move(links), std::move(topology));
    routed->bursts = std::move(bursts);
    return routed;
}

} // namespace orrery
