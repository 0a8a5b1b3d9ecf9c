// One measurement of a program's computation, to be used again: the bursts of every rank in order.
//
// Taken by rank and number, so that it does not matter in which order ranks run: the same program takes the
// same bursts on every machine. Which functions were called between them is checked, in passing; a program that
// calls otherwise than when it was recorded (because time decides what it does) is refused.
//
// The file: "ORRBURST", version, header, for each rank the number of its bursts and its bytes, the bytes of all
// ranks, a hash of all that. Integers are varints. A rank's bytes are its bursts in ns; after each 16 of them
// one byte of a hash of the functions so far. One to two bytes for a call of MPI.
#pragma once

#include "emulate/compute/burst_filter.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::emulate {

// What was run, and how well it was measured.
struct BurstOrigin {
    std::string program_hash; // of the content of its file
    std::vector<std::string> command;
    BurstFigures figures;
};

class BurstRecorder {
  public:
    explicit BurstRecorder(std::uint32_t ranks) : ranks_(ranks) {}
    void add(std::uint32_t rank, std::int64_t ns, std::uint32_t function);
    [[nodiscard]] std::string file(const BurstOrigin& origin) const; // its content

  private:
    struct Rank {
        std::vector<std::uint8_t> bytes;
        std::uint64_t count = 0;
        std::uint32_t path = 0;
    };
    std::vector<Rank> ranks_;
};

class RecordedBursts {
  public:
    // Throws InputError about a file that is damaged or none of ours; `name` is for the words.
    RecordedBursts(std::string content, std::string name);
    // Throws InputError unless the recording is of that program, command and number of ranks.
    void check(const BurstOrigin& origin, std::uint32_t ranks) const;
    // Nothing if the rank does otherwise than when it was recorded: then why() says what.
    std::optional<std::int64_t> next(std::uint32_t rank, std::uint32_t function);
    [[nodiscard]] std::string why(std::uint32_t rank) const;
    // Throws InputError if a rank has made fewer calls than recorded.
    void check_all_taken() const;
    [[nodiscard]] const BurstOrigin& origin() const { return origin_; }
    [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(ranks_.size()); }

  private:
    struct Rank {
        std::size_t at = 0, end = 0; // in content_
        std::uint64_t count = 0;     // in all
        std::uint64_t taken = 0;
        std::uint32_t path = 0;
        bool strayed = false; // has called another function
    };
    [[noreturn]] void refuse(const std::string& reason) const;
    void read_header(const std::uint8_t*& at, const std::uint8_t* end);
    void check_bursts(const Rank& rank) const;

    std::string content_;
    std::string name_;
    BurstOrigin origin_;
    std::vector<Rank> ranks_;
};

RecordedBursts read_bursts(const std::string& path);

} // namespace orrery::emulate
