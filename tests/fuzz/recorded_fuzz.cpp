// A recorded trace must be read or refused, also if its checksums are right; what was read must be sound.
#include "engine/error.h"
#include "formats/ort/block_checksum.h"
#include "formats/ort/layout.h"
#include "formats/ort/recorded_trace.h"
#include "formats/ti/check_action.h"
#include "formats/ti/oti_layout.h"
#include "memory_file.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace orrery;

namespace {

// Makes the headers of plain blocks right, so that what lies behind them is tried.
void mend(std::string& bytes) {
    std::size_t at = 0;
    recorded::BlockHeader header;
    while (bytes.size() - at >= sizeof header) {
        std::memcpy(&header, bytes.data() + at, sizeof header);
        const std::size_t left = bytes.size() - at - sizeof header;
        header.magic = recorded::block_magic;
        header.zero = 0;
        header.run = 1;
        if (header.bytes > left) header.bytes = static_cast<std::uint32_t>(left);
        if (header.packing != recorded::BlockPacking::zstd) {
            header.packing = recorded::BlockPacking::plain;
            header.unpacked = header.bytes;
        }
        recorded::SegmentHead head;
        if (header.kind == recorded::BlockKind::segment && header.bytes >= sizeof head &&
            header.packing == recorded::BlockPacking::plain) {
            std::memcpy(&head, bytes.data() + at + sizeof header, sizeof head);
            header.actions = head.actions;
            header.requests = head.requests;
        }
        header.checksum = recorded::checksum_of(header, bytes.data() + at + sizeof header);
        std::memcpy(bytes.data() + at, &header, sizeof header);
        at += sizeof header + header.bytes;
    }
}

void read(const RecordedTrace& trace) {
    constexpr std::size_t enough = 2000; // windows: a repeat may stand for a million actions
    std::size_t windows = 0;
    const std::unique_ptr<ActionSource> source = trace.source();
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        for (std::span<const Action> window; !(window = source->next(RankId{rank})).empty();) {
            if (++windows > enough) return;
            for (const Action& action : window) {
                if (ti::fault_of(action, source->counts(RankId{rank}, action),
                                 {trace.ranks(), ti::most_requests}) != nullptr)
                    std::abort();
            }
        }
    }
}

} // namespace

// The first byte says whether checksums are mended and whether what was cut off is taken.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    if ((data[0] & 1U) != 0) mend(bytes);
    const fuzzing::MemoryFile file(bytes.data(), bytes.size());
    try {
        const RecordedTrace trace = RecordedTrace::open(file.path(), {(data[0] & 2U) != 0});
        (void)trace.notes();
        read(trace);
    } catch (const InputError&) { // refused
    }
    return 0;
}
