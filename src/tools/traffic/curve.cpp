#include "tools/traffic/curve.h"

#include "engine/error.h"
#include "engine/in_threads.h"
#include "engine/interrupt.h"
#include "engine/random.h"
#include "engine/too_long.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace orrery {

namespace {

class CurveStudy {
  public:
    CurveStudy(const NetworkMaker& make, const TrafficPattern& pattern, std::uint32_t hosts,
               const CurveOptions& options)
        : make_(make), pattern_(pattern), hosts_(hosts), options_(options) {}

    TrafficCurve measure() {
        TrafficCurve curve;
        curve.points.resize(options_.loads.size());
        const auto measure_one = [&](std::size_t i) {
            // The heaviest load takes longest: first.
            if (i == options_.loads.size()) {
                curve.zero_load_latency = zero_load_latency();
            } else {
                const std::size_t load = options_.loads.size() - 1 - i;
                curve.points[load] = run(options_.loads[load]);
            }
        };
        run_in_threads(options_.loads.size() + 1, options_.threads, "measurements", measure_one,
                       options_.progress);
        if (options_.search) search(curve);
        return curve;
    }

  private:
    [[nodiscard]] TrafficPoint run(double load) const {
        TrafficOptions traffic = options_.traffic;
        const double slots = 1 / load;
        const auto time_of = [&](std::uint64_t messages) {
            return Time::from_ps(static_cast<double>(messages) * slots * traffic.slot(),
                                 "the traffic that is counted");
        };
        if (traffic.duration == Time::zero()) traffic.duration = time_of(options_.messages);
        if (traffic.warm_up == Time::zero()) traffic.warm_up = time_of(options_.warm_up);
        const std::unique_ptr<Network> network = make_();
        return run_traffic(*network, pattern_, hosts_, load, traffic);
    }

    // Up to so many messages of the pattern, one after the other.
    [[nodiscard]] double zero_load_latency() const {
        constexpr std::uint64_t samples = 1000;
        const std::unique_ptr<Network> network = make_();
        const RandomStream random(options_.traffic.seed, std::uint64_t{1} << 33U);
        std::vector<HostId> senders;
        for (std::uint32_t host = 0; host < hosts_; ++host) {
            if (pattern_.sends(HostId{host})) senders.push_back({host});
        }
        const std::uint64_t count = std::min<std::uint64_t>(samples, 20 * senders.size());
        std::vector<TransferId> arrived;
        double sum = 0;
        Time now;
        for (std::uint64_t i = 0; i < count; ++i) {
            const bool all = senders.size() <= samples; // then each in turn
            const HostId from = senders[all ? i % senders.size() : random.below(i, senders.size())];
            const Time start = now;
            network->start(TransferId{0}, from, pattern_.destination(from, i), options_.traffic.bytes, now);
            for (arrived.clear(); arrived.empty();) {
                stop_if_interrupted();
                now = network->next();
                if (now == Time::max()) throw SimulationError("a message does not arrive on an empty network");
                check_length(now);
                network->advance(now, arrived);
            }
            sum += (now - start).picoseconds();
            // Credits of the message are back, and queues that it left are empty, before the next one.
            for (Time next = network->next(); next != Time::max(); next = network->next()) {
                now = next;
                check_length(now);
                network->advance(now, arrived);
            }
        }
        return sum / static_cast<double>(count);
    }

    [[nodiscard]] bool keeps_up(const TrafficPoint& point) const {
        return point.accepted >= options_.kept_up * point.offered;
    }

    // Several loads at a time between one that the network keeps up with and one that it does not; the number
    // of them does not depend on the number of threads, so neither does the result.
    void search(TrafficCurve& curve) {
        double low = 0;
        double high = 1;
        for (const TrafficPoint& point : curve.points) {
            if (keeps_up(point) && point.load > low && point.load < high) low = point.load;
            if (!keeps_up(point)) high = std::min(high, point.load);
            if (point.load == 1) curve.at_full_load = point.accepted;
        }
        if (!curve.at_full_load) {
            const TrafficPoint full = run(1);
            curve.at_full_load = full.accepted;
            if (keeps_up(full)) low = 1;
        } else if (!curve.points.empty() && curve.points.back().load == 1 && keeps_up(curve.points.back())) {
            low = 1;
        }
        if (low > high) low = 0; // a network may keep up with more after having failed with less; take the less
        constexpr std::size_t at_a_time = 3;
        while (high - low > options_.resolution * 1.0001) {
            std::vector<TrafficPoint> tried(at_a_time);
            const double step = (high - low) / (at_a_time + 1);
            run_in_threads(at_a_time, options_.threads, "loads of a step in the search for saturation",
                           [&](std::size_t i) { tried[i] = run(low + step * static_cast<double>(i + 1)); }, {});
            double reached = low;
            for (const TrafficPoint& point : tried) {
                if (!keeps_up(point)) {
                    high = point.load;
                    break;
                }
                reached = point.load;
            }
            low = reached;
        }
        curve.saturation = low;
    }

    const NetworkMaker& make_;
    const TrafficPattern& pattern_;
    std::uint32_t hosts_;
    const CurveOptions& options_;
};

double parse_load(std::string_view text, const std::string& whole) {
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size() || !(value > 0 && value <= 1)) {
        throw UsageError(
            fmt::format("--load {}: expected loads above 0 and up to 1, such as 0.1,0.5,0.9 or 0.1..1.0 or "
                        "0.05..0.9:0.05",
                        whole));
    }
    return value;
}

} // namespace

TrafficCurve measure_curve(const NetworkMaker& make, const TrafficPattern& pattern, std::uint32_t hosts,
                           const CurveOptions& options) {
    return CurveStudy(make, pattern, hosts, options).measure();
}

double injection_bandwidth(const Platform& platform, const Fabric* fabric) {
    if (fabric != nullptr) {
        const LinkId injection = fabric->injection_channel(HostId{0});
        if (injection != no_link && fabric->channel(injection).bandwidth > 0)
            return fabric->channel(injection).bandwidth;
    }
    std::vector<LinkId> links;
    platform.route(HostId{0}, HostId{platform.host_count() - 1}, links);
    if (links.empty()) throw InputError("the machine has no link from its first to its last host");
    return platform.link(links.front()).bandwidth;
}

std::vector<double> parse_loads(const std::string& text) {
    std::vector<double> loads;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const std::string_view part = std::string_view(text).substr(at, comma - at);
        at = comma + 1;
        const std::size_t dots = part.find("..");
        if (dots == std::string_view::npos) {
            loads.push_back(parse_load(part, text));
            continue;
        }
        const std::size_t colon = std::min(part.find(':', dots), part.size());
        const double from = parse_load(part.substr(0, dots), text);
        const double to = parse_load(part.substr(dots + 2, colon - dots - 2), text);
        const double step = colon < part.size() ? parse_load(part.substr(colon + 1), text) : 0.1;
        for (int i = 0; from + i * step < to + 1e-9; ++i) loads.push_back(std::min(from + i * step, 1.0));
    }
    std::sort(loads.begin(), loads.end());
    // 0.1 + 2 * 0.1 is not 0.3: what was meant is.
    for (double& load : loads) load = std::round(load * 1e9) / 1e9;
    loads.erase(std::unique(loads.begin(), loads.end()), loads.end());
    return loads;
}

} // namespace orrery
