// Recorded traces as files, whole and damaged, for tests.
#pragma once

#include "engine/error.h"
#include "formats/ort/block_writer.h"
#include "formats/ort/metadata.h"
#include "formats/ort/recorded_trace.h"
#include "streams.h"

#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace orrery::recorded_test {

// One rank of a run, block by block.
struct RankFile {
    RecordedBegin begin;
    RecordedEnd end;
    std::uint32_t rank = 0;

    RankFile(std::uint32_t number, std::uint32_t ranks, std::uint64_t run = 0xABC) : rank(number) {
        begin.run = run;
        begin.ranks = ranks;
        begin.program = "./app";
        begin.host = "node1";
        begin.counter = "instructions";
        begin.started = "2026-11-15T19:26:15Z";
        end.finalized = true;
    }
    // The blocks: begin, a segment for each `segment_actions`, end.
    [[nodiscard]] std::vector<std::string> blocks(const std::vector<Entry>& entries,
                                                  std::size_t segment_actions = 10) const {
        std::vector<std::string> out;
        recorded::BlockWriter writer(begin.run, rank);
        writer.append(recorded::BlockKind::begin, recorded::json_of(begin), out.emplace_back());
        for (const std::string& segment : encoded(entries, segment_actions, begin.timed))
            writer.append(recorded::BlockKind::segment, segment, out.emplace_back());
        writer.append(recorded::BlockKind::end, recorded::json_of(end), out.emplace_back());
        return out;
    }
};

inline std::string joined(const std::vector<std::string>& parts) {
    std::string all;
    for (const std::string& part : parts) all += part;
    return all;
}

// What rank `rank` of `ranks` does: some turns of a ring, and a barrier after each.
inline std::vector<Entry> ring(std::uint32_t rank, std::uint32_t ranks, int turns) {
    Stream s;
    for (int turn = 0; turn < turns; ++turn) {
        s.message(ActionKind::isend, (rank + 1) % ranks, 100, 3);
        s.message(ActionKind::recv, (rank + ranks - 1) % ranks, 100, 3);
        s.wait(0);
        s.compute(1000 + rank + static_cast<double>(turn));
        s.collective(Collective::barrier, 0);
    }
    return std::move(s.entries);
}

} // namespace orrery::recorded_test
