#include "machine/routing/fat_tree_routing.h"

#include "engine/random.h"
#include "machine/platform.h"
#include "machine/routing/families.h"

#include <fmt/format.h>

namespace orrery {

void FatTreeRouting::path(HostId from, HostId to, std::uint64_t draw, const LoadView& /*load*/,
                          std::vector<Hop>& hops) const {
    Numbers ports{};
    Numbers copies{};
    choose(from, to, tree_.height(from, to), draw, ports, copies);
    tree_.append(from, to, ports, copies, hops);
}

bool FatTreeRouting::paths(HostId from, HostId to, std::uint64_t most, PathSink& sink) const {
    if (decides() == Decides::per_pair) return Routing::paths(from, to, most, sink);
    const std::uint32_t height = tree_.height(from, to);
    std::uint64_t count = 1;
    for (std::uint32_t i = 0; i < height && count < (std::uint64_t{1} << 40U); ++i) {
        count *= std::uint64_t{tree_.ports(i)} * tree_.copies(i);
    }
    std::vector<Hop> hops;
    Numbers ports{};
    Numbers copies{};
    const std::uint64_t told = std::min(count, most);
    for (std::uint64_t i = 0; i < told; ++i) {
        std::uint64_t number = count / told * i; // spread over all of them
        for (std::uint32_t level = 0; level < height; ++level) {
            ports[level] = static_cast<std::uint32_t>(number % tree_.ports(level));
            number /= tree_.ports(level);
            copies[level] = static_cast<std::uint32_t>(number % tree_.copies(level));
            number /= tree_.copies(level);
        }
        hops.clear();
        tree_.append(from, to, ports, copies, hops);
        sink.path(hops);
    }
    return count <= most;
}

namespace {

// Up by a number that is read off the destination or the source, down by the other one.
class ModK final : public FatTreeRouting {
  public:
    ModK(const Fabric& fabric, bool by_source, ModForm form)
        : FatTreeRouting(fabric), by_source_(by_source), form_(form) {
        const FatTreeShape& shape = tree().shape();
        for (std::uint32_t host = 0; host < fabric.host_count(); ++host) {
            const std::uint32_t number = shape.first_position + host;
            std::uint32_t divisor = 1;
            for (std::uint32_t i = 0; i < tree().levels(); ++i) {
                ports_.push_back(number / divisor % tree().ports(i));
                copies_.push_back(number % tree().copies(i));
                if (form_ == ModForm::parents) {
                    divisor *= shape.up[i];
                } else if (i > 0) {
                    divisor *= shape.down[i - 1];
                }
            }
        }
    }

    void path(HostId from, HostId to, std::uint64_t /*draw*/, const LoadView& /*load*/,
              std::vector<Hop>& hops) const override {
        const std::size_t levels = tree().levels();
        const std::size_t up = (by_source_ ? from : to).index() * levels;
        const std::size_t down = (by_source_ ? to : from).index() * levels;
        tree().append(from, to, {ports_.data() + up, levels}, {copies_.data() + down, levels}, hops);
    }
    [[nodiscard]] std::string words() const override {
        return fmt::format("{}-mod-k{}", by_source_ ? "S" : "D",
                           form_ == ModForm::children ? " (divided by children)" : "");
    }

  protected:
    void choose(HostId, HostId, std::uint32_t, std::uint64_t, Numbers&, Numbers&) const override {}

  private:
    bool by_source_;
    ModForm form_;
    std::vector<std::uint32_t> ports_; // of each host, by level: up to it, or from it
    std::vector<std::uint32_t> copies_;
};

class FirstPort final : public FatTreeRouting {
  public:
    using FatTreeRouting::FatTreeRouting;
    [[nodiscard]] std::string words() const override { return "naive: always the first port up"; }

  protected:
    void choose(HostId, HostId, std::uint32_t, std::uint64_t, Numbers&, Numbers&) const override {}
};

class RandomUp final : public FatTreeRouting {
  public:
    RandomUp(const Fabric& fabric, Decides decides, std::uint64_t seed)
        : FatTreeRouting(fabric), decides_(decides), seed_(seed) {}

