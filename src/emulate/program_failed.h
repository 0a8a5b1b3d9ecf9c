// The emulated program has ended the run itself: MPI_Abort, abort(), an error of MPI that is fatal.
#pragma once

#include "engine/error.h"

#include <string>

namespace orrery::emulate {

class ProgramFailed : public SimulationError {
  public:
    ProgramFailed(const std::string& words, int exit_code) : SimulationError(words), exit_code_(exit_code) {}
    [[nodiscard]] int exit_code() const { return exit_code_; }

  private:
    int exit_code_;
};

} // namespace orrery::emulate
