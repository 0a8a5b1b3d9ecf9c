// A trace of Dimemas (.dim) or Paraver (.prv), packed or not, as a workload.
#pragma once

#include "formats/dimemas/dim_actions.h"
#include "formats/dimemas/dim_file.h"
#include "workload/action.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

class DimemasTrace {
  public:
    // Throws InputError. A .prv is turned into a .dim in a temporary file.
    static DimemasTrace open(const std::string& path);

    [[nodiscard]] const dimemas::DimFile& file() const { return file_; }
    // The actions from the beginning; the source must not outlive the trace, which must not move. The first
    // time, the trace is gone through once before. Throws InputError for what only --model dimemas can do.
    [[nodiscard]] std::unique_ptr<ActionSource> source() const;
    [[nodiscard]] std::string format() const;
    [[nodiscard]] std::vector<std::string> notes() const;

  private:
    explicit DimemasTrace(dimemas::DimFile file) : file_(std::move(file)) {}
    dimemas::DimFile file_;
    bool paraver_ = false;
    std::vector<std::string> notes_;
    mutable std::optional<dimemas::DimSurvey> survey_;
};

// Whether the file begins as one of them does.
bool looks_like_dimemas(const std::string& path);

} // namespace orrery
