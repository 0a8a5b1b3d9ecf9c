// Input files that are mapped into memory: one that is cut off or rewritten meanwhile is named, and nothing is
// predicted from it.
//
// Such a file changes under the eyes of its reader. Where the reader falls over it (SIGBUS behind the new end,
// SIGSEGV after a number that was checked has changed), a signal handler names the file and ends the process
// with exit code 3. Where it does not, changed_input() finds out by size and time of modification.
#pragma once

#include <cstddef>
#include <string>

namespace orrery {

struct MappedSlot;

class MappedInput {
  public:
    // Takes over `descriptor`, of the open file: so a file that was replaced by another of its name is
    // unchanged.
    MappedInput(const std::string& path, int descriptor, const void* data, std::size_t bytes);
    MappedInput(const MappedInput&) = delete;
    MappedInput& operator=(const MappedInput&) = delete;
    ~MappedInput();

  private:
    MappedSlot* slot_;
};

// Throws InputError if an input that is mapped now has changed. Call it before a result is given out.
void refuse_changed_inputs();
// Words for the user on an input that has changed while it was mapped, also if it is mapped no more; empty:
// none.
std::string changed_input();

} // namespace orrery
