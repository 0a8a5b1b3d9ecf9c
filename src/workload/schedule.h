// A whole schedule in the compact form, mapped from a file or held in memory; never expanded.
//
// The file (extension .orr, little endian):
//   header (128 bytes) | blocks, each at a multiple of 16 bytes | layouts (64 bytes each) | a u32 per rank |
//   padding | wide tags (16 bytes each), if there are any
// The number stored for a rank is its block's offset divided by 16. docs/goal.md describes the format in full.
#pragma once

#include "engine/ids.h"
#include "workload/block.h"
#include "workload/sink.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace orrery {

struct ScheduleHeader {
    char magic[8] = {'O', 'R', 'R', 'E', 'R', 'Y', 'S', 'C'};
    static constexpr std::uint32_t with_wide_tags = 2; // version; without such tags it is 1
    std::uint32_t version = 1;
    std::uint32_t ranks = 0;
    std::uint64_t bytes = 0; // of the whole file
    std::uint64_t layouts_at = 0;
    std::uint64_t layouts = 0;
    std::uint64_t ranks_at = 0;
    std::uint64_t blocks = 0; // distinct ones
    std::uint64_t operations = 0;
    std::uint64_t sends = 0;
    std::uint64_t recvs = 0;
    std::uint64_t dependencies = 0;
    std::uint64_t bytes_sent = 0;
    std::uint32_t cpus = 1; // largest number used, plus one
    std::uint32_t nics = 1;
    std::uint64_t tables_hash =
        0;                     // of the header (this field 0), the layouts, the rank table and the wide tags
    std::uint64_t tags_at = 0; // version 2
    std::uint64_t tags = 0;
};
static_assert(sizeof(ScheduleHeader) == 128);

std::uint64_t hash_tables(ScheduleHeader header, std::span<const BlockLayout> layouts,
                          std::span<const std::uint32_t> rank_blocks, std::span<const WideTag> wide_tags);

inline constexpr std::uint64_t block_alignment = 16; // so a u32 block number reaches 64 GiB of distinct blocks

class Schedule {
  public:
    // Maps the file. Checks the tables and the bounds of every distinct layout, not the operations themselves:
    // those are checked as they are met. Throws InputError.
    static Schedule open(const std::string& path);
    // The same over bytes that the caller keeps alive; `name` stands in messages.
    static Schedule from_memory(std::span<const std::byte> bytes, std::string name);
    // Over bytes that the schedule keeps alive by holding on to `owner`.
    static Schedule adopt(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                          std::string name);

    [[nodiscard]] const ScheduleHeader& header() const { return *header_; }
    [[nodiscard]] std::uint32_t ranks() const { return header_->ranks; }
    [[nodiscard]] std::uint64_t operations() const { return header_->operations; }
    [[nodiscard]] std::uint64_t sends() const { return header_->sends; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_.size(); }
    [[nodiscard]] bool mapped_from_file() const { return mapped_; }
    // Made by a ScheduleBuilder of this process: needs no checks.
    [[nodiscard]] bool trusted() const { return trusted_; }
    // The mapped file takes more than half of the memory: pages are read one by one as they are needed.
    [[nodiscard]] bool crowded() const { return crowded_; }

    [[nodiscard]] std::uint32_t block_number(RankId rank) const { return rank_blocks_[rank.index()]; }
    [[nodiscard]] std::span<const BlockLayout> layouts() const { return layouts_; }
    // Tags that the text has and 32 bits have not.
    [[nodiscard]] std::span<const WideTag> wide_tags() const { return wide_tags_; }
    [[nodiscard]] BlockView program(RankId rank) const { return block(block_number(rank), rank.value); }
    // Throws InputError if the number does not name a block that lies within the file.
    [[nodiscard]] BlockView checked_program(RankId rank) const;
    [[nodiscard]] const std::byte* block_bytes(std::uint32_t number) const {
        return bytes_.data() + std::uint64_t{number} * block_alignment;
    }
    [[nodiscard]] BlockView block(std::uint32_t number, std::uint32_t rank) const {
        const std::byte* at = block_bytes(number);
        std::uint32_t layout = 0;
        std::memcpy(&layout, at, sizeof layout);
        return {layouts_[layout], at, rank, ranks()};
    }

  private:
    Schedule() = default;
    friend class ScheduleBuilder;

    std::shared_ptr<const void> owner_;
    std::span<const std::byte> bytes_;
    std::string name_;
    const ScheduleHeader* header_ = nullptr;
    std::span<const BlockLayout> layouts_;
    std::span<const std::uint32_t> rank_blocks_;
    std::span<const WideTag> wide_tags_;
    bool mapped_ = false;
    bool crowded_ = false;
    bool trusted_ = false;
};

// Hands every rank's program, as a graph, to `sink`.
void expand(const Schedule& schedule, ScheduleSink& sink);

// Fills `graph` (cleared first) with one rank's program. Throws InputError if the block is corrupt.
void expand_rank(const Schedule& schedule, RankId rank, RankGraph& graph);

class ScheduleEncoder;

// Writes a schedule in the compact form to a file.
class ScheduleWriter : public ScheduleSink {
  public:
    explicit ScheduleWriter(const std::string& path);
    ~ScheduleWriter() override;
    void begin(std::uint32_t ranks) override;
    void wide_tag(const WideTag& tag) override;
    void rank(RankId rank, const RankGraph& graph) override;
    void finish() override;

  private:
    struct Store;
    std::unique_ptr<Store> store_;
    std::unique_ptr<ScheduleEncoder> encoder_;
};

// Builds a schedule in memory.
class ScheduleBuilder : public ScheduleSink {
  public:
    explicit ScheduleBuilder(std::string name = "schedule");
    ~ScheduleBuilder() override;
    void begin(std::uint32_t ranks) override;
    void wide_tag(const WideTag& tag) override;
    void rank(RankId rank, const RankGraph& graph) override;
    void finish() override;
    [[nodiscard]] Schedule take(); // after finish()

  private:
    struct Store;
    std::string name_;
    std::shared_ptr<Store> store_;
    std::unique_ptr<ScheduleEncoder> encoder_;
};

} // namespace orrery
