#include "tools/sweep/quantities.h"

#include <array>

namespace orrery {

namespace {

using Value = std::optional<double>;
using Result = PointResult;

Value ratio(double above, double below) { return below > 0 ? Value(above / below) : std::nullopt; }

constexpr std::array quantity_table{
    StudyQuantity{"time", "predicted time", Measure::time, false,
                  [](const Result& r, const Result*) -> Value { return r.time.seconds(); }},
    StudyQuantity{"speedup", "speedup", Measure::plain, true,
                  [](const Result& r, const Result* reference) -> Value {
                      return reference == nullptr ? std::nullopt
                                                  : ratio(reference->time.seconds(), r.time.seconds());
                  }},
    StudyQuantity{"slowdown", "slowdown", Measure::plain, true,
                  [](const Result& r, const Result* reference) -> Value {
                      return reference == nullptr ? std::nullopt
                                                  : ratio(r.time.seconds(), reference->time.seconds());
                  }},
    // Of the work that one rank more brings: the speedup over the ratio of ranks.
    StudyQuantity{"scaling", "scaling efficiency", Measure::plain, true,
                  [](const Result& r, const Result* reference) -> Value {
                      if (reference == nullptr) return std::nullopt;
                      return ratio(reference->time.seconds() * static_cast<double>(reference->ranks),
                                   r.time.seconds() * static_cast<double>(r.ranks));
                  }},
    StudyQuantity{"efficiency", "parallel efficiency", Measure::plain, false,
                  [](const Result& r, const Result*) -> Value {
                      return r.efficiencies ? Value(r.efficiencies->parallel) : std::nullopt;
                  }},
    StudyQuantity{"load-balance", "load balance", Measure::plain, false,
                  [](const Result& r, const Result*) -> Value {
                      return r.efficiencies ? Value(r.efficiencies->load_balance) : std::nullopt;
                  }},
    StudyQuantity{"communication-efficiency", "communication efficiency", Measure::plain, false,
                  [](const Result& r, const Result*) -> Value {
                      return r.efficiencies ? Value(r.efficiencies->communication) : std::nullopt;
                  }},
    StudyQuantity{"bandwidth", "bytes sent per rank and second", Measure::bandwidth, false,
                  [](const Result& r, const Result*) -> Value {
                      return ratio(static_cast<double>(r.bytes),
                                   r.time.seconds() * static_cast<double>(r.ranks));
                  }},
    StudyQuantity{"messages", "messages", Measure::plain, false,
                  [](const Result& r, const Result*) -> Value { return static_cast<double>(r.messages); }},
    StudyQuantity{"bytes", "bytes sent", Measure::size, false,
                  [](const Result& r, const Result*) -> Value { return static_cast<double>(r.bytes); }},
    StudyQuantity{"compute", "computing time per rank", Measure::time, false,
                  [](const Result& r, const Result*) -> Value { return r.compute.seconds(); }},
    StudyQuantity{"link-use", "use of the busiest link", Measure::plain, false,
                  [](const Result& r, const Result*) -> Value {
                      return r.busiest_link.empty() ? std::nullopt : Value(r.busiest_use);
                  }},
};

} // namespace

std::span<const StudyQuantity> study_quantities() { return quantity_table; }

std::vector<std::string_view> quantity_names() {
    std::vector<std::string_view> names;
    for (const StudyQuantity& row : quantity_table) names.push_back(row.name);
    return names;
}

const StudyQuantity& study_quantity(std::string_view name) {
    for (const StudyQuantity& row : quantity_table) {
        if (row.name == name) return row;
    }
    return quantity_table[0];
}

} // namespace orrery
