// The program's memory: which of its blocks are folded, and how bytes go from rank to rank.
#pragma once

#include "emulate/memory/checked_heap.h"
#include "emulate/memory/folded.h"
#include "emulate/program/symbol.h"

#include <cstring>
#include <memory>
#include <span>

namespace orrery::emulate {

// Of the emulation that runs in this process.
class ProgramMemory {
  public:
    using WhoRuns = std::uint32_t (*)(); // the rank
    // Blocks of at least `share_above` bytes are folded without being told (--share-above); ~Bytes{0}: none.
    ProgramMemory(Bytes share_above, WhoRuns who_runs);
    ProgramMemory(const ProgramMemory&) = delete;
    ProgramMemory& operator=(const ProgramMemory&) = delete;
    ~ProgramMemory();

    [[nodiscard]] bool folds(Bytes size) const { return size >= share_above_; }
    // Null as long as nothing has been folded.
    [[nodiscard]] FoldedMemory* folded() const { return folded_.get(); }
    FoldedMemory& make_folded();
    [[nodiscard]] std::uint32_t rank() const { return who_runs_(); }
    // With --check-memory; otherwise null.
    [[nodiscard]] CheckedHeap* checked() const { return checked_; }
    void check();
    [[nodiscard]] bool is_folded(const void* address) const { return folded_ && folded_->contains(address); }

  private:
    Bytes share_above_;
    WhoRuns who_runs_;
    std::unique_ptr<FoldedMemory> folded_;
    CheckedHeap* checked_ = nullptr; // never freed: libraries may hold blocks until the process ends
};

extern ProgramMemory* running_memory; // null if there is none

inline bool is_folded(const void* address) {
    return running_memory != nullptr && running_memory->is_folded(address);
}

// All data of messages between ranks: what is shared on either side is not copied.
inline void copy_bytes(void* to, const void* from, Bytes bytes) {
    if (running_memory == nullptr || running_memory->folded() == nullptr)
        std::memmove(to, from, bytes);
    else
        running_memory->folded()->copy(to, from, bytes);
}

// Nothing of these bytes is private: a message of them need not be packed or kept.
inline bool is_all_shared(const void* from, Bytes bytes) {
    return is_folded(from) && running_memory->folded()->is_all_shared(from, bytes);
}

// malloc, free, ..., and what include/orrery/emulate.h declares about memory: to be bound in every program,
// since free() must know folded blocks. Sorted by name.
std::span<const Symbol> memory_symbols();
// With --check-memory, in place of those. Blocks of libraries go on to the C library.
std::span<const Symbol> checked_memory_symbols();
// operator new and delete: with --share-above, unless the program has its own...
std::span<const Symbol> new_symbols();
// ... and with --check-memory, in two tables.
std::span<const Symbol> checked_new_symbols();
std::span<const Symbol> checked_delete_symbols();
// What libraries must call then in place of free() and realloc(), besides those of delete: the program may have
// allocated the block, and the library grows it (getline) or frees it (std::string, whose code lies in both).
std::span<const Symbol> checked_library_symbols();

} // namespace orrery::emulate
