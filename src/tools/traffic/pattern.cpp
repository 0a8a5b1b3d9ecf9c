#include "tools/traffic/pattern.h"

#include "engine/error.h"
#include "engine/random.h"
#include "machine/routing/pattern.h"
#include "machine/topologies/dragonfly.h"
#include "machine/topologies/hypercube.h"
#include "machine/topologies/torus.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>

namespace orrery {

namespace {

// The routers of a grid of any dimensions, as TorusShape numbers them.
class Grid {
  public:
    explicit Grid(const TorusShape& shape) : dimensions_(shape.dimensions), nodes_(shape.nodes) {}

    // The host at the same place of the router so many steps further on in a dimension, round the ring.
    [[nodiscard]] std::uint32_t moved(std::uint32_t host, std::size_t axis, std::uint32_t by) const {
        std::uint32_t stride = 1;
        for (std::size_t i = 0; i < axis; ++i) stride *= dimensions_[i];
        const std::uint32_t router = host / nodes_;
        const std::uint32_t size = dimensions_[axis];
        const std::uint32_t at = router / stride % size;
        const std::uint32_t there = (at + by) % size;
        return (router - at * stride + there * stride) * nodes_ + host % nodes_;
    }

  private:
    std::vector<std::uint32_t> dimensions_;
    std::uint32_t nodes_;
};

std::uint64_t number_in(const std::string& text, const char* what) {
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size()) {
        throw UsageError(fmt::format("'{}' is not {}", text, what));
    }
    return value;
}

} // namespace

TrafficPattern::TrafficPattern(const Platform& platform, const std::string& text, std::uint64_t seed)
    : hosts_(platform.host_count()), seed_(seed), words_(text) {
    if (hosts_ < 2) throw UsageError("traffic needs a machine of at least two hosts");
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string name = text.substr(0, colon);
    const std::string argument = colon < text.size() ? text.substr(colon + 1) : "";
    const bool bare = colon == text.size();
    if (name == "hotspot") {
        set_hotspot(argument);
    } else if (name == "group") {
        set_group(platform, argument);
    } else if (name == "tornado" && bare) {
        set_tornado(platform);
    } else if (name == "neighbour" && bare) {
        set_neighbour(platform);
    } else if (name == "shuffle" && bare) {
        set_shuffle();
    } else if (name == "permutation" && bare) {
        set_listed(platform, fmt::format("permutation:{}", seed));
    } else if (text != "uniform") {
        set_listed(platform, text);
    }
    if (senders() == 0) throw UsageError(fmt::format("in the pattern '{}' nobody sends", text));
}

void TrafficPattern::set_hotspot(const std::string& argument) {
    hot_share_ = 0.1;
    if (argument.empty()) return;
    const auto [end, failure] = std::from_chars(argument.data(), argument.data() + argument.size(), hot_share_);
    if (failure != std::errc{} || end != argument.data() + argument.size() ||
        !(hot_share_ > 0 && hot_share_ <= 1)) {
        throw UsageError(fmt::format(
            "hotspot:{}: expected the share of the messages for the hot host, from 0 to 1", argument));
    }
}

void TrafficPattern::set_group(const Platform& platform, const std::string& argument) {
    if (const DragonflyShape* const shape = platform.topology().dragonfly(); shape != nullptr) {
        group_ = shape->chassis * shape->routers * shape->nodes;
    }
    if (!argument.empty()) {
        group_ = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(number_in(argument, "a number of hosts"), hosts_));
    } else if (group_ == 0) {
        throw UsageError(
            "the pattern 'group' is for dragonflies; elsewhere say how many hosts are a group: group:16");
    }
    if (group_ == 0 || hosts_ % group_ != 0 || hosts_ == group_) {
        throw UsageError(fmt::format("{} hosts cannot be split in several groups of {}", hosts_, group_));
    }
}

void TrafficPattern::set_tornado(const Platform& platform) {
    const TorusShape* const shape = platform.topology().torus();
    if (shape == nullptr) return set_listed(platform, "tornado");
    const Grid grid(*shape);
    listed_ = true;
    for (std::uint32_t host = 0; host < hosts_; ++host) {
        first_.push_back(static_cast<std::uint32_t>(to_.size()));
        std::uint32_t to = host;
        for (std::size_t axis = 0; axis < shape->dimensions.size(); ++axis) {
            to = grid.moved(to, axis, (shape->dimensions[axis] + 1) / 2 - 1);
        }
        if (to != host) to_.push_back({to});
    }
    first_.push_back(static_cast<std::uint32_t>(to_.size()));
}

