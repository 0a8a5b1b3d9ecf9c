#include "workload/schedule.h"

#include "engine/error.h"
#include "engine/memory.h"
#include "workload/mapped_file.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace orrery {

namespace {

[[noreturn]] void corrupt(const std::string& name, const std::string& reason) {
    throw InputError(Error{name, 0, 0, "not a valid compact schedule: " + reason});
}

// True if `count` items of `size` bytes lie within [at, at + length) of a file of `bytes` bytes.
bool fits(std::uint64_t at, std::uint64_t count, std::uint64_t size, std::uint64_t bytes) {
    return at <= bytes && count <= (bytes - at) / size;
}

// Each number stands for one tag, and no tag has two.
void check_wide_tags(std::span<const WideTag> tags, const std::string& name) {
    std::vector<std::uint64_t> numbers;
    std::vector<std::uint64_t> written;
    for (const WideTag& tag : tags) {
        if (tag.tag < first_numbered_tag || tag.tag == any_tag || tag.written < first_numbered_tag ||
            WideTags::is_wildcard(tag.written))
            corrupt(name, "a tag of 64 bits is out of range");
        numbers.push_back(tag.tag);
        written.push_back(tag.written);
    }
    for (std::vector<std::uint64_t>* const all : {&numbers, &written}) {
        std::sort(all->begin(), all->end());
        if (std::adjacent_find(all->begin(), all->end()) != all->end())
            corrupt(name, "a tag of 64 bits is there twice");
    }
}

void check_layout(const BlockLayout& layout, std::uint64_t file_bytes, const std::string& name) {
    unsigned offset = 1;
    for (std::size_t i = 0; i < 7; ++i) {
        if (layout.width[i] > 8 || layout.offset[i] != offset) corrupt(name, "a layout's columns overlap");
        offset += layout.width[i];
    }
    if (layout.stride != offset || layout.root_width > 4 || layout.calc_scale > 6 ||
        layout.peer_mode > PeerMode::exclusive) {
        corrupt(name, "a layout is out of range");
    }
    const std::uint64_t roots = std::uint64_t{layout.root_sends} + layout.root_recvs + layout.root_calcs;
    if (roots > layout.ops || layout.edge_bytes > file_bytes)
        corrupt(name, "a layout's counts are out of range");
}

} // namespace

std::uint64_t hash_tables(ScheduleHeader header, std::span<const BlockLayout> layouts,
                          std::span<const std::uint32_t> rank_blocks, std::span<const WideTag> wide_tags) {
    header.tables_hash = 0;
    std::uint64_t hash = XXH3_64bits(&header, sizeof header);
    hash = XXH3_64bits_withSeed(layouts.data(), layouts.size_bytes(), hash);
    hash = XXH3_64bits_withSeed(rank_blocks.data(), rank_blocks.size_bytes(), hash);
    return wide_tags.empty() ? hash : XXH3_64bits_withSeed(wide_tags.data(), wide_tags.size_bytes(), hash);
}

