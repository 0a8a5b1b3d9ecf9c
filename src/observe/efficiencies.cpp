// Efficiencies after the POP methodology (pop-coe.eu, "standard metrics"): each factor of the product
// parallel = load balance x serialisation x transfer blames one cause, and says how much shorter the run would
// be without it.
#include "results/replay_prediction.h"

namespace orrery {

Efficiencies efficiencies_of(const ReplayPrediction& prediction, Time ideal) {
    Efficiencies result;
    // Before the first job starts there is nothing to be efficient at.
    Time start = prediction.jobs.empty() ? Time::zero() : Time::max();
    for (const JobTimes& job : prediction.jobs) start = job.start < start ? job.start : start;
    // CPU time: a rank of a schedule may have several CPUs.
    const auto available = [&](Time end) { return (end - start).seconds() * prediction.base.cpus; };
    const double run = available(prediction.base.time);
    if (prediction.calls.empty() || run <= 0) return result;

    double sum = 0;
    Time longest;
    for (const CallTimes& rank : prediction.calls) {
        sum += rank[CallKind::compute].seconds();
        longest = later(longest, rank[CallKind::compute]);
    }
    const double mean = sum / static_cast<double>(prediction.calls.size());
    result.parallel = mean / run;
    // Where nobody computes, nobody computes more than the others.
    result.load_balance = longest > Time::zero() ? mean / longest.seconds() : 1;
    result.communication = longest.seconds() / run;
    const double ideal_run = available(ideal);
    if (ideal == Time::zero() || ideal_run <= 0) return result;
    result.serialisation = longest.seconds() / ideal_run;
    result.transfer = ideal_run / run;
    result.with_ideal = true;
    return result;
}

} // namespace orrery
