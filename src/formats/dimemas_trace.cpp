#include "formats/dimemas_trace.h"

#include "formats/paraver/prv_file.h"
#include "formats/paraver/prv_translation.h"

namespace orrery {

bool looks_like_dimemas(const std::string& path) {
    return dimemas::looks_like_dim(path) || dimemas::looks_like_prv(path);
}

DimemasTrace DimemasTrace::open(const std::string& path) {
    if (!dimemas::looks_like_prv(path)) return DimemasTrace(dimemas::DimFile::open(path));
    dimemas::PrvTranslation translated = dimemas::translate_prv(path);
    DimemasTrace trace(std::move(translated.trace));
    trace.paraver_ = true;
    trace.notes_ = std::move(translated.notes);
    return trace;
}

std::unique_ptr<ActionSource> DimemasTrace::source() const {
    if (!survey_) survey_.emplace(file_);
    return dimemas::dim_actions(file_, *survey_);
}

std::string DimemasTrace::format() const {
    if (paraver_) return "Paraver trace with MPI events";
    return file_.packed() ? "compressed Dimemas trace" : "Dimemas trace";
}

std::vector<std::string> DimemasTrace::notes() const {
    std::vector<std::string> all = notes_;
    if (survey_) {
        for (std::string& note : survey_->notes()) all.push_back(std::move(note));
    }
    return all;
}

} // namespace orrery
