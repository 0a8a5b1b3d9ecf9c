// The two simulators side by side.
#include "engine/random.h"
#include "network/packet/packet_network.h"
#include "reference/random_packets.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace orrery::reference {

namespace {

class Recorder final : public PacketObserver {
  public:
    explicit Recorder(FlitRun& run) : run_(run) {}
    void traversal(const Traversal& each) override {
        run_.traversals.push_back({static_cast<std::uint32_t>(each.message), each.segment, each.channel,
                                   each.lane, each.start, each.end});
    }

  private:
    FlitRun& run_;
};

std::string first_difference(const FlitRun& twin, const FlitRun& fast) {
    std::string words;
    const auto show = [](const FlitTraversal& each) {
        return fmt::format("message {} segment {} on channel {} lane {}: {} to {} ps", each.message,
                           each.segment, each.channel.value, each.lane, each.start.ps(), each.end.ps());
    };
    const auto only_in = [&](const FlitRun& one, const FlitRun& other, const char* name) {
        std::vector<FlitTraversal> missing;
        std::set_difference(one.traversals.begin(), one.traversals.end(), other.traversals.begin(),
                            other.traversals.end(), std::back_inserter(missing));
        std::sort(missing.begin(), missing.end(),
                  [](const FlitTraversal& a, const FlitTraversal& b) { return a.start < b.start; });
        for (std::size_t i = 0; i < missing.size() && i < 4; ++i)
            words += fmt::format("only in the {}: {}\n", name, show(missing[i]));
    };
    only_in(twin, fast, "twin");
    only_in(fast, twin, "fast one");
    for (std::size_t i = 0; i < twin.arrivals.size(); ++i) {
        if (twin.arrivals[i] == fast.arrivals[i]) continue;
        words += fmt::format("message {} arrives at {} ps in the twin, {} ps in the fast one\n", i,
                             twin.arrivals[i].ps(), fast.arrivals[i].ps());
        break;
    }
    return words;
}

} // namespace

FlitRun run_fast(const Fabric& fabric, const Routing& routing, const PacketParameters& parameters,
                 std::span<const FlitMessage> messages) {
    FlitRun result;
    result.arrivals.assign(messages.size(), Time::max());
    Recorder recorder(result);
    PacketNetwork network(fabric, routing, parameters, &recorder);
    std::vector<TransferId> arrived;
    for (std::uint32_t next = 0;;) {
        Time now = network.next();
        if (next < messages.size()) now = std::min(now, messages[next].time);
        if (now == Time::max()) break;
        for (; next < messages.size() && messages[next].time == now; ++next) {
            const FlitMessage& each = messages[next];
            if (each.control) {
                network.start_control(TransferId{next}, each.from, each.to, each.bytes, now);
            } else {
                network.start(TransferId{next}, each.from, each.to, each.bytes, now);
            }
        }
        arrived.clear();
        network.advance(now, arrived);
        for (const TransferId each : arrived) result.arrivals[each.index()] = now;
    }
    std::sort(result.traversals.begin(), result.traversals.end());
    return result;
}

std::string difference(const PacketCase& each) {
    const std::unique_ptr<Platform> platform = make_platform(each.plan);
    const Fabric fabric(*platform, {each.parameters.injection_bandwidth, {}});
    const std::unique_ptr<Routing> routing = routing_of(fabric, each);
    return first_difference(run_flits(fabric, *routing, each.parameters, each.messages),
                            run_fast(fabric, *routing, each.parameters, each.messages));
}

} // namespace orrery::reference
