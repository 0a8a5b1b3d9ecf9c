#include "machine/topologies/hyperx.h"

#include "machine/topologies/lists.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

// In each dimension a row of d routers has d (d-1) / 2 cables. Cables of a dimension: row by row, in the row by
// the pairs (a, b), a < b, of its coordinates. Rows are numbered by the router number with the coordinate taken
// out.
class HyperX final : public RegularTopology {
  public:
    HyperX(const HyperXShape& shape, HostNames names, std::vector<Link>& links)
        : RegularTopology(std::move(names), shape.loopback, links), shape_(shape),
          routers_(host_count() / shape.nodes) {
        double total = 2.0 * host_count();
        for (std::size_t axis = 0; axis < shape.dimensions.size(); ++axis) {
            total += static_cast<double>(routers_) * (shape.dimensions[axis] - 1);
        }
        check_link_count(total);
        nodes_ = add_cables("link.node", shape.node_cable, host_count(), links);
        for (std::size_t axis = 0; axis < shape.dimensions.size(); ++axis) {
            const std::uint64_t cables = std::uint64_t{routers_} * (shape.dimensions[axis] - 1) / 2;
            cables_.push_back(
                add_cables(fmt::format("link.dimension{}", axis + 1), shape.cables[axis], cables, links));
        }
    }

    void route(HostId from, HostId to, std::vector<LinkId>& links) const override {
        if (from == to && loopback(from, links)) return;
        links.push_back(nodes_.up(from.value));
        std::uint32_t at = from.value / shape_.nodes;
        const std::uint32_t target = to.value / shape_.nodes;
        std::uint32_t stride = 1;
        for (std::size_t axis = 0; axis < shape_.dimensions.size(); ++axis) {
            const std::uint32_t size = shape_.dimensions[axis];
            const std::uint32_t here = at / stride % size;
            const std::uint32_t there = target / stride % size;
            if (here != there) {
                const std::uint64_t number = cable(axis, at, stride, here, there);
                links.push_back(here < there ? cables_[axis].up(number) : cables_[axis].down(number));
                at = at - here * stride + there * stride;
            }
            stride *= size;
        }
        links.push_back(nodes_.down(to.value));
    }

    [[nodiscard]] std::string name_of(LinkId link) const override {
        if (nodes_.holds(link)) {
            return fmt::format("{}{}", host_name({nodes_.cable_of(link)}), nodes_.direction_of(link));
        }
        std::size_t axis = 0;
        std::uint32_t stride = 1;
        for (; !cables_[axis].holds(link); ++axis) stride *= shape_.dimensions[axis];
        const std::uint32_t size = shape_.dimensions[axis];
        const std::uint32_t pairs = size * (size - 1) / 2;
        const std::uint32_t row = cables_[axis].cable_of(link) / pairs;
        std::uint32_t rest = cables_[axis].cable_of(link) % pairs;
        std::uint32_t a = 0;
        for (; rest >= size - 1 - a; ++a) rest -= size - 1 - a; // by search, as only people ask for names
        const std::uint32_t origin = row / stride * stride * size + row % stride;
        const std::uint32_t lower = origin + a * stride;
        const std::uint32_t upper = origin + (a + 1 + rest) * stride;
        const bool back = cables_[axis].direction_of(link) == " down";
        return fmt::format("router {} to router {}", back ? upper : lower, back ? lower : upper);
    }

    [[nodiscard]] std::string words() const override {
        return fmt::format("HyperX {} with {} host{} per router", fmt::join(shape_.dimensions, " x "),
                           shape_.nodes, shape_.nodes == 1 ? "" : "s");
    }

    // Cut in the middle of the dimension in which the fewest bytes pass.
    [[nodiscard]] std::optional<double> bisection() const override {
        double least = shape_.node_cable.bandwidth * half_the_hosts();
        for (std::size_t axis = 0; axis < shape_.dimensions.size(); ++axis) {
            const std::uint32_t size = shape_.dimensions[axis];
            if (size < 2) continue;
            const double rows = static_cast<double>(routers_) / size;
            const std::uint32_t half = size / 2;
            const double pairs = static_cast<double>(half) * (size - half);
            least = std::min(least, rows * pairs * shape_.cables[axis].bandwidth);
        }
        return least;
    }

    bool wire(Wiring& wiring) const override {
        std::uint32_t ports = 0;
        for (const std::uint32_t size : shape_.dimensions) ports += size - 1;
        for (std::uint32_t router = 0; router < routers_; ++router) {
            wiring.switches.push_back({"router " + std::to_string(router), 0});
            std::uint32_t stride = 1;
            std::uint32_t first_port = 0;
            for (std::size_t axis = 0; axis < shape_.dimensions.size(); ++axis) {
                const std::uint32_t size = shape_.dimensions[axis];
                const std::uint32_t here = router / stride % size;
                for (std::uint32_t there = here + 1; there < size; ++there) {
                    const std::uint64_t number = cable(axis, router, stride, here, there);
                    wiring.cables.push_back({switch_node(router), switch_node(router + (there - here) * stride),
                                             first_port + there - 1, first_port + here,
                                             cables_[axis].up(number), cables_[axis].down(number)});
                }
                stride *= size;
                first_port += size - 1;
            }
        }
        for (std::uint32_t host = 0; host < host_count(); ++host) {
            wiring.cables.push_back({NodeId{host}, switch_node(host / shape_.nodes), 0,
                                     ports + host % shape_.nodes, nodes_.up(host), nodes_.down(host)});
        }
        return true;
    }

    [[nodiscard]] Regularity regularity() const override {
        return {.grid = RouterGrid{Joined::all_to_all, shape_.dimensions, shape_.nodes}};
    }

  private:
    // The cable of a router between its coordinate `here` and `there` of a dimension.
    [[nodiscard]] std::uint64_t cable(std::size_t axis, std::uint32_t router, std::uint32_t stride,
                                      std::uint32_t here, std::uint32_t there) const {
        const std::uint64_t size = shape_.dimensions[axis];
        const std::uint64_t row = router / (stride * size) * stride + router % stride;
        const std::uint64_t a = std::min(here, there);
        const std::uint64_t b = std::max(here, there);
        return row * (size * (size - 1) / 2) + a * size - a * (a + 1) / 2 + (b - a - 1);
    }

    HyperXShape shape_;
    std::uint32_t routers_;
    std::vector<CableSet> cables_; // of each dimension
    CableSet nodes_;
};

} // namespace

std::uint64_t hyperx_hosts(const HyperXShape& shape) {
    std::vector<std::uint32_t> factors = shape.dimensions;
    factors.push_back(shape.nodes);
    return bounded_product(factors);
}

std::unique_ptr<Topology> make_hyperx(const HyperXShape& shape, HostNames names, std::vector<Link>& links) {
    return std::make_unique<HyperX>(shape, std::move(names), links);
}

} // namespace orrery
