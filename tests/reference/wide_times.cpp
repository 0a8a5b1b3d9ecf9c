#include "reference/wide_times.h"

#include <algorithm>
#include <cmath>

namespace orrery::reference {

Wide wide_round(long double picoseconds) { return static_cast<Wide>(std::round(picoseconds)); }

long double slowest(const std::vector<WideChannel>& route) {
    long double least = route.front().bandwidth;
    for (const WideChannel& channel : route) least = std::min<long double>(least, channel.bandwidth);
    return least;
}

Wide latency_of(const std::vector<WideChannel>& route) {
    Wide sum = 0;
    for (const WideChannel& channel : route) sum += channel.latency;
    return sum;
}

long double flow_time(const std::vector<WideChannel>& route, Bytes bytes) {
    return static_cast<long double>(latency_of(route)) +
           static_cast<long double>(bytes) / slowest(route) * 1e12L;
}

Wide flit_time(const WideChannel& channel, const PacketParameters& parameters) {
    return wide_round(static_cast<long double>(parameters.flit) / channel.bandwidth * 1e12L);
}

// Of segment k on channel c: it starts when it is there, the one before it has been sent, and the buffer at the
// end of the channel has room, as far as the sender knows.
Wide cut_through_time(const std::vector<WideChannel>& route, Bytes bytes, std::uint32_t messages,
                      const PacketParameters& parameters) {
    const auto flits_of = [&](Bytes payload) {
        return std::max<Bytes>((payload + parameters.header + parameters.flit - 1) / parameters.flit, 1);
    };
    const Bytes segments = bytes == 0 ? 1 : (bytes - 1) / parameters.segment + 1;
    const Bytes full = flits_of(parameters.segment);
    const Bytes last = flits_of(bytes - (segments - 1) * parameters.segment);
    const Bytes capacity = parameters.buffer / parameters.flit;
    const Wide delay = parameters.switch_delay.ps();
    std::vector<std::vector<Wide>> start(route.size(), std::vector<Wide>(segments * messages));
    std::vector<std::vector<Wide>> end = start;
    std::vector<Bytes> before{0};                   // flits of all segments before each
    std::vector<std::size_t> kept(route.size(), 0); // the first that may lie in the buffer with the present one
    Wide arrival = 0;
    for (std::size_t k = 0; k < segments * messages; ++k) {
        const Wide begin = k % segments == 0 ? arrival : 0;
        const Bytes flits = (k + 1) % segments == 0 ? last : full;
        for (std::size_t c = 0; c < route.size(); ++c) {
            const Wide takes = static_cast<Wide>(flits) * flit_time(route[c], parameters);
            Wide at = begin;
            if (c > 0) {
                const Wide passes = route[c - 1].latency + delay;
                at = std::max(start[c - 1][k] + passes, end[c - 1][k] + passes - takes);
            }
            if (k > 0) at = std::max(at, end[c][k - 1]);
            if (c + 1 < route.size()) {
                while (before[k] - before[kept[c]] + flits > capacity) ++kept[c];
                if (kept[c] > 0) at = std::max(at, end[c + 1][kept[c] - 1] + route[c].latency);
            }
            start[c][k] = at;
            end[c][k] = at + takes;
        }
        before.push_back(before.back() + flits);
        arrival = std::max(arrival, end.back()[k] + route.back().latency);
    }
    return arrival;
}

} // namespace orrery::reference
