// A study must be read or refused, and what it makes must be a grid whose points have all they need to be told
// apart.
#include "engine/error.h"
#include "observe/chart.h"
#include "tools/sweep/study.h"
#include "tools/sweep/study_plot.h"
#include "tools/sweep/study_table.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace orrery;

namespace {

// Whether all coordinates are numbers. They stand in attributes, where no text of the study does.
bool sound(const std::string& svg) {
    for (std::size_t at = 0; (at = svg.find("=\"", at)) != std::string::npos; at += 2) {
        const std::string value = svg.substr(at + 2, svg.find('"', at + 2) - at - 2);
        if (value.find("nan") != std::string::npos || value.find("inf") != std::string::npos) return false;
    }
    return true;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const Study study = read_study_text(text, "fuzz.toml");
        std::size_t places = 1;
        for (const auto& group : study.groups) {
            if (places < 2000) places *= study.axes[group[0]].values.size();
        }
        if (places > 2000) return 0; // large grids only take long
        std::vector<StudyRow> rows;
        for (const GridPoint& point : expand(study)) {
            StudyRow& row = rows.emplace_back();
            for (std::size_t axis = 0; axis < study.axes.size(); ++axis)
                row.labels.push_back(study.axes[axis].values.at(point.at[axis]).label);
            PointResult result;
            result.time = Time::ns(static_cast<std::int64_t>(rows.size() * rows.size()));
            result.ranks = 1;
            row.result = result;
        }
        if (!sound(draw_chart(study_chart(study, rows)))) std::abort();
        if (study_csv(study, rows).empty()) std::abort();
    } catch (const InputError&) { // refused
    }
    return 0;
}