Schedule Schedule::adopt(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                         std::string name) {
    Schedule schedule;
    schedule.owner_ = std::move(owner);
    schedule.bytes_ = bytes;
    schedule.name_ = std::move(name);
    const std::string& file = schedule.name_;
    if (bytes.size() < sizeof(ScheduleHeader)) corrupt(file, "it is shorter than its header");
    schedule.header_ = reinterpret_cast<const ScheduleHeader*>(bytes.data());
    const ScheduleHeader& header = *schedule.header_;
    if (std::memcmp(header.magic, ScheduleHeader{}.magic, sizeof header.magic) != 0)
        corrupt(file, "no such magic number");
    if (header.version == 0 || header.version > ScheduleHeader::with_wide_tags) {
        throw InputError(Error{
            file, 0, 0,
            fmt::format("written in version {} of the compact format; this program reads versions 1 to {}",
                        header.version, ScheduleHeader::with_wide_tags)});
    }
    if (header.bytes != bytes.size()) {
        corrupt(file,
                fmt::format("it has {} bytes and should have {} (truncated?)", bytes.size(), header.bytes));
    }
    if (header.ranks == 0 || header.ranks > max_ranks || header.layouts == 0) corrupt(file, "it has no ranks");
    if (!fits(header.layouts_at, header.layouts, sizeof(BlockLayout), bytes.size()) ||
        !fits(header.ranks_at, header.ranks, sizeof(std::uint32_t), bytes.size()) ||
        header.layouts_at % 8 != 0 || header.ranks_at % 4 != 0 || header.layouts_at > bytes.size() - 16) {
        corrupt(file, "its tables do not lie within it");
    }
    if (header.cpus == 0 || header.cpus > max_cpu + 1 || header.nics == 0 || header.nics > max_nic + 1) {
        corrupt(file, "its numbers of CPUs or NICs are out of range");
    }
    schedule.layouts_ = {reinterpret_cast<const BlockLayout*>(bytes.data() + header.layouts_at),
                         static_cast<std::size_t>(header.layouts)};
    schedule.rank_blocks_ = {reinterpret_cast<const std::uint32_t*>(bytes.data() + header.ranks_at),
                             header.ranks};
    if (header.version >= ScheduleHeader::with_wide_tags) {
        if (!fits(header.tags_at, header.tags, sizeof(WideTag), bytes.size()) ||
            header.tags_at % alignof(WideTag) != 0)
            corrupt(file, "its tables do not lie within it");
        schedule.wide_tags_ = {reinterpret_cast<const WideTag*>(bytes.data() + header.tags_at),
                               static_cast<std::size_t>(header.tags)};
    }
    if (hash_tables(header, schedule.layouts_, schedule.rank_blocks_, schedule.wide_tags_) !=
        header.tables_hash) {
        corrupt(file, "the checksum of its tables is wrong");
    }
    check_wide_tags(schedule.wide_tags_, file);
    for (const BlockLayout& layout : schedule.layouts_) check_layout(layout, bytes.size(), file);
    return schedule;
}

Schedule Schedule::from_memory(std::span<const std::byte> bytes, std::string name) {
    return adopt(nullptr, bytes, std::move(name));
}

Schedule Schedule::open(const std::string& path) {
    const auto file = std::make_shared<const MappedFile>(path);
    // Ranks advance side by side, each through its own part of the file. If not all of it fits into memory,
    // reading ahead of one rank would push out what the others are about to need: then only the pages touched
    // are read.
    const bool crowded = file->bytes().size() > usable_memory_bytes() / 2;
    if (crowded) file->expect(Access::here_and_there);
    Schedule schedule = adopt(file, file->bytes(), path);
    schedule.mapped_ = true;
    schedule.crowded_ = crowded;
    return schedule;
}

BlockView Schedule::checked_program(RankId rank) const {
    const std::uint64_t at = std::uint64_t{block_number(rank)} * block_alignment;
    const std::uint64_t limit = header_->layouts_at;
    if (at < sizeof(ScheduleHeader) || at + sizeof(std::uint32_t) > limit) {
        corrupt(name_, fmt::format("the program of rank {} does not lie within it", rank.value));
    }
    std::uint32_t layout = 0;
    std::memcpy(&layout, bytes_.data() + at, sizeof layout);
    if (layout >= layouts_.size() || layouts_[layout].block_bytes() > limit - at) {
        corrupt(name_, fmt::format("the program of rank {} is damaged", rank.value));
    }
    return program(rank);
}

void expand_rank(const Schedule& schedule, RankId rank, RankGraph& graph) {
    graph.clear();
    const BlockView view = schedule.checked_program(rank);
    graph.ops.reserve(view.ops());
    for (std::uint32_t op = 0; op < view.ops(); ++op) {
        const BlockView::Record record = view.record(op);
        if (record.kind() > OpKind::calc) {
            corrupt(schedule.name(),
                    fmt::format("operation {} of rank {} has an unknown kind", op + 1, rank.value));
        }
        graph.add(view.op(op));
        view.dependents(record, op, true, true, [&](std::uint32_t after, bool on_start) {
            graph.dependencies.push_back({op, after, on_start});
        });
    }
}

void expand(const Schedule& schedule, ScheduleSink& sink) {
    sink.begin(schedule.ranks());
    for (const WideTag& tag : schedule.wide_tags()) sink.wide_tag(tag);
    RankGraph graph;
    for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
        expand_rank(schedule, RankId{rank}, graph);
        check_rank(graph, RankId{rank}, schedule.ranks(), schedule.name());
        sink.rank(RankId{rank}, graph);
    }
    sink.finish();
}

} // namespace orrery