    [[nodiscard]] Decides decides() const override { return decides_; }
    [[nodiscard]] std::string words() const override {
        const std::string_view unit = decides_ == Decides::per_pair      ? "pair of hosts"
                                      : decides_ == Decides::per_message ? "message"
                                                                         : "packet";
        return fmt::format("a random route up for each {}", unit);
    }

  protected:
    void choose(HostId from, HostId to, std::uint32_t height, std::uint64_t draw, Numbers& ports,
                Numbers& copies) const override {
        const std::uint64_t pair = (std::uint64_t{from.value} << 32U) | to.value;
        const RandomStream random(seed_, decides_ == Decides::per_pair ? pair : mix_bits(pair) + draw);
        for (std::uint32_t i = 0; i < height; ++i) {
            ports[i] = static_cast<std::uint32_t>(random.below(std::uint64_t{2} * i, tree().ports(i)));
            copies[i] = static_cast<std::uint32_t>(random.below(std::uint64_t{2} * i + 1, tree().copies(i)));
        }
    }

  private:
    Decides decides_;
    std::uint64_t seed_;
};

// At each switch the port before which least waits. Where several are equal, the first at or after one that
// moves on with `draw` and from host to host, so that an idle network spreads packets evenly: those of each
// host, and those that many hosts send at once.
class AdaptiveUp final : public FatTreeRouting {
  public:
    explicit AdaptiveUp(const Fabric& fabric) : FatTreeRouting(fabric), fabric_(fabric) {}

    [[nodiscard]] Decides decides() const override { return Decides::per_hop; }
    [[nodiscard]] std::string words() const override { return "adaptive: the port up with the least queue"; }

    [[nodiscard]] Hop next(NodeId at, Hop /*came*/, HostId from, HostId to, std::uint64_t draw,
                           const LoadView& load) const override {
        const std::uint32_t level = fabric_.level(at);
        const bool turns = tree().has_below(level, at, to);
        const std::uint32_t choices = turns ? tree().copies(level - 1) : tree().ports(level);
        const auto start = static_cast<std::uint32_t>((draw + from.value + at.value) % choices);
        Hop best;
        Bytes least = ~Bytes{0};
        for (std::uint32_t i = 0; i < choices; ++i) {
            const std::uint32_t j = start + i < choices ? start + i : start + i - choices;
            const LinkId channel = turns ? tree().down(at, level, to, j) : tree().up(at, j);
            const Bytes queued = load.queued(channel);
            if (queued < least) {
                least = queued;
                best = {channel, 0};
            }
        }
        return best;
    }

    void path(HostId from, HostId to, std::uint64_t draw, const LoadView& load,
              std::vector<Hop>& hops) const override {
        Hop came{no_link, 0};
        for (NodeId at{from.value}; at != NodeId{to.value}; at = fabric_.channel(came.channel).to) {
            came = next(at, came, from, to, draw, load);
            hops.push_back(came);
        }
    }

  protected:
    void choose(HostId, HostId, std::uint32_t, std::uint64_t, Numbers&, Numbers&) const override {}

  private:
    const Fabric& fabric_;
};

} // namespace

std::unique_ptr<Routing> make_d_mod_k(const Fabric& fabric, ModForm form) {
    const FatTreeShape* const shape = fabric.platform().topology().regularity().tree;
    // A tree in SimGrid's manner chooses among parallel cables by rules of its own.
    if (shape != nullptr && shape->simgrid && form == ModForm::parents)
        return make_platform_routing(fabric, "D-mod-k");
    return std::make_unique<ModK>(fabric, false, form);
}

std::unique_ptr<Routing> make_s_mod_k(const Fabric& fabric, ModForm form) {
    return std::make_unique<ModK>(fabric, true, form);
}

std::unique_ptr<Routing> make_first_port(const Fabric& fabric) { return std::make_unique<FirstPort>(fabric); }

std::unique_ptr<Routing> make_random_up(const Fabric& fabric, Decides decides, std::uint64_t seed) {
    return std::make_unique<RandomUp>(fabric, decides, seed);
}

std::unique_ptr<Routing> make_adaptive_up(const Fabric& fabric) { return std::make_unique<AdaptiveUp>(fabric); }

} // namespace orrery
