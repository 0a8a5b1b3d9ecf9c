// Texts of Fortran: of a given length, padded with blanks, without a zero at the end.
#pragma once

#include <cstddef>
#include <mpi.h>
#include <string>

namespace orrery::emulate::fortran {

// The length that the compiler passes behind all other arguments.
using Length = std::size_t;

// Given to MPI: without the blanks at the end; of keys and values of an info, also without those in front.
std::string text_in(const char* text, Length length);
std::string info_text_in(const char* text, Length length);

// Given back by MPI: copied into the program's variable by give_back, cut off or padded with blanks.
class TextOut {
  public:
    TextOut(char* text, Length length) : text_(text), length_(length) { buffer_[0] = '\0'; }
    [[nodiscard]] char* c() { return buffer_; }
    void give_back() const;

  private:
    char* text_;
    Length length_;
    char buffer_[MPI_MAX_INFO_VAL + 1]; // the longest of all texts of MPI
};

} // namespace orrery::emulate::fortran
