#include "drivers/dimemas/call_tally.h"

#include "drivers/dimemas/record_calls.h"
#include "formats/dimemas/dim_collectives.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery::dimemas {

namespace {

const char* fan_words(FanModel model) {
    switch (model) {
    case FanModel::none: return "none";
    case FanModel::constant: return "constant";
    case FanModel::linear: return "linear";
    case FanModel::logarithmic: return "logarithmic";
    }
    return "";
}

// The operation as ours, and its size.
Action action_of_collective(const DimRecord& record) {
    Action action;
    action.kind = ActionKind::collective;
    fill_collective(record, 1, action);
    action.nonblocking = record.synchrony == Synchrony::nonblocking;
    return action;
}

} // namespace

void CallTally::finished(const DimRecord& record, Time time) {
    const auto ticks = static_cast<double>(time.ticks());
    if (!is_call(record)) {
        const bool burst = record.kind == RecordKind::burst || record.kind == RecordKind::gpu_burst;
        if (!burst) return;
        CallCount& count = counts_[static_cast<std::size_t>(ActionKind::compute)];
        ++count.calls;
        count.ticks += ticks;
        return;
    }
    Action action;
    action.kind = kind_of_call(record);
    if (action.kind == ActionKind::collective) action = action_of_collective(record);
    CallCount& count = counts_[call_number(action)];
    ++count.calls;
    count.ticks += ticks;
    if (record.kind == RecordKind::send) count.bytes += record.bytes;
    if (action.kind != ActionKind::collective) return;
    Row& row = row_of(record);
    if (row.profile.calls++ == 0) {
        row.profile.call = call_name(call_number(action));
        row.profile.least = row.profile.most = action.bytes;
    }
    row.profile.least = std::min(row.profile.least, action.bytes);
    row.profile.most = std::max(row.profile.most, action.bytes);
    if (!action.nonblocking) row.ticks += ticks;
}

void CallTally::reduced(const DimRecord& record) {
    Row& row = row_of(record);
    ++row.profile.messages;
    row.profile.bytes += record.bytes;
}

void CallTally::ended(const DimRecord& record, std::size_t threads, double came, Time now) {
    row_of(record).ticks += static_cast<double>(threads) * static_cast<double>(now.ticks()) - came;
}

void CallTally::add_to(ReplayPrediction& prediction, const Configuration& machine) const {
    for (std::size_t operation = 0; operation < rows_.size(); ++operation) {
        const CollectiveModel& model = machine.clusters.front().collectives[operation];
        for (std::size_t synchrony = 0; synchrony < rows_[operation].size(); ++synchrony) {
            const Row& row = rows_[operation][synchrony];
            if (row.profile.calls == 0) continue;
            CollectiveProfile& profile = prediction.collectives.emplace_back(row.profile);
            profile.seconds = row.ticks * Time::tick_ps() * 1e-12;
            if (static_cast<Synchrony>(synchrony) == Synchrony::root_only) {
                profile.algorithm = "linear";
                profile.reason = "the trace says that the root alone waits";
            } else {
                profile.algorithm =
                    fmt::format("fan in {}, fan out {}", fan_words(model.in.model), fan_words(model.out.model));
                profile.reason = fmt::format("closed form: the collective models of {}", machine.file);
            }
        }
    }
    sort_profile(prediction.collectives);
    prediction.profile = profile_of(counts_, prediction.collectives);
}

} // namespace orrery::dimemas
