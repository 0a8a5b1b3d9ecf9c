// What limits a run, told from its efficiencies: the smallest factor names the cause, and bounds the gain.
#include "observe/replay_report.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr double good = 0.95;         // a factor above this leaves little to gain
constexpr double busy = 0.5;          // mean use above which a link is to blame for what the network costs
constexpr std::size_t small_bit = 10; // messages below 1 KiB cost latency and overhead, hardly bandwidth

// "at most 4 %": what is gained by making a factor 1.
std::string gain(double factor) {
    const double percent = std::max(0.0, 100 * (1 - factor));
    return percent < 0.95 ? "less than 1 %" : fmt::format("at most {:.0f} %", percent);
}

// Why the network costs what it does.
std::string network_words(const ReplayPrediction& prediction) {
    if (!prediction.busiest.empty() && prediction.busiest[0].use >= busy) {
        return fmt::format("link {} is {:.0f} % busy: more bandwidth there or another mapping",
                           prediction.busiest[0].name, 100 * prediction.busiest[0].use);
    }
    std::uint64_t small = 0;
    for (std::size_t k = 0; k <= small_bit; ++k) small += prediction.by_size[k];
    if (2 * small > prediction.base.messages)
        return "most messages are below 1 KiB: latency and overheads count";
    if (prediction.busiest.empty()) return "lower latency or more bandwidth";
    return fmt::format("no link is more than {:.0f} % busy on average: latency, overheads or short bursts",
                       std::max(1.0, 100 * prediction.busiest[0].use));
}

std::string balance_words(const ReplayPrediction& prediction) {
    std::size_t most = 0;
    for (std::size_t rank = 1; rank < prediction.calls.size(); ++rank) {
        if (prediction.calls[rank][CallKind::compute] > prediction.calls[most][CallKind::compute]) most = rank;
    }
    return fmt::format("load balance {:.2f}: rank {} computes {:.3g} x the mean",
                       prediction.efficiencies.load_balance, most, 1 / prediction.efficiencies.load_balance);
}

} // namespace

std::string advice(const ReplayPrediction& prediction, const ReplayContext& context) {
    const Efficiencies& e = prediction.efficiencies;
    const double network = e.with_ideal ? e.transfer : e.communication;
    if (e.communication <= 0) {
        if (prediction.base.messages == 0) return "nothing was computed or sent";
        return "no rank computes, all is communication; " + network_words(prediction);
    }
    const double waiting = e.with_ideal ? e.serialisation : 1;
    const double least = std::min({e.load_balance, network, waiting});
    if (least >= good) {
        return fmt::format(
            "little to gain: ranks compute {:.0f} % of the time; a faster network gains {}, a better "
            "balance {}",
            100 * e.parallel, gain(network), gain(e.load_balance));
    }
    if (least == e.load_balance) {
        return fmt::format("{}; an even share gains {}, a faster network {}", balance_words(prediction),
                           gain(e.load_balance), gain(network));
    }
    if (least == waiting) {
        return fmt::format(
            "ranks wait for each other even on an ideal network (serialisation {:.2f}): look at the "
            "order of work; a faster network gains {}",
            waiting, gain(network));
    }
    std::string words = fmt::format("a faster network gains {}; {}", gain(network), network_words(prediction));
    if (!e.with_ideal && !context.ideal_option.empty()) {
        words += fmt::format("; {} separates its share from waiting", context.ideal_option);
    }
    return words;
}

} // namespace orrery
