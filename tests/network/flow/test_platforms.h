// Small machines for the tests of networks: routes are a function of (from, to) given by the test.
#pragma once

#include "machine/platform.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace orrery::test {

class RouteByFunction final : public Topology {
  public:
    using Route = std::function<std::vector<std::uint32_t>(std::uint32_t from, std::uint32_t to)>;
    explicit RouteByFunction(Route route) : route_(std::move(route)) {}

    void route(HostId from, HostId to, std::vector<LinkId>& links) const override {
        for (const std::uint32_t link : route_(from.value, to.value)) links.push_back({link});
    }
    [[nodiscard]] std::string host_name(HostId host) const override { return "h" + std::to_string(host.value); }
    [[nodiscard]] std::string link_name(LinkId link) const override { return "l" + std::to_string(link.value); }
    [[nodiscard]] std::optional<HostId> find_host(std::string_view) const override { return {}; }

  private:
    Route route_;
};

inline Platform platform_of(std::uint32_t hosts, std::vector<Link> links, RouteByFunction::Route route) {
    return {std::vector<Host>(hosts), std::move(links), std::make_unique<RouteByFunction>(std::move(route))};
}

// Host i has link 2i up to the switch and 2i + 1 down from it; nothing between a host and itself.
inline Platform crossbar(std::uint32_t hosts, const Link& link) {
    return platform_of(
        hosts, std::vector<Link>(2 * static_cast<std::size_t>(hosts), link),
        [](std::uint32_t from, std::uint32_t to) {
            return from == to ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{2 * from, 2 * to + 1};
        });
}

// Hosts in a row; link i leads from host i to i + 1, and the way back has links of its own, n - 1 later.
inline Platform chain(const std::vector<Link>& forward) {
    std::vector<Link> links = forward;
    links.insert(links.end(), forward.begin(), forward.end());
    const auto hops = static_cast<std::uint32_t>(forward.size());
    return platform_of(hops + 1, std::move(links), [hops](std::uint32_t from, std::uint32_t to) {
        std::vector<std::uint32_t> route;
        for (std::uint32_t at = from; at < to; ++at) route.push_back(at);
        for (std::uint32_t at = from; at > to; --at) route.push_back(hops + at - 1);
        return route;
    });
}

// All hosts on one link, in both directions.
inline Platform bus(std::uint32_t hosts, const Link& link) {
    return platform_of(hosts, {link},
                       [](std::uint32_t, std::uint32_t) { return std::vector<std::uint32_t>{0}; });
}

// A square torus of n x n hosts, dimension order, the shorter way round. Host h has links 4h: right, left, up,
// down.
inline Platform torus(std::uint32_t n, const Link& link) {
    return platform_of(n * n, std::vector<Link>(4 * static_cast<std::size_t>(n) * n, link),
                       [n](std::uint32_t from, std::uint32_t to) {
                           std::vector<std::uint32_t> route;
                           std::uint32_t x = from % n;
                           std::uint32_t y = from / n;
                           const auto walk = [&](std::uint32_t& at, std::uint32_t goal, std::uint32_t first) {
                               const std::uint32_t ahead = (goal + n - at) % n;
                               const bool up = ahead <= n - ahead;
                               while (at != goal) {
                                   route.push_back(4 * (y * n + x) + first + (up ? 0 : 1));
                                   at = (at + (up ? 1 : n - 1)) % n;
                               }
                           };
                           walk(x, to % n, 0);
                           walk(y, to / n, 2);
                           return route;
                       });
}

} // namespace orrery::test
