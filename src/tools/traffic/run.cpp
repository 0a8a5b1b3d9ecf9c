#include "tools/traffic/run.h"

#include "engine/error.h"
#include "engine/event_queue.h"
#include "engine/interrupt.h"
#include "engine/pool.h"
#include "engine/too_long.h"
#include "engine/units.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

namespace {

class TrafficRun {
  public:
    TrafficRun(Network& network, const TrafficPattern& pattern, std::uint32_t hosts, double load,
               const TrafficOptions& options)
        : network_(network), pattern_(pattern), options_(options), begin_(options.warm_up),
          end_(options.warm_up + options.duration), give_up_(end_ + options.duration), sources_(hosts),
          under_way_(hosts, 0) {
        check_length(give_up_);
        check_messages(load);
        point_.load = load;
        for (std::uint32_t host = 0; host < hosts; ++host) {
            if (!pattern.sends(HostId{host})) continue;
            sources_[host] = TrafficSource(options.arrivals, HostId{host}, options.slot(), load, options.seed);
            wait_for_next(host);
        }
    }

    TrafficPoint run() {
        // After the counted time the traffic goes on until all that began within it has arrived, or for as long
        // again: a network that is saturated would never get there.
        std::vector<TransferId> arrived;
        for (;;) {
            stop_if_interrupted();
            const Time outside = future_.empty() ? give_up_ + Time::tick() : future_.next_time();
            const Time now = std::min(network_.next_until(outside), outside);
            if (now > give_up_) break;
            if (now >= end_ && counted_under_way_ == 0 && all_counted_have_started(now)) break;
            while (!future_.empty() && future_.next_time() == now) start_all(future_.pop().rank, now);
            arrived.clear();
            network_.advance(now, arrived);
            for (const TransferId each : arrived) finish(each, now);
        }
        return result();
    }

  private:
    struct UnderWay {
        Time since; // the host had it
        std::uint32_t host = 0;
        bool counted = false;
    };

    // As many as would be sent if the traffic went on to the end.
    void check_messages(double load) const {
        constexpr double most = 1e10;
        const double slots = give_up_.picoseconds() / options_.slot();
        const double messages = slots * load * pattern_.senders();
        if (messages > most)
            throw InputError(fmt::format("{} of traffic at load {:g} are {:.2g} messages; {:g} are the most",
                                         format_time(give_up_), load, messages, most));
    }
    void wait_for_next(std::uint32_t host) {
        const Time next = sources_[host].time();
        if (next <= give_up_) future_.push({next, host, host, 0});
    }

    // Starts what the host has by now, as far as it may; then waits for its next message, or until one arrives.
    void start_all(std::uint32_t host, Time now) {
        TrafficSource& source = sources_[host];
        while (source.time() <= now) {
            if (under_way_[host] == options_.outstanding) return; // finish() comes back
            const Time since = source.time();
            const bool counted = since >= begin_ && since < end_;
            const HostId to = pattern_.destination(HostId{host}, source.number());
            source.take();
            ++under_way_[host];
            ++point_.carried;
            if (counted) ++point_.messages;
            if (counted) ++counted_under_way_;
            network_.start({transfers_.add({since, host, counted})}, HostId{host}, to, options_.bytes, now);
        }
        wait_for_next(host);
    }

    void finish(TransferId id, Time now) {
        const UnderWay entry = transfers_[id.value];
        transfers_.remove(id.value);
        if (now >= begin_ && now < end_) ++arrived_in_time_;
        if (entry.counted) {
            --counted_under_way_;
            latencies_.push_back((now - entry.since).ps());
        }
        const bool waited =
            under_way_[entry.host]-- == options_.outstanding && sources_[entry.host].time() <= now;
        if (waited) start_all(entry.host, now);
    }

    // Behind a full window messages of the counted time may wait that the network has not seen.
    [[nodiscard]] bool all_counted_have_started(Time now) const {
        for (std::uint32_t host = 0; host < sources_.size(); ++host) {
            if (under_way_[host] == options_.outstanding && sources_[host].time() < std::min(now, end_))
                return false;
        }
        return true;
    }

    // Messages of the counted time that wait in front of the network.
    [[nodiscard]] std::uint64_t not_started() const {
        std::uint64_t count = 0;
        for (std::uint32_t host = 0; host < sources_.size(); ++host) {
            if (!pattern_.sends(HostId{host})) continue;
            for (TrafficSource source = sources_[host]; source.time() < end_; source.take())
                count += source.time() >= begin_ ? 1 : 0;
        }
        return count;
    }

    TrafficPoint result() {
        point_.messages += not_started();
        const double most = options_.bandwidth * options_.duration.seconds() * pattern_.senders();
        const auto share = [&](std::uint64_t messages) {
            return static_cast<double>(messages) * static_cast<double>(options_.bytes) / most;
        };
        point_.offered = share(point_.messages);
        point_.accepted = share(arrived_in_time_);
        point_.arrived = latencies_.size();
        point_.saturated = point_.arrived < point_.messages || point_.accepted < 0.95 * point_.offered;
        if (latencies_.empty()) return point_;
        std::sort(latencies_.begin(), latencies_.end());
        double sum = 0;
        for (const std::int64_t each : latencies_) sum += static_cast<double>(each);
        point_.mean_latency = sum / static_cast<double>(latencies_.size());
        const auto percentile = [&](std::size_t percent) { // the smallest that so many do not exceed
            const std::size_t rank = (latencies_.size() * percent + 99) / 100;
            return Time::ps(latencies_[std::max<std::size_t>(rank, 1) - 1]);
        };
        point_.median = percentile(50);
        point_.p95 = percentile(95);
        point_.p99 = percentile(99);
        point_.longest = percentile(100);
        return point_;
    }

    Network& network_;
    const TrafficPattern& pattern_;
    const TrafficOptions& options_;
    Time begin_;
    Time end_;
    Time give_up_;                         // not waited for any longer
    std::vector<TrafficSource> sources_;   // of each host
    std::vector<std::uint32_t> under_way_; // messages of each host in the network
    EventQueue future_;                    // hosts by when they have their next message
    Pool<UnderWay> transfers_;             // by TransferId
    std::uint64_t counted_under_way_ = 0;
    std::uint64_t arrived_in_time_ = 0;
    std::vector<std::int64_t> latencies_; // ps
    TrafficPoint point_;
};

} // namespace

TrafficPoint run_traffic(Network& network, const TrafficPattern& pattern, std::uint32_t hosts, double load,
                         const TrafficOptions& options) {
    return TrafficRun(network, pattern, hosts, load, options).run();
}

} // namespace orrery
