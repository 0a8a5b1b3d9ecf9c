// Real runs of an application: timed by the clock alone, or traced.
#pragma once

#include "tools/acquire/launch.h"
#include "tools/validate/validation.h"

#include <string>

namespace orrery {

class ValidationRuns {
  public:
    // Looks for the program, its MPI and our tracing library: throws InputError or UsageError before anything
    // runs. `folder`: of this application; made if it is not there.
    ValidationRuns(const ValidationPlan& plan, const ValidationApplication& application, std::string folder);

    // A run whose ranks only look at the clock; its time in seconds. `name`: of the run, "run-3".
    double time(const std::string& name) const;
    // A run that is recorded with times; the folder of its trace.
    std::string trace(const std::string& name) const;

  private:
    [[nodiscard]] Launch launch_for(const std::string& name) const;
    void check(const std::string& name, const Launch& what, const Launched& ended) const;
    [[nodiscard]] std::string folder_for(const std::string& name) const; // empty and new

    const ValidationPlan& plan_;
    const ValidationApplication& application_;
    std::string folder_;
    MpiKind kind_;
    std::string library_;
};

// The longest time that the files clock-<rank>.json in a folder tell. Throws InputError if one is missing or
// says that its rank did not reach MPI_Finalize.
double read_clocks(const std::string& folder, std::uint32_t ranks);

} // namespace orrery
