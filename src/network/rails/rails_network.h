// Several networks side by side, each message over one of them (multi-rail).
//
// The rails know nothing of each other: what is contended is contended within a rail. Which rail a message
// takes is decided when it starts (machine/rails.h). Arrivals of one instant come rail by rail.
#pragma once

#include "machine/rails.h"
#include "network/network.h"

#include <memory>
#include <string>
#include <vector>

namespace orrery {

class RailsNetwork final : public Network {
  public:
    // A network for each of rails.count().
    RailsNetwork(std::vector<std::unique_ptr<Network>> networks, const Rails& rails, std::uint32_t hosts);

    void start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) override;
    void start_control(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) override;
    Time next() override;
    // No rail runs ahead: an arrival on another one may start something on it.
    Time next_until(Time limit) override;
    void advance(Time now, std::vector<TransferId>& arrived) override;
    // On the rail where it is shortest.
    Time latency(HostId from, HostId to) override;
    // On the rail that its size, its hosts or, in turns, the first turn chooses.
    Uncontended uncontended(HostId from, HostId to, Bytes bytes) override;
    RouteSlopes route_slopes(HostId from, HostId to, Bytes bytes, const LinkClassOf& class_of) override;
    [[nodiscard]] std::string validity() const override;
    // Of all rails together, each link named with its rail.
    [[nodiscard]] NetworkReport report(Time end) const override;

    [[nodiscard]] std::size_t count() const { return networks_.size(); }

  private:
    [[nodiscard]] std::size_t choose(HostId from, HostId to, Bytes bytes, std::uint32_t turn) const;
    Network& next_rail(HostId from, HostId to, Bytes bytes);

    std::vector<std::unique_ptr<Network>> networks_;
    RailChoice choice_;
    Time now_;
    std::vector<Bytes> below_;
    std::string words_;
    std::vector<std::uint32_t> turn_; // by host
};

} // namespace orrery
