// A binary trace must be read or refused, also if its checksums are right; what was read must be sound.
#include "engine/error.h"
#include "formats/ti/check_action.h"
#include "formats/ti/oti_checksum.h"
#include "formats/ti/oti_layout.h"
#include "formats/trace.h"
#include "listed_actions.h"
#include "memory_file.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

using namespace orrery;

namespace {

// Makes sizes and checksums right, so that what lies behind them is tried.
void mend(std::string& bytes) {
    ti::OtiHeader header;
    if (bytes.size() < sizeof header) return;
    std::memcpy(&header, bytes.data(), sizeof header);
    header.magic = ti::oti_magic;
    header.version = ti::oti_version;
    header.file_bytes = bytes.size();
    header.ranks = 1 + header.ranks % 8;
    const std::size_t index_bytes = header.ranks * sizeof(ti::RankEntry);
    if (bytes.size() < sizeof header + index_bytes) return;
    header.index_offset = bytes.size() - index_bytes;
    for (std::size_t at = sizeof header; at + sizeof(ti::SegmentHeader) < header.index_offset;) {
        ti::SegmentHeader segment;
        std::memcpy(&segment, bytes.data() + at, sizeof segment);
        if (segment.bytes > header.index_offset - at - sizeof segment) break;
        segment.checksum =
            static_cast<std::uint32_t>(XXH3_64bits(bytes.data() + at + sizeof segment, segment.bytes));
        std::memcpy(bytes.data() + at, &segment, sizeof segment);
        at += sizeof segment + segment.bytes;
    }
    header.checksum = ti::checksum_of(header, std::as_bytes(std::span(bytes)).subspan(header.index_offset));
    std::memcpy(bytes.data(), &header, sizeof header);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (data[0] != 0) mend(bytes);
    const fuzzing::MemoryFile file(bytes.data(), bytes.size());
    try {
        const TiTrace trace = TiTrace::open(file.path());
        if (trace.ranks() > 1000) return 0;
        const fuzzing::ListedActions actions(*trace.source());
        for (const auto& rank : actions.ranks) {
            for (const auto& entry : rank) {
                if (ti::fault_of(entry.action, entry.counts, {trace.ranks(), ti::most_requests}) != nullptr)
                    std::abort();
            }
        }
    } catch (const InputError&) { // refused
    }
    return 0;
}
