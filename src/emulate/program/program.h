// The application: its file, loaded for all ranks, and how the variables of each are kept apart.
//
// `segments`: each rank has its own copy of the program in memory: the pages of code are the file's and exist
// once, the writable ones are its own. Two mappings and the touched pages of data per rank.
// `copy`: the program is in memory once; a switch to another rank saves the variables of the one before and
// restores its own (swapped_variables.h). One mapping for all; a switch compares all variables and copies those
// in which ranks differ. `none`: all ranks share all variables.
#pragma once

#include "emulate/context/stacks.h"
#include "emulate/program/elf_image.h"
#include "emulate/program/instance.h"
#include "emulate/program/swapped_variables.h"
#include "emulate/program/symbol.h"
#include "emulate/rank.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::emulate {

enum class Privatise : std::uint8_t { segments, copy, none };

struct ProgramOptions {
    std::string path;
    std::vector<std::string> arguments; // behind the program's name
    std::uint32_t ranks = 1;
    std::optional<Privatise> mechanism; // none: the usual one
    bool tag_output = false;            // "[rank] " before each line
    std::span<const Symbol> mpi;        // the MPI library
};

// The mechanism that `--privatize segments|copy|none` names; throws UsageError for other words.
Privatise privatise_from(std::string_view words);
// copy if the mappings that are left do not suffice for so many ranks, or if these are many and their variables
// (bytes of each) few, otherwise segments.
Privatise usual_mechanism(std::uint32_t ranks, std::size_t variables);

// The file, mapped to be read, and what it says.
class ProgramFile {
  public:
    explicit ProgramFile(const std::string& path); // throws InputError
    ~ProgramFile();
    ProgramFile(const ProgramFile&) = delete;
    ProgramFile& operator=(const ProgramFile&) = delete;
    [[nodiscard]] const ElfImage& image() const { return image_; }
    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] int descriptor() const { return descriptor_; }
    // Loads the libraries that the program needs, but for the MPI library, once for all ranks.
    void load_libraries() const;

  private:
    std::string path_;
    int descriptor_ = -1;
    std::span<const std::byte> bytes_;
    ElfImage image_;
};

class Program {
  public:
    explicit Program(ProgramOptions options); // throws InputError, UsageError
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    // Binds names of the program to other functions, even those that it defines itself. Before the first
    // instantiate(). The names must stay.
    void add_interposition(std::span<const Symbol> symbols);
    // Whether a call or access by that name goes through a binding, so that an interposition takes effect.
    [[nodiscard]] bool refers_to(std::string_view name) const;
    // All such names, sorted; they live as long as the program.
    [[nodiscard]] std::vector<const char*> referred_names() const;

    // Gives the rank its LibcState and Instance, which must be gone before the program is. Its arguments lie on
    // its stack, which ends below them then.
    void instantiate(Rank& rank, Stack& stack);
    // On the rank's context: constructors, main, exit. Never returns.
    [[noreturn]] void run(Rank& rank);
    // Restores the rank's variables and streams, before each switch to it (from whatever ran before).
    void restore(Rank& rank) {
        if (busy_switch_) switch_to(rank);
    }
    // From now on stdin, stdout and stderr are those of the rank that runs, which has opened or closed one.
    void follow_streams();
    // From now on the same of descriptors 0, 1 and 2.
    void follow_descriptors() { own_descriptors_ = busy_switch_ = true; }
    // Before the scheduler writes to stdout itself.
    void restore_streams() const;
    // Where a rank's bytes are now: elsewhere only with `copy`, for its variables, while another rank is
    // active.
    [[nodiscard]] void* where(Rank& rank, void* address);
    // The rank's variable or function of that name; null if the program defines none.
    [[nodiscard]] void* symbol(Rank& rank, std::string_view name) const;

    // Thread-local variables: as a new thread of the rank finds them, and those in place for others.
    [[nodiscard]] std::vector<std::byte> fresh_locals(const Rank& rank) const;
    std::vector<std::byte> swap_locals(const Rank& rank, std::vector<std::byte> locals) const;

    // "main+0x12 (offset 0x812 of ./app)" for an address in any rank's copy; empty: not in the program.
    [[nodiscard]] std::string describe(const void* address) const;
    // Of an address in any rank's copy: where it is in the program's file; none: not in the program.
    [[nodiscard]] std::optional<std::uint64_t> offset(const void* address) const;
    struct Unwind {
        std::byte *start, *end, *header;
    };
    // For exceptions: the copy of the program that holds this address.
    [[nodiscard]] bool find_unwind(const void* address, Unwind& found) const;

    [[nodiscard]] Privatise mechanism() const { return mechanism_; }
    [[nodiscard]] std::uint32_t ranks() const { return options_.ranks; }
    [[nodiscard]] const ProgramFile& file() const { return file_; }
    // Of variables per rank: data, zeroed data, thread-local data.
    [[nodiscard]] std::size_t data_bytes() const { return data_end_ - file_.image().writable_from; }

    static Program* active; // the one of this process; null: none

  private:
    struct OwnSlot { // refers to a variable of LibcVariables
        std::uint64_t address;
        std::uint64_t offset;
    };
    void reserve();
    void map_text(std::byte* base) const;
    void prepare(); // the first copy, relocated: what all others start from
    void relocate(std::byte* base);
    void fill(std::byte* base) const; // a fresh copy of the variables
    void bind_variables(std::byte* base, LibcState& libc) const;
    void switch_to(Rank& rank);
    void call_constructors(Rank& rank);
    [[nodiscard]] bool own(const std::byte* at) const;

    ProgramOptions options_;
    ProgramFile file_;
    std::vector<std::span<const Symbol>> interpositions_;
    Privatise mechanism_ = Privatise::segments;
    std::byte* area_ = nullptr;
    std::size_t stride_ = 0;     // from one copy to the next
    std::uint32_t copies_ = 0;   // in the area
    std::uint64_t tls_at_ = 0;   // where thread-local variables lie, from the base
    std::uint64_t data_end_ = 0; // behind them
    std::uint64_t bindings_ = 0; // the first place with the address of another's function; 0: there is none
    bool prepared_ = false;
    bool busy_switch_ = false;        // a switch has more to do than to change the stack
    bool own_streams_ = false;        // stdin, stdout and stderr change with the rank
    bool own_descriptors_ = false;    // descriptors 0 to 2 do, too
    bool constructed_ = false;        // with `none`: the constructors have run
    std::vector<std::byte> template_; // of the bytes from writable_from on, as relocated for area_
    std::vector<std::byte> tls_template_;
    std::vector<std::uint64_t> internal_; // addresses of pointers into the program itself
    std::vector<OwnSlot> own_slots_;
    SwappedVariables variables_;  // with `copy`
    Rank* active_rank_ = nullptr; // whose variables are in place then
};

} // namespace orrery::emulate
