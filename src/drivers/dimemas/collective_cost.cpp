#include "drivers/dimemas/collective_cost.h"

#include <algorithm>

namespace orrery::dimemas {

namespace {

double bytes_of(FanSize size, double own, double sent, double received) {
    switch (size) {
    case FanSize::own: return own;
    case FanSize::least: return std::min(sent, received);
    case FanSize::most: return std::max(sent, received);
    case FanSize::mean: break;
    case FanSize::twice_most: return 2 * std::max(sent, received);
    case FanSize::sum: return sent + received;
    }
    const Bytes mean =
        (static_cast<Bytes>(sent) + static_cast<Bytes>(received)) / 2; // whole bytes, as in Dimemas
    return static_cast<double>(mean);
}

double factor(const Phase& phase, FanModel model) {
    switch (model) {
    case FanModel::none: return 0;
    case FanModel::constant: return 1;
    case FanModel::linear: return static_cast<double>(phase.partners) - 1;
    case FanModel::logarithmic: break;
    }
    return tree_stages(phase.partners, phase.buses);
}

} // namespace

std::uint32_t tree_stages(std::uint32_t partners, std::uint32_t buses) {
    std::uint32_t levels = 0;
    while (levels < 31 && (std::uint32_t{1} << levels) < partners) ++levels;
    if (buses == 0) return levels;
    std::uint32_t stages = 0;
    for (std::uint32_t level = 0; level < levels; ++level) {
        // Transfers j = 2^level - 1, then every 2^(level + 1), below partners - 1.
        const std::uint64_t first = (std::uint64_t{1} << level) - 1;
        const std::uint64_t step = std::uint64_t{2} << level;
        const std::uint64_t last = std::uint64_t{partners} - 1;
        const std::uint64_t transfers = first < last ? (last - first + step - 1) / step : 0;
        stages += static_cast<std::uint32_t>((transfers + buses - 1) / buses);
    }
    return stages;
}

PhaseCost cost_of(const Phase& phase, const CollectiveModel& model, Bytes sent, Bytes received) {
    const auto s = static_cast<double>(sent);
    const auto r = static_cast<double>(received);
    const double in = factor(phase, model.in.model);
    const double out = factor(phase, model.out.model);
    PhaseCost cost;
    cost.in = (phase.latency_ps + bytes_of(model.in.size, s, s, r) * phase.ps_per_byte) * in;
    cost.in_latency = phase.latency_ps * in;
    cost.out = (phase.latency_ps + bytes_of(model.out.size, r, s, r) * phase.ps_per_byte) * out;
    cost.out_latency = phase.latency_ps * out;
    return cost;
}

} // namespace orrery::dimemas