void TrafficPattern::set_neighbour(const Platform& platform) {
    listed_ = true;
    const TorusShape* const torus = platform.topology().torus();
    const HypercubeShape* const cube = platform.topology().hypercube();
    for (std::uint32_t host = 0; host < hosts_; ++host) {
        first_.push_back(static_cast<std::uint32_t>(to_.size()));
        const auto add = [&](std::uint32_t to) {
            const auto known = std::find(to_.begin() + first_.back(), to_.end(), HostId{to});
            if (to != host && known == to_.end()) to_.push_back({to});
        };
        if (torus != nullptr) {
            const Grid grid(*torus);
            for (std::size_t axis = 0; axis < torus->dimensions.size(); ++axis) {
                const std::uint32_t size = torus->dimensions[axis];
                const std::uint32_t up = grid.moved(host, axis, 1);
                const std::uint32_t down = grid.moved(host, axis, size - 1);
                // Hosts are numbered along the dimensions: what goes round an edge of a mesh runs backwards.
                if (torus->wraps || up > host) add(up);
                if (torus->wraps || down < host) add(down);
            }
        } else if (cube != nullptr) {
            for (std::uint32_t axis = 0; axis < cube->dimensions; ++axis) add(host ^ cube->nodes << axis);
        } else {
            add((host + 1) % hosts_);
            add((host + hosts_ - 1) % hosts_);
        }
    }
    first_.push_back(static_cast<std::uint32_t>(to_.size()));
}

// The binary digits of a host's number, rotated by one.
void TrafficPattern::set_shuffle() {
    if (!std::has_single_bit(hosts_)) {
        throw UsageError(fmt::format("the pattern 'shuffle' needs 2^n hosts; this machine has {}", hosts_));
    }
    listed_ = true;
    for (std::uint32_t host = 0; host < hosts_; ++host) {
        first_.push_back(static_cast<std::uint32_t>(to_.size()));
        const std::uint32_t to = (host << 1U | (host >= hosts_ / 2 ? 1U : 0U)) & (hosts_ - 1);
        if (to != host) to_.push_back({to});
    }
    first_.push_back(static_cast<std::uint32_t>(to_.size()));
}

void TrafficPattern::set_listed(const Platform& platform, const std::string& text) {
    const HostPattern pattern = read_pattern(platform, text);
    listed_ = true;
    first_.assign(hosts_ + std::size_t{1}, 0);
    for (const Flow& flow : pattern.flows) ++first_[flow.from.index() + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    to_.resize(pattern.flows.size());
    std::vector<std::uint32_t> filled(first_.begin(), first_.end() - 1);
    for (const Flow& flow : pattern.flows) to_[filled[flow.from.index()]++] = flow.to;
}

bool TrafficPattern::sends(HostId from) const {
    return !listed_ || first_[from.index()] < first_[from.index() + 1];
}

std::uint32_t TrafficPattern::senders() const {
    std::uint32_t count = 0;
    for (std::uint32_t host = 0; host < hosts_; ++host) count += sends(HostId{host}) ? 1 : 0;
    return count;
}

HostId TrafficPattern::destination(HostId from, std::uint64_t n) const {
    const RandomStream random(seed_, (std::uint64_t{1} << 32U) + from.value);
    if (listed_) {
        const std::uint32_t first = first_[from.index()];
        const std::uint32_t count = first_[from.index() + 1] - first;
        return to_[first + (count == 1 ? 0 : random.below(2 * n, count))];
    }
    if (group_ > 0) {
        const std::uint32_t next = (from.value / group_ + 1) * group_ % hosts_;
        return {next + static_cast<std::uint32_t>(random.below(2 * n, group_))};
    }
    if (hot_share_ > 0 && from.value != hot_ && random.uniform(2 * n + 1) < hot_share_) return {hot_};
    const auto to = static_cast<std::uint32_t>(random.below(2 * n, hosts_ - 1));
    return {to < from.value ? to : to + 1};
}

std::string traffic_patterns() {
    return "uniform         each message to any other host, at random\n"
           "permutation     each host to one other, at random, none twice\n"
           "shift:K         to the host K further on\n"
           "neighbour       to a random one of the nearest hosts (torus, mesh, hypercube; elsewhere i - 1, i + "
           "1)\n"
           "tornado         almost halfway round, in each dimension of a torus\n"
           "bit-complement, bit-reverse, shuffle   by the binary digits of a host's number (2^n hosts)\n"
           "transpose       the same with the halves of the digits swapped (4^n hosts)\n"
           "hotspot:SHARE   uniform, but this share of the messages (0.1) goes to host 0\n"
           "group:HOSTS     to a random host of the next group: the worst for a dragonfly, which has groups\n"
           "or a file with lines 'from to'";
}

} // namespace orrery
