// A rank's copy of the program.
#pragma once

#include "emulate/program/swapped_variables.h"

#include <cstddef>

namespace orrery::emulate {

class Instance {
  public:
    explicit Instance(std::byte* base) : base_(base) {}
    [[nodiscard]] std::byte* base() const { return base_; }

  private:
    friend class Program;
    std::byte* base_;
    SavedVariables saved_; // with `copy`, while another rank is active
};

} // namespace orrery::emulate
