// A network in front of another one, for messages that stay within a host: they are copied through its memory
// (node_parameters.h) and meet nothing but each other. All other messages go on to that network.
//
// Messages of one host that arrive at one instant come in the order in which their copies were done; hosts come
// in ascending order, after what arrives from the network.
#pragma once

#include "machine/platform.h"
#include "network/network.h"
#include "network/node/shared_copies.h"

#include <memory>
#include <queue>
#include <string>
#include <vector>

namespace orrery {

class NodeNetwork final : public Network {
  public:
    NodeNetwork(std::unique_ptr<Network> between, const NodeParameters& node, const Platform& platform);

    void start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) override;
    void start_control(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) override;
    Time next() override;
    Time next_until(Time limit) override;
    void advance(Time now, std::vector<TransferId>& arrived) override;
    Time latency(HostId from, HostId to) override;
    Uncontended uncontended(HostId from, HostId to, Bytes bytes) override;
    RouteSlopes route_slopes(HostId from, HostId to, Bytes bytes, const LinkClassOf& class_of) override;
    [[nodiscard]] std::string validity() const override;
    [[nodiscard]] std::span<const LinkUse> link_use() const override { return between_->link_use(); }
    // With the memory of each host among the links.
    [[nodiscard]] NetworkReport report(Time end) const override;

  private:
    // Copies of a host, one of which is done then. Outdated if they say another time.
    struct Due {
        Time time;
        std::uint32_t copies; // index into copies_
        auto operator<=>(const Due&) const = default;
    };
    struct Arrival {
        Time time;
        std::uint32_t host;
        std::uint64_t order;
        TransferId transfer;
        bool operator>(const Arrival& other) const {
            if (time != other.time) return time > other.time;
            return host != other.host ? host > other.host : order > other.order;
        }
    };
    template <typename T> using Earliest = std::priority_queue<T, std::vector<T>, std::greater<>>;

    void copy(TransferId transfer, HostId host, Bytes bytes, Time now);
    void arrive(TransferId transfer, std::uint32_t host, Time when);
    Time next_within();
    // Of a host: index into copies_ of those in its memory; those in its caches are next.
    std::uint32_t copies_of(HostId host);

    std::unique_ptr<Network> between_;
    NodeParameters node_;
    const Platform& platform_;
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    std::vector<std::uint32_t> copies_of_; // by host; none: no message yet
    std::vector<SharedCopies> copies_;
    std::vector<HostId> host_of_; // of each two of copies_
    Earliest<Due> due_;
    Earliest<Arrival> arrivals_;
    std::uint64_t copied_ = 0;
    std::vector<TransferId> done_;
};

} // namespace orrery
