// A rank's copy of the program.
#pragma once

#include <cstddef>
#include <memory>

namespace orrery::emulate {

class Instance {
  public:
    explicit Instance(std::byte* base) : base_(base) {}
    [[nodiscard]] std::byte* base() const { return base_; }

  private:
    friend class Program;
    std::byte* base_;
    std::unique_ptr<std::byte[]> saved_; // NOLINT: with `copy`, the variables while another rank is in
};

} // namespace orrery::emulate
