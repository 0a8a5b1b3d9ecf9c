// Error classes, codes and what they mean in words.
//
// Each class of the standard is its own code. Classes and codes that the application adds are numbered from
// MPI_ERR_LASTCODE + 1 on, for each rank.
#pragma once

#include "orrery/mpi/mpi.h"

#include <string>
#include <vector>

namespace orrery::emulate::mpi {

class ErrorCodes {
  public:
    int add_class();
    int add_code(int error_class);
    void set_words(int code, const char* words); // only of added ones
    // Both throw Failure(MPI_ERR_ARG) for a number that is no code.
    [[nodiscard]] int class_of(int code) const;
    [[nodiscard]] std::string words(int code) const;
    [[nodiscard]] int last_used() const { return MPI_ERR_LASTCODE + static_cast<int>(added_.size()); }

  private:
    struct Added {
        int error_class;
        std::string words;
    };
    [[nodiscard]] const Added* find(int code) const;
    std::vector<Added> added_;
};

// "MPI_ERR_RANK: invalid rank"; null: no class of the standard.
const char* words_of_class(int error_class);

} // namespace orrery::emulate::mpi
