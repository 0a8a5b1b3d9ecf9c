#include "tools/calibrate/self_check.h"

#include "drivers/trace/replay.h"
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "network/flow/flow_network.h"
#include "network/loggops/loggops_transport.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery {

namespace {

// What two ranks do, written down.
class PairScript final : public ActionSource {
  public:
    void add(std::size_t rank, ActionKind kind, Bytes bytes, std::uint32_t request = 0) {
        Action action;
        action.kind = kind;
        action.peer = action.other = static_cast<std::uint32_t>(1 - rank);
        action.bytes = action.more_bytes = bytes;
        action.request = request;
        actions_[rank].push_back(action);
    }

    [[nodiscard]] std::uint32_t ranks() const override { return 2; }
    std::span<const Action> next(RankId rank) override {
        if (read_[rank.index()]) return {};
        read_[rank.index()] = true;
        return actions_[rank.index()];
    }
    [[nodiscard]] std::span<const Bytes> counts(RankId, const Action&) const override { return {}; }
    [[nodiscard]] std::string file(RankId) const override { return "self-check"; }

  private:
    std::array<std::vector<Action>, 2> actions_;
    std::array<bool, 2> read_{};
};

constexpr int exchanges = 4; // in a row, as measured; the time is that of one

PairScript script_of(std::string_view pattern, Bytes bytes, std::uint32_t burst) {
    PairScript script;
    if (pattern == "exchange") {
        for (int i = 0; i < exchanges; ++i) {
            for (const std::size_t rank : {0U, 1U}) script.add(rank, ActionKind::sendrecv, bytes);
        }
        return script;
    }
    const bool stream = pattern == "stream";
    const std::uint32_t messages = pattern == "round_trip" ? 1 : burst;
    for (std::uint32_t i = 0; i < messages; ++i) {
        script.add(0, stream ? ActionKind::isend : ActionKind::send, bytes, i);
        script.add(1, stream ? ActionKind::irecv : ActionKind::recv, bytes, i);
    }
    if (stream) {
        for (const std::size_t rank : {0U, 1U}) script.add(rank, ActionKind::wait_all, 0);
    }
    const Bytes back = stream ? 0 : bytes;
    script.add(1, ActionKind::send, back);
    script.add(0, ActionKind::recv, back);
    return script;
}

double predicted_ns(PairScript script, std::string_view pattern, const Platform& platform, Network& network,
                    const EndpointParameters& endpoint) {
    ReplayOptions options;
    options.endpoint = endpoint;
    const HostId second{platform.host_count() > 1 ? 1U : 0U};
    const ReplayPrediction prediction =
        replay({{&script, Time::zero(), {HostId{0}, second}}}, platform, network, options);
    const double ns = prediction.base.ranks[0].finish.picoseconds() / 1e3;
    return pattern == "exchange" ? ns / exchanges : ns;
}

// Sizes that differ in what limits them.
constexpr std::array<Bytes, 5> bounds{0, 1024, 65536, 1048576, std::numeric_limits<Bytes>::max()};

void sum_up(SelfCheck& check) {
    double errors = 0;
    double loggops_errors = 0;
    for (const std::string_view pattern : checked_patterns) {
        for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
            CheckedRange range{pattern, bounds[i], bounds[i + 1]};
            for (const CheckedSize& each : check.sizes) {
                const bool inside = each.bytes <= range.up_to && (each.bytes > range.above || range.above == 0);
                if (each.pattern != pattern || !inside) continue;
                ++range.sizes;
                range.measured += each.measured;
                range.flow_bias += each.flow / each.measured - 1;
                range.flow_error += std::abs(each.flow / each.measured - 1);
                range.loggops_error += std::abs(each.loggops / each.measured - 1);
            }
            if (range.sizes == 0) continue;
            errors += range.flow_error;
            loggops_errors += range.loggops_error;
            const auto n = static_cast<double>(range.sizes);
            range.measured /= n;
            range.flow_bias /= n;
            range.flow_error /= n;
            range.loggops_error /= n;
            check.flow_worst = std::max(check.flow_worst, range.flow_error);
            check.ranges.push_back(range);
        }
    }
    const auto n = static_cast<double>(std::max<std::size_t>(check.sizes.size(), 1));
    check.flow_error = errors / n;
    check.loggops_error = loggops_errors / n;
}

} // namespace

std::string_view words_of_pattern(std::string_view pattern) {
    if (pattern == "round_trip") return "ping-pong";
    if (pattern == "burst") return "blocking sends";
    if (pattern == "stream") return "isends in a row";
    return "exchange";
}

SelfCheck check_machine(const std::string& text, const Measurements& measured) {
    const Machine machine = machine_from_text(text, "the machine that was fitted");
    const EndpointParameters endpoint = read_endpoint_parameters(machine.settings);
    const FlowParameters flow = read_flow_parameters(machine.settings);
    const LogGOPS loggops = read_loggops(machine.settings);
    const EndpointParameters loggops_endpoint = endpoint_of(loggops);
    SelfCheck check;
    for (const std::string_view pattern : checked_patterns) {
        for (const MeasuredSeries* series : measured.of(pattern)) {
            if (series->typical <= 0) continue;
            const PairScript script = script_of(pattern, series->bytes, measured.burst);
            FlowNetwork flow_network(*machine.platform, flow);
            LogGOPSTransport loggops_network(machine.platform->host_count(), loggops);
            CheckedSize size{pattern, series->bytes, series->typical};
            size.flow = predicted_ns(script, pattern, *machine.platform, flow_network, endpoint);
            size.loggops = predicted_ns(script, pattern, *machine.platform, loggops_network, loggops_endpoint);
            check.sizes.push_back(size);
        }
    }
    sum_up(check);
    return check;
}

} // namespace orrery
