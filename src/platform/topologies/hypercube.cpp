#include "platform/topologies/hypercube.h"

#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

// The cables of digit d are numbered by their lower end with that digit taken out: d * 2^(n-1) + that.
class Hypercube final : public RegularTopology {
  public:
    Hypercube(const HypercubeShape& shape, HostNames names, std::vector<Link>& links)
        : RegularTopology(std::move(names), shape.loopback, links), shape_(shape), half_(host_count() / 2) {
        check_link_count(static_cast<double>(half_) * shape.dimensions * shape.cable.links());
        cables_ = CableSet(shape.cable, std::uint64_t{half_} * shape.dimensions, links);
    }

    void route(HostId from, HostId to, std::vector<LinkId>& links) const override {
        if (from == to) {
            loopback(from, links);
            return;
        }
        std::uint32_t at = from.value;
        for (std::uint32_t digit = 0; digit < shape_.dimensions; ++digit) {
            const std::uint32_t bit = 1U << digit;
            if (((at ^ to.value) & bit) == 0) continue;
            const std::uint32_t low = at & (bit - 1);
            const std::uint64_t cable = std::uint64_t{digit} * half_ + ((at >> (digit + 1)) << digit) + low;
            links.push_back((at & bit) == 0 ? cables_.up(cable) : cables_.down(cable));
            at ^= bit;
        }
    }

    [[nodiscard]] std::string name_of(LinkId link) const override {
        const std::uint32_t cable = cables_.cable_of(link);
        const std::uint32_t digit = cable / half_;
        const std::uint32_t rest = cable % half_;
        const std::uint32_t lower = ((rest >> digit) << (digit + 1)) | (rest & ((1U << digit) - 1));
        const std::uint32_t upper = lower | (1U << digit);
        const bool back = cables_.direction_of(link) == " down";
        return fmt::format("{} to {}", host_name({back ? upper : lower}), host_name({back ? lower : upper}));
    }

    [[nodiscard]] std::string words() const override {
        return fmt::format("hypercube of {} dimensions", shape_.dimensions);
    }

    [[nodiscard]] std::optional<double> bisection() const override { return half_ * shape_.cable.bandwidth; }

  private:
    HypercubeShape shape_;
    std::uint32_t half_;
    CableSet cables_;
};

} // namespace

std::unique_ptr<Topology> make_hypercube(const HypercubeShape& shape, HostNames names,
                                         std::vector<Link>& links) {
    return std::make_unique<Hypercube>(shape, std::move(names), links);
}

} // namespace orrery
