#include "platform/topologies/torus.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

class Torus final : public RegularTopology {
  public:
    Torus(const TorusShape& shape, HostNames names, std::vector<Link>& links)
        : RegularTopology(std::move(names), shape.loopback, links), shape_(shape) {
        double total = 0;
        for (const Cable& cable : shape.cables) total += static_cast<double>(host_count()) * cable.links();
        check_link_count(total);
        for (const Cable& cable : shape.cables) cables_.emplace_back(cable, host_count(), links);
        if (shape.limiter)
            limiters_ = CableSet({*shape.limiter, Time::zero(), Duplex::shared}, host_count(), links);
    }

    void route(HostId from, HostId to, std::vector<LinkId>& links) const override {
        if (from == to && loopback(from, links)) return;
        std::uint32_t at = from.value;
        std::uint32_t stride = 1;
        for (std::size_t axis = 0; axis < shape_.dimensions.size(); ++axis) {
            const std::uint32_t size = shape_.dimensions[axis];
            std::uint32_t here = at / stride % size;
            const std::uint32_t there = to.value / stride % size;
            const std::uint32_t ahead = (there + size - here) % size;
            const bool forward =
                ahead <= size / 2 && !(there == 0 && here * 2 == size && (size == 2 || shape_.simgrid));
            while (here != there) {
                if (shape_.limiter) links.push_back(limiters_.up(at));
                // The cable of the node at its lower end: its up link goes in the positive direction.
                const std::uint32_t next = forward ? (here + 1) % size : (here + size - 1) % size;
                const std::uint32_t then = at - here * stride + next * stride;
                links.push_back(forward ? cables_[axis].up(at) : cables_[axis].down(then));
                here = next;
                at = then;
            }
            stride *= size;
        }
        if (shape_.limiter) links.push_back(limiters_.up(at));
    }

    [[nodiscard]] std::string name_of(LinkId link) const override {
        if (shape_.limiter && limiters_.holds(link)) {
            return host_name({limiters_.cable_of(link)}) + " limiter";
        }
        std::size_t axis = 0;
        while (!cables_[axis].holds(link)) ++axis;
        const std::uint32_t at = cables_[axis].cable_of(link);
        std::uint32_t stride = 1;
        for (std::size_t i = 0; i < axis; ++i) stride *= shape_.dimensions[i];
        const std::uint32_t size = shape_.dimensions[axis];
        const std::uint32_t here = at / stride % size;
        const std::uint32_t next = at - here * stride + (here + 1) % size * stride;
        const bool back = cables_[axis].direction_of(link) == " down";
        return fmt::format("{} to {}", host_name({back ? next : at}), host_name({back ? at : next}));
    }

    [[nodiscard]] std::string words() const override {
        return fmt::format("torus {}", fmt::join(shape_.dimensions, " x "));
    }

    // Cut across the dimension in which the fewest bytes pass; a ring of more than two is cut at two places.
    [[nodiscard]] std::optional<double> bisection() const override {
        double least = -1;
        for (std::size_t axis = 0; axis < shape_.dimensions.size(); ++axis) {
            const std::uint32_t size = shape_.dimensions[axis];
            if (size < 2) continue;
            const double rings = static_cast<double>(host_count()) / size;
            const double cut = (size == 2 ? 1 : 2) * rings * shape_.cables[axis].bandwidth;
            if (least < 0 || cut < least) least = cut;
        }
        if (least < 0) return std::nullopt;
        return least;
    }

  private:
    TorusShape shape_;
    std::vector<CableSet> cables_;
    CableSet limiters_;
};

} // namespace

std::unique_ptr<Topology> make_torus(const TorusShape& shape, HostNames names, std::vector<Link>& links) {
    return std::make_unique<Torus>(shape, std::move(names), links);
}

} // namespace orrery
