// Minimal, Valiant and UGAL routing over the paths of a regular network.
#include "engine/error.h"
#include "engine/random.h"
#include "machine/routing/families.h"
#include "machine/routing/regular_paths.h"

#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

using Paths = std::unique_ptr<RegularPaths>;

class Minimal final : public Routing {
  public:
    explicit Minimal(Paths paths) : paths_(std::move(paths)) {}
    [[nodiscard]] std::uint32_t lanes() const override { return paths_->direct_lanes(); }
    void path(HostId from, HostId to, std::uint64_t /*draw*/, const LoadView& /*load*/,
              std::vector<Hop>& hops) const override {
        paths_->direct(from, to, hops);
    }
    [[nodiscard]] std::string words() const override { return paths_->words(); }

  private:
    Paths paths_;
};

// What Valiant and UGAL share.
class WithDetours : public Routing {
  public:
    WithDetours(Paths paths, Decides decides, std::uint64_t seed)
        : paths_(std::move(paths)), decides_(decides), seed_(seed) {}
    [[nodiscard]] Decides decides() const override { return decides_; }
    [[nodiscard]] std::uint32_t lanes() const override { return paths_->detour_lanes(); }

    bool paths(HostId from, HostId to, std::uint64_t most, PathSink& sink) const override {
        std::vector<Hop> hops;
        paths_->direct(from, to, hops);
        sink.path(hops);
        const std::uint64_t places = paths_->places(from, to);
        const std::uint64_t told = std::min(places, most);
        for (std::uint64_t i = 0; i < told; ++i) {
            hops.clear();
            paths_->detour(from, to, static_cast<std::uint32_t>(places * i / told), hops);
            sink.path(hops);
        }
        return places <= most;
    }

  protected:
    void random_detour(HostId from, HostId to, std::uint64_t draw, std::vector<Hop>& hops) const {
        const std::uint64_t pair = (std::uint64_t{from.value} << 32U) | to.value;
        const RandomStream random(seed_, decides_ == Decides::per_pair ? pair : mix_bits(pair) + draw);
        const std::uint64_t place = random.below(0, paths_->places(from, to));
        paths_->detour(from, to, static_cast<std::uint32_t>(place), hops);
    }
    [[nodiscard]] const RegularPaths& all() const { return *paths_; }

  private:
    Paths paths_;
    Decides decides_;
    std::uint64_t seed_;
};

class Valiant final : public WithDetours {
  public:
    using WithDetours::WithDetours;
    void path(HostId from, HostId to, std::uint64_t draw, const LoadView& /*load*/,
              std::vector<Hop>& hops) const override {
        random_detour(from, to, draw, hops);
    }
    [[nodiscard]] std::string words() const override {
        return fmt::format("Valiant: {} through a random place", all().words());
    }
};

class Ugal final : public WithDetours {
  public:
    Ugal(Paths paths, Decides decides, std::uint64_t seed, const UgalOptions& options)
        : WithDetours(std::move(paths), decides, seed), options_(options) {}

    void path(HostId from, HostId to, std::uint64_t draw, const LoadView& load,
              std::vector<Hop>& hops) const override {
        thread_local std::vector<Hop> detour;
        detour.clear();
        const std::size_t begin = hops.size();
        all().direct(from, to, hops);
        random_detour(from, to, draw, detour);
        const double direct_cost = cost(std::span(hops).subspan(begin), load);
        if (direct_cost <= cost(detour, load) + static_cast<double>(options_.bias)) return;
        hops.resize(begin);
        hops.insert(hops.end(), detour.begin(), detour.end());
    }
    [[nodiscard]] std::string words() const override {
        return fmt::format("UGAL: {}, or through a random place if that has less before it ({})", all().words(),
                           options_.global ? "queues of the whole route" : "queues of the first router");
    }

  private:
    // Queue times hops, as Singh (2005); hosts' own hops do not count.
    [[nodiscard]] double cost(std::span<const Hop> hops, const LoadView& load) const {
        if (hops.size() < 3) return 0;
        if (!options_.global) {
            return static_cast<double>(load.queued(hops[1].channel)) * static_cast<double>(hops.size() - 2);
        }
        double sum = 0;
        for (const Hop& hop : hops.subspan(1, hops.size() - 2))
            sum += static_cast<double>(load.queued(hop.channel));
        return sum;
    }

    UgalOptions options_;
};

Paths regular_paths_of(const Fabric& fabric) {
    Paths paths = regular_paths(fabric);
    if (!paths) throw InputError("this routing needs a torus, mesh, hypercube, HyperX or dragonfly");
    return paths;
}

} // namespace

std::unique_ptr<Routing> make_minimal(const Fabric& fabric) {
    return std::make_unique<Minimal>(regular_paths_of(fabric));
}

std::unique_ptr<Routing> make_valiant(const Fabric& fabric, Decides decides, std::uint64_t seed) {
    return std::make_unique<Valiant>(regular_paths_of(fabric), decides, seed);
}

std::unique_ptr<Routing> make_ugal(const Fabric& fabric, Decides decides, std::uint64_t seed,
                                   const UgalOptions& options) {
    return std::make_unique<Ugal>(regular_paths_of(fabric), decides, seed, options);
}

} // namespace orrery
