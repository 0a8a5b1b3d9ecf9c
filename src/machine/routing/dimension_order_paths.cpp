// Torus, mesh, hypercube and HyperX: dimensions in order.
#include "machine/platform.h"
#include "machine/routing/regular_paths.h"

#include <algorithm>
#include <utility>

namespace orrery {

namespace {

class DimensionOrderPaths final : public RegularPaths {
  public:
    explicit DimensionOrderPaths(const Fabric& fabric)
        : RegularPaths(fabric), crosses_(fabric.channel_count(), false), axis_(fabric.channel_count(), 0) {
        Regularity shape = fabric.platform().topology().regularity();
        if (!shape.grid || !shape.grid->rings_or_lines()) return;
        grid_ = std::move(*shape.grid);
        find_datelines();
        if (shape.own_routes) find_steps();
    }

    [[nodiscard]] std::uint32_t places(HostId /*from*/, HostId /*to*/) const override { return router_count(); }

    void detour(HostId from, HostId to, std::uint32_t place, std::vector<Hop>& hops) const override {
        hops.push_back({from_host(from), 0});
        between_routers(from, host_of(place), 0, hops);
        between_routers(host_of(place), to, direct_lanes(), hops);
        hops.push_back({to_host(to), 0});
    }

    [[nodiscard]] std::uint32_t direct_lanes() const override { return rings_ ? 2 : 1; }
    [[nodiscard]] std::uint32_t detour_lanes() const override { return 2 * direct_lanes(); }
    [[nodiscard]] std::string words() const override {
        return rings_ ? "dimension order with datelines" : "dimension order";
    }

  protected:
    // On a torus or mesh without a detour by the platform: this is done for each message.
    void between_routers(HostId from, HostId to, std::uint32_t first_lane,
                         std::vector<Hop>& hops) const override {
        if (steps_.empty()) return RegularPaths::between_routers(from, to, first_lane, hops);
        const std::size_t axes = grid_.dimensions.size();
        const std::uint32_t* const start = coordinates_.data() + router_of(from) * axes;
        const std::uint32_t* const end = coordinates_.data() + router_of(to) * axes;
        std::uint32_t at = router_of(from);
        for (std::size_t axis = 0; axis < axes; ++axis) {
            const std::uint32_t here = start[axis];
            const std::uint32_t there = end[axis];
            if (here == there) continue;
            const std::uint32_t size = grid_.dimensions[axis];
            const bool forward = grid_.goes_forward(here, there, size);
            const std::uint32_t ahead = forward ? there - here : here - there;
            std::uint32_t lane = first_lane;
            for (std::uint32_t left = ahead < size ? ahead : ahead + size; left > 0; --left) {
                const Step& step = steps_[(at * axes + axis) * 2 + (forward ? 0 : 1)];
                if (step.crosses) lane = first_lane + 1;
                hops.push_back({step.channel, lane});
                at = step.next;
            }
        }
    }
    void set_lanes(std::span<Hop> path, std::uint32_t first_lane) const override {
        if (!rings_) return;
        bool crossed = false;
        for (std::size_t i = 0; i < path.size(); ++i) {
            const std::size_t channel = path[i].channel.index();
            if (i > 0 && axis_[channel] != axis_[path[i - 1].channel.index()]) crossed = false;
            crossed = crossed || crosses_[channel];
            path[i].lane = first_lane + (crossed ? 1 : 0);
        }
    }

  private:
    // Rings of three and fewer are passed in one hop: nothing can wait for itself there.
    void find_datelines() {
        for (std::uint32_t i = 0; i < fabric().channel_count(); ++i) {
            const Channel& channel = fabric().channel({i});
            if (!fabric().is_channel({i}) || fabric().is_host(channel.from) || fabric().is_host(channel.to))
                continue;
            const std::uint32_t a = channel.from.value - fabric().host_count();
            const std::uint32_t b = channel.to.value - fabric().host_count();
            const std::uint32_t distance = std::max(a, b) - std::min(a, b);
            // The ends differ in one coordinate, by 1 or by all of its dimension.
            std::uint32_t stride = 1;
            for (std::size_t axis = 0; axis < grid_.dimensions.size(); ++axis) {
                const std::uint32_t size = grid_.dimensions[axis];
                if (distance < stride * size) {
                    axis_[i] = static_cast<std::uint8_t>(axis);
                    crosses_[i] = size > 3 && distance == stride * (size - 1);
                    rings_ = rings_ || crosses_[i];
                    break;
                }
                stride *= size;
            }
        }
    }

    // Ports are as torus.h says.
    void find_steps() {
        const auto axes = static_cast<std::uint32_t>(grid_.dimensions.size());
        for (std::uint32_t router = 0; router < router_count(); ++router) {
            const auto out = fabric().out(NodeId{fabric().host_count() + router});
            for (std::uint32_t port = 0; port < 2 * axes; ++port) {
                const LinkId channel = port < out.size() ? out[port] : no_link;
                if (channel == no_link) {
                    steps_.emplace_back(); // no path leads there
                    continue;
                }
                const std::uint32_t next = fabric().channel(channel).to.value - fabric().host_count();
                steps_.push_back({channel, next, crosses_[channel.index()]});
            }
            std::uint32_t rest = router;
            for (const std::uint32_t size : grid_.dimensions) {
                coordinates_.push_back(rest % size);
                rest /= size;
            }
        }
    }

    struct Step { // from a router to the next
        LinkId channel = no_link;
        std::uint32_t next = 0;
        bool crosses = false; // the dateline
    };

    RouterGrid grid_;                        // of rings or lines
    std::vector<Step> steps_;                // of each router, forward and backward in each dimension
    std::vector<std::uint32_t> coordinates_; // of each router, in each dimension
    std::vector<bool> crosses_;              // by channel
    std::vector<std::uint8_t> axis_;
    bool rings_ = false; // there are any that need lanes
};

} // namespace

std::unique_ptr<RegularPaths> dimension_order_paths(const Fabric& fabric) {
    return std::make_unique<DimensionOrderPaths>(fabric);
}

} // namespace orrery
