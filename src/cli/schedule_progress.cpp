#include "cli/schedule_progress.h"

#include "engine/interrupt.h"
#include "engine/units.h"

#include <fmt/format.h>

namespace orrery::cli {

void ScheduleProgress::begin(std::uint32_t ranks) {
    ranks_ = ranks;
    next_.begin(ranks);
}

void ScheduleProgress::wide_tag(const WideTag& tag) {
    ++wide_tags_;
    next_.wide_tag(tag);
}

void ScheduleProgress::rank(RankId rank, const RankGraph& graph) {
    next_.rank(rank, graph);
    operations_ += graph.ops.size();
    if (interrupt_requested() != 0)
        throw_interrupted(fmt::format("after {} of {} ranks of the schedule; nothing is kept",
                                      format_count(rank.value + 1), format_count(ranks_)));
    line_.update(operations_, rank.value + 1, ranks_);
}

void ScheduleProgress::finish() {
    next_.finish();
    line_.wipe();
}

} // namespace orrery::cli
