// A compact schedule must be expanded or refused. The checksum is made right first, or nothing behind it would
// ever be reached.
#include "graph_digest.h"
#include "workload/schedule.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

using namespace orrery;

namespace {

void mend_checksum(std::span<std::byte> bytes) {
    if (bytes.size() < sizeof(ScheduleHeader)) return;
    ScheduleHeader header;
    std::memcpy(&header, bytes.data(), sizeof header);
    header.bytes = bytes.size();
    const auto lies_within = [&bytes](std::uint64_t at, std::uint64_t count, std::uint64_t size) {
        return at % 8 == 0 && at <= bytes.size() && count <= (bytes.size() - at) / size;
    };
    if (lies_within(header.layouts_at, header.layouts, sizeof(BlockLayout)) &&
        lies_within(header.ranks_at, header.ranks, sizeof(std::uint32_t))) {
        std::vector<BlockLayout> layouts(header.layouts);
        std::vector<std::uint32_t> ranks(header.ranks);
        if (!layouts.empty())
            std::memcpy(layouts.data(), bytes.data() + header.layouts_at, layouts.size() * sizeof(BlockLayout));
        if (!ranks.empty())
            std::memcpy(ranks.data(), bytes.data() + header.ranks_at, ranks.size() * sizeof ranks[0]);
        header.tables_hash = hash_tables(header, layouts, ranks);
    }
    std::memcpy(bytes.data(), &header, sizeof header);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::uint64_t> aligned((size + 7) / 8); // as a mapping would be
    if (size > 0) std::memcpy(aligned.data(), data, size);
    const std::span<std::byte> bytes = std::as_writable_bytes(std::span(aligned)).first(size);
    mend_checksum(bytes);
    fuzzing::outcome([&](ScheduleSink& sink) { expand(Schedule::from_memory(bytes, "fuzz"), sink); });
    return 0;
}
