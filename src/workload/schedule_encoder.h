// Turns rank graphs into blocks, storing each distinct program once.
#pragma once

#include "workload/graph.h"
#include "workload/schedule.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tsl/robin_map.h>

namespace orrery {

// Where the encoder puts its bytes: a file or memory.
class ByteStore {
  public:
    virtual ~ByteStore() = default;
    virtual void append(const void* data, std::size_t bytes) = 0;
    virtual void overwrite_start(const void* data, std::size_t bytes) = 0;
};

// Two programs are the same if they agree in everything but peers and in the peers as written in one PeerMode.
// The comparison is by 128-bit hash (a false match is expected once in 2^64 programs).
struct ProgramHash {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    bool operator==(const ProgramHash&) const = default;
};

class ScheduleEncoder {
  public:
    ScheduleEncoder(ByteStore& store, std::string name);

    void begin(std::uint32_t ranks);
    void wide_tag(const WideTag& tag) { wide_tags_.push_back(tag); }
    void rank(RankId rank, const RankGraph& graph);
    void finish();

  private:
    struct HashOf {
        std::size_t operator()(const ProgramHash& hash) const { return hash.low; }
    };
    struct LayoutHash {
        std::size_t operator()(const BlockLayout& layout) const;
    };

    void count(const RankGraph& graph);
    void hash_programs(RankId rank, const RankGraph& graph);
    std::uint32_t store_block(const RankGraph& graph, PeerMode mode);
    void index_dependents(const RankGraph& graph);
    BlockLayout make_layout(const RankGraph& graph, PeerMode mode);
    void append_edges(const RankGraph& graph);
    void append_record(const RankGraph& graph, const BlockLayout& layout, std::uint32_t op);
    std::uint32_t layout_number(const BlockLayout& layout);
    [[nodiscard]] bool only_next_depends(std::uint32_t op) const;
    void append(const void* data, std::size_t bytes);

    ByteStore& store_;
    std::string name_;
    ScheduleHeader header_;
    std::uint64_t position_ = 0;
    std::vector<std::uint32_t> rank_blocks_;
    std::vector<BlockLayout> layouts_;
    std::vector<WideTag> wide_tags_;
    tsl::robin_map<BlockLayout, std::uint32_t, LayoutHash> layout_numbers_;
    // Programs met so far, in each peer mode; 0: met, but not stored in that mode.
    tsl::robin_map<ProgramHash, std::uint32_t, HashOf> programs_;

    // Scratch for one rank, reused.
    std::vector<std::uint64_t> words_;    // everything but the peers
    std::vector<std::uint32_t> peers_[3]; // as stored in each mode
    ProgramHash hashes_[3];
    std::vector<std::uint32_t> first_dependent_;  // of each operation, in dependents_
    std::vector<std::uint32_t> dependents_;       // on-start ones first
    std::vector<std::uint32_t> start_dependents_; // how many of them are on-start
    std::vector<std::uint32_t> indegree_;
    std::vector<std::uint32_t> roots_;
    std::vector<std::uint64_t> edge_offsets_;
    std::vector<std::byte> edges_;
    std::vector<std::byte> block_;
};

} // namespace orrery
