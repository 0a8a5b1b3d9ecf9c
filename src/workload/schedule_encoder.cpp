#include "workload/schedule_encoder.h"

#include "engine/error.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <type_traits>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace orrery {

static_assert(std::endian::native == std::endian::little,
              "the file formats are little endian and read in place");

namespace {

// Beyond this many programs no new ones are remembered, so that memory stays bounded; those met are still
// shared.
constexpr std::size_t max_programs_remembered = std::size_t{3} << 19;

unsigned bytes_for(std::uint64_t value) { return static_cast<unsigned>((std::bit_width(value) + 7) / 8); }

void put_uint(std::vector<std::byte>& out, std::uint64_t value, unsigned width) {
    const std::size_t at = out.size();
    out.resize(at + width);
    std::memcpy(out.data() + at, &value, width);
}

void put_varint(std::vector<std::byte>& out, std::uint64_t value) {
    while (value >= 0x80) {
        out.push_back(static_cast<std::byte>(value | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<std::byte>(value));
}

// Lowest and highest value of a column.
struct Range {
    std::uint64_t low = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t high = 0;
    void include(std::uint64_t value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    [[nodiscard]] bool empty() const { return low > high; }
    [[nodiscard]] std::uint64_t base() const { return empty() ? 0 : low; }
    [[nodiscard]] unsigned width() const { return empty() ? 0 : bytes_for(high - low); }
};

bool has_peer(const Op& op) { return op.kind != OpKind::calc && op.peer != any_source; }
bool has_tag(const Op& op) { return op.kind != OpKind::calc && op.tag != any_tag; }

unsigned scale_of(const RankGraph& graph) {
    for (const unsigned scale : {6U, 3U}) {
        const auto fits = [&](const Op& op) {
            return op.kind != OpKind::calc || op.size % power_of_ten(scale) == 0;
        };
        if (std::all_of(graph.ops.begin(), graph.ops.end(), fits)) return scale;
    }
    return 0;
}

std::uint64_t stored_size(const Op& op, unsigned scale) {
    return op.kind == OpKind::calc ? op.size / power_of_ten(scale) : op.size;
}

} // namespace

std::size_t ScheduleEncoder::LayoutHash::operator()(const BlockLayout& layout) const {
    static_assert(std::has_unique_object_representations_v<BlockLayout>);
    return XXH3_64bits(&layout, sizeof layout);
}

ScheduleEncoder::ScheduleEncoder(ByteStore& store, std::string name) : store_(store), name_(std::move(name)) {}

void ScheduleEncoder::append(const void* data, std::size_t bytes) {
    store_.append(data, bytes);
    position_ += bytes;
}

void ScheduleEncoder::begin(std::uint32_t ranks) {
    header_.ranks = ranks;
    constexpr std::uint32_t most_at_once = 1U << 24U; // a text may claim more ranks than ever come
    rank_blocks_.reserve(std::min(ranks, most_at_once));
    append(&header_, sizeof header_);
}

void ScheduleEncoder::count(const RankGraph& graph) {
    header_.operations += graph.ops.size();
    header_.dependencies += graph.dependencies.size();
    for (const Op& op : graph.ops) {
        header_.cpus = std::max(header_.cpus, op.cpu + 1);
        if (op.kind == OpKind::calc) continue;
        header_.nics = std::max(header_.nics, op.nic + 1);
        if (op.kind == OpKind::send) {
            ++header_.sends;
            if (__builtin_add_overflow(header_.bytes_sent, op.size, &header_.bytes_sent))
                header_.bytes_sent = std::numeric_limits<std::uint64_t>::max();
        } else {
            ++header_.recvs;
        }
    }
}

void ScheduleEncoder::rank(RankId rank, const RankGraph& graph) {
    count(graph);
    hash_programs(rank, graph);
    // A program that was met before in some mode and stored in that mode is shared. If it was met but stored in
    // another mode, it is stored once more, in the mode in which it recurs, and shared from then on.
    PeerMode mode = PeerMode::relative;
    for (const PeerMode candidate : {PeerMode::relative, PeerMode::absolute, PeerMode::exclusive}) {
        const auto met = programs_.find(hashes_[static_cast<std::size_t>(candidate)]);
        if (met == programs_.end()) continue;
        if (met->second != 0) {
            rank_blocks_.push_back(met->second);
            return;
        }
        mode = candidate;
    }
    const std::uint32_t number = store_block(graph, mode);
    rank_blocks_.push_back(number);
    const bool remember = programs_.size() < max_programs_remembered;
    for (const PeerMode other : {PeerMode::absolute, PeerMode::relative, PeerMode::exclusive}) {
        const ProgramHash& hash = hashes_[static_cast<std::size_t>(other)];
        if (other == mode) {
            if (remember || programs_.contains(hash)) programs_[hash] = number;
        } else if (remember) {
            programs_.try_emplace(hash, 0U);
        }
    }
}

void ScheduleEncoder::hash_programs(RankId rank, const RankGraph& graph) {
    const std::size_t count = graph.ops.size();
    for (auto& peers : peers_) peers.resize(count);
    // Everything but the peers, as one array of words. It is unambiguous: three words per operation, then one
    // per dependency, preceded by a word that is not a dependency if it is on the start.
    constexpr std::uint64_t on_start_follows = ~std::uint64_t{0};
    words_.clear();
    words_.push_back(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Op& op = graph.ops[i];
        const bool named = has_peer(op);
        const std::uint32_t distance =
            op.peer >= rank.value ? op.peer - rank.value : op.peer + header_.ranks - rank.value;
        peers_[0][i] = named ? op.peer : 0;
        peers_[1][i] = named ? distance : 0;
        peers_[2][i] = named ? op.peer ^ rank.value : 0;
        words_.push_back(op.size);
        words_.push_back(std::uint64_t{op.tag} << 32 | static_cast<std::uint64_t>(op.kind) << 1 |
                         (named ? 1 : 0));
        words_.push_back(std::uint64_t{op.cpu} << 32 | op.nic);
    }
    for (const Dependency& dependency : graph.dependencies) {
        if (dependency.on_start) words_.push_back(on_start_follows);
        words_.push_back(std::uint64_t{dependency.before} << 32 | dependency.after);
    }
    const XXH128_hash_t common = XXH3_128bits(words_.data(), words_.size() * sizeof(std::uint64_t));
    for (std::size_t mode = 0; mode < 3; ++mode) {
        const XXH128_hash_t peers =
            XXH3_128bits_withSeed(peers_[mode].data(), count * sizeof(std::uint32_t), common.low64 + mode);
        hashes_[mode] = {common.high64 ^ peers.low64, common.low64 + peers.high64 + mode};
    }
}

void ScheduleEncoder::index_dependents(const RankGraph& graph) {
    const std::size_t count = graph.ops.size();
    first_dependent_.assign(count + 1, 0);
    start_dependents_.assign(count, 0);
    indegree_.assign(count, 0);
    for (const Dependency& dependency : graph.dependencies) {
        ++first_dependent_[dependency.before + 1];
        ++indegree_[dependency.after];
        if (dependency.on_start) ++start_dependents_[dependency.before];
    }
    for (std::size_t i = 0; i < count; ++i) first_dependent_[i + 1] += first_dependent_[i];
    dependents_.resize(graph.dependencies.size());
    std::vector<std::uint32_t>& next_start =
        roots_; // borrowed: filled below, before roots_ gets its own content
    next_start.assign(first_dependent_.begin(), first_dependent_.end() - 1);
    for (const Dependency& dependency : graph.dependencies) {
        if (dependency.on_start) dependents_[next_start[dependency.before]++] = dependency.after;
    }
    for (const Dependency& dependency : graph.dependencies) {
        if (!dependency.on_start) dependents_[next_start[dependency.before]++] = dependency.after;
    }
    roots_.clear();
    for (const OpKind kind : {OpKind::send, OpKind::recv, OpKind::calc}) {
        for (std::uint32_t op = 0; op < count; ++op) {
            if (indegree_[op] == 0 && graph.ops[op].kind == kind) roots_.push_back(op);
        }
    }
}

bool ScheduleEncoder::only_next_depends(std::uint32_t op) const {
    const std::uint32_t first = first_dependent_[op];
    return first_dependent_[op + 1] == first + 1 && start_dependents_[op] == 0 && dependents_[first] == op + 1;
}

void ScheduleEncoder::append_edges(const RankGraph& graph) {
    edges_.clear();
    edge_offsets_.assign(graph.ops.size(), 0);
    for (std::uint32_t op = 0; op < graph.ops.size(); ++op) {
        const std::uint32_t first = first_dependent_[op];
        const std::uint32_t last = first_dependent_[op + 1];
        if (first == last || only_next_depends(op)) continue;
        edge_offsets_[op] = edges_.size();
        const std::uint32_t middle = first + start_dependents_[op];
        for (const auto& [from, to] : {std::pair{first, middle}, std::pair{middle, last}}) {
            put_varint(edges_, to - from);
            for (std::uint32_t i = from; i < to; ++i) {
                const std::int64_t delta = std::int64_t{dependents_[i]} - op;
                put_varint(edges_,
                           (static_cast<std::uint64_t>(delta) << 1) ^ static_cast<std::uint64_t>(delta >> 63));
            }
        }
    }
}

BlockLayout ScheduleEncoder::make_layout(const RankGraph& graph, PeerMode mode) {
    BlockLayout layout;
    layout.ops = static_cast<std::uint32_t>(graph.ops.size());
    layout.peer_mode = mode;
    layout.calc_scale = static_cast<std::uint8_t>(scale_of(graph));
    const auto& peers = peers_[static_cast<std::size_t>(mode)];
    Range size, peer, tag;
    std::uint32_t cpu = 0, nic = 0, indegree = 0;
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
        const Op& op = graph.ops[i];
        size.include(stored_size(op, layout.calc_scale));
        if (has_peer(op)) peer.include(peers[i]);
        if (has_tag(op)) tag.include(op.tag);
        cpu = std::max(cpu, op.cpu);
        nic = std::max(nic, op.kind == OpKind::calc ? 0 : op.nic);
        indegree = std::max(indegree, indegree_[i]);
    }
    if (indegree >= 2) layout.flags |= layout_flags::joins;
    layout.size_base = size.base();
    layout.peer_base = static_cast<std::uint32_t>(peer.base());
    layout.tag_base = static_cast<std::uint32_t>(tag.base());
    const std::array<unsigned, 7> widths{size.width(),
                                         peer.width(),
                                         tag.width(),
                                         bytes_for(cpu),
                                         bytes_for(nic),
                                         indegree >= 3 ? bytes_for(indegree) : 0,
                                         edges_.empty() ? 0 : bytes_for(edges_.size())};
    unsigned offset = 1;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        layout.width[i] = static_cast<std::uint8_t>(widths[i]);
        layout.offset[i] = static_cast<std::uint8_t>(offset);
        offset += widths[i];
    }
    layout.stride = static_cast<std::uint8_t>(offset);
    layout.edge_bytes = edges_.size();

    bool plain = true;
    for (const std::uint32_t root : roots_) {
        const Op& op = graph.ops[root];
        if (op.kind == OpKind::send) ++layout.root_sends;
        if (op.kind == OpKind::calc) ++layout.root_calcs;
        if (op.kind != OpKind::recv) continue;
        ++layout.root_recvs;
        plain = plain && op.peer != any_source && op.tag != any_tag && start_dependents_[root] == 0;
    }
    if (plain) layout.flags |= layout_flags::plain_roots;
    const std::uint32_t highest = roots_.empty() ? 0 : *std::max_element(roots_.begin(), roots_.end());
    layout.root_width = static_cast<std::uint8_t>(bytes_for(highest));
    return layout;
}

void ScheduleEncoder::append_record(const RankGraph& graph, const BlockLayout& layout, std::uint32_t index) {
    const Op& op = graph.ops[index];
    auto flags = static_cast<std::uint8_t>(op.kind);
    flags |= static_cast<std::uint8_t>(std::min(indegree_[index], 3U) << 2);
    const bool dependents = first_dependent_[index] != first_dependent_[index + 1];
    if (dependents) flags |= only_next_depends(index) ? record_flags::next_requires : record_flags::edge_list;
    if (op.kind == OpKind::recv && op.peer == any_source) flags |= record_flags::any_source;
    if (op.kind == OpKind::recv && op.tag == any_tag) flags |= record_flags::any_tag;
    put_uint(block_, flags, 1);
    const std::uint32_t peer = peers_[static_cast<std::size_t>(layout.peer_mode)][index];
    const std::array<std::uint64_t, 7> values{stored_size(op, layout.calc_scale) - layout.size_base,
                                              has_peer(op) ? peer - layout.peer_base : 0,
                                              has_tag(op) ? op.tag - layout.tag_base : 0,
                                              op.cpu,
                                              op.nic,
                                              indegree_[index],
                                              edge_offsets_[index]};
    for (std::size_t i = 0; i < values.size(); ++i) put_uint(block_, values[i], layout.width[i]);
}

std::uint32_t ScheduleEncoder::layout_number(const BlockLayout& layout) {
    const auto [found, added] =
        layout_numbers_.try_emplace(layout, static_cast<std::uint32_t>(layouts_.size()));
    if (added) layouts_.push_back(layout);
    return found->second;
}

std::uint32_t ScheduleEncoder::store_block(const RankGraph& graph, PeerMode mode) {
    index_dependents(graph);
    append_edges(graph);
    const BlockLayout layout = make_layout(graph, mode);
    block_.clear();
    put_uint(block_, layout_number(layout), sizeof(std::uint32_t));
    for (const std::uint32_t root : roots_) put_uint(block_, root, layout.root_width);
    for (std::uint32_t op = 0; op < graph.ops.size(); ++op) append_record(graph, layout, op);
    block_.insert(block_.end(), edges_.begin(), edges_.end());
    block_.resize((block_.size() + block_alignment - 1) / block_alignment * block_alignment);
    const std::uint64_t number = position_ / block_alignment;
    if (number > std::numeric_limits<std::uint32_t>::max()) {
        throw InputError(Error{name_, 0, 0, "the schedule has more than 64 GiB of distinct rank programs"});
    }
    append(block_.data(), block_.size());
    ++header_.blocks;
    return static_cast<std::uint32_t>(number);
}

void ScheduleEncoder::finish() {
    header_.layouts_at = position_;
    header_.layouts = layouts_.size();
    append(layouts_.data(), layouts_.size() * sizeof(BlockLayout));
    header_.ranks_at = position_;
    append(rank_blocks_.data(), rank_blocks_.size() * sizeof(std::uint32_t));
    const std::array<std::byte, 16> padding{}; // load_uint may read 7 bytes past a record
    append(padding.data(), padding.size());
    if (!wide_tags_.empty()) {
        append(padding.data(), (alignof(WideTag) - position_ % alignof(WideTag)) % alignof(WideTag));
        header_.version = ScheduleHeader::with_wide_tags;
        header_.tags_at = position_;
        header_.tags = wide_tags_.size();
        append(wide_tags_.data(), wide_tags_.size() * sizeof(WideTag));
    }
    header_.bytes = position_;
    header_.tables_hash = hash_tables(header_, layouts_, rank_blocks_, wide_tags_);
    store_.overwrite_start(&header_, sizeof header_);
}

} // namespace orrery
