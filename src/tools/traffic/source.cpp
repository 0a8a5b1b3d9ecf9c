#include "tools/traffic/source.h"

#include "engine/error.h"
#include "engine/random.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr std::array<std::string_view, 3> arrival_names{"bernoulli", "poisson", "regular"};

} // namespace

Arrivals parse_arrivals(std::string_view text) {
    for (std::size_t i = 0; i < arrival_names.size(); ++i) {
        if (arrival_names[i] == text) return static_cast<Arrivals>(i);
    }
    throw UsageError(fmt::format("--arrivals {}: expected {}", text, fmt::join(arrival_names, ", ")));
}

std::string_view name_of(Arrivals arrivals) { return arrival_names[static_cast<std::size_t>(arrivals)]; }

TrafficSource::TrafficSource(Arrivals arrivals, HostId host, double slot, double load, std::uint64_t seed)
    : slot_(slot), load_(load), seed_(seed), host_(host.value), arrivals_(arrivals) {
    at_ = arrivals == Arrivals::bernoulli ? gap() - 1 : gap(); // the first slot may have one
}

double TrafficSource::gap() const {
    const RandomStream random(seed_, host_);
    switch (arrivals_) {
    case Arrivals::bernoulli: {
        if (load_ >= 1) return 1;
        // Geometric, by inversion: the first of independent trials that succeeds.
        return 1 + std::floor(std::log1p(-random.uniform(number_)) / std::log1p(-load_));
    }
    case Arrivals::poisson: return random.exponential(number_, 1 / load_);
    case Arrivals::regular: break;
    }
    return number_ == 0 ? random.uniform(0) / load_ : 1 / load_;
}

void TrafficSource::take() {
    ++number_;
    at_ += gap();
}

} // namespace orrery
