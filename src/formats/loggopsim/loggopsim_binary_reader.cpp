#include "engine/error.h"
#include "formats/loggopsim/loggopsim_binary.h"
#include "formats/loggopsim/loggopsim_binary_layout.h"
#include "formats/text/nanoseconds.h"
#include "workload/mapped_file.h"

#include <cstring>
#include <fmt/format.h>

namespace orrery {

namespace {

using namespace loggopsim;

class LogGOPSimReader {
  public:
    LogGOPSimReader(std::span<const std::byte> bytes, const std::string& name) : bytes_(bytes), name_(name) {}
    void read(ScheduleSink& sink, ReadBehind* behind);

  private:
    // Where the parts of one rank are, in bytes from the start of the file.
    struct Block {
        std::uint64_t roots = 0;
        std::uint64_t nodes = 0;
        std::uint64_t edges = 0;
        std::uint32_t root_count = 0;
        std::uint32_t node_count = 0;
        std::uint64_t edge_count = 0;
    };
    void read_header();
    Block locate(std::uint32_t rank, std::uint64_t& end);
    void read_block(const Block& block);
    Op read_op(std::uint64_t at) const;
    void read_dependents(const Block& block, std::uint32_t node, std::uint64_t at, bool on_start);
    void check_degrees(const Block& block);

    template <typename T> [[nodiscard]] T get(std::uint64_t at) const {
        T value;
        std::memcpy(&value, bytes_.data() + at, sizeof value);
        return value;
    }
    [[noreturn]] void fail(std::uint64_t at, const std::string& reason) const {
        throw InputError(Error{name_, 0, 0, fmt::format("byte {}: {}", at, reason)});
    }

    std::span<const std::byte> bytes_;
    const std::string& name_;
    std::uint32_t ranks_ = 0;
    std::uint8_t max_cpu_ = 0;
    std::uint8_t max_nic_ = 0;
    RankGraph graph_;
    std::vector<std::uint32_t> indegree_;
};

void LogGOPSimReader::read(ScheduleSink& sink, ReadBehind* behind) {
    read_header();
    sink.begin(ranks_);
    std::uint64_t end = header_bytes + range_bytes * ranks_; // of what has been read
    std::uint64_t operations = 0;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
        read_block(locate(rank, end));
        check_rank(graph_, RankId{rank}, ranks_,
                   name_); // finds cycles; the rest is checked here, with positions
        sink.rank(RankId{rank}, graph_);
        operations += graph_.ops.size();
        if (behind != nullptr) behind->passed(end);
    }
    if (operations == 0) throw InputError(Error{name_, 0, 0, "empty schedule: no rank has an operation"});
    sink.finish();
}

void LogGOPSimReader::read_header() {
    if (bytes_.size() < header_bytes) {
        fail(bytes_.size(), fmt::format("the file ends within its header of {} bytes", header_bytes));
    }
    const auto cookie = get<std::uint64_t>(0);
    if (cookie == loggopsim_spent_cookie) {
        fail(0,
             "this schedule was used up by \"LogGOPSim --save-mem\", which overwrites its input (it leaves the "
             "cookie 2342): make it again from its text");
    }
    if (cookie != loggopsim_cookie) {
        fail(0, fmt::format("this is not a LogGOPSim schedule: it begins with {}, not with the cookie {}",
                            cookie, loggopsim_cookie));
    }
    ranks_ = get<std::uint32_t>(cookie_bytes);
    max_cpu_ = get<std::uint8_t>(max_cpu_at);
    max_nic_ = get<std::uint8_t>(max_cpu_at + 1);
    if (ranks_ == 0) fail(cookie_bytes, "empty schedule: it has no ranks");
    if (ranks_ > max_ranks)
        fail(cookie_bytes, fmt::format("{} ranks are too many (limit {})", ranks_, max_ranks));
    if ((bytes_.size() - header_bytes) / range_bytes < ranks_) {
        fail(bytes_.size(), fmt::format("the file ends within its table of {} ranks", ranks_));
    }
}

// Ranks may not overlap, so the work is bounded by the length of the file.
LogGOPSimReader::Block LogGOPSimReader::locate(std::uint32_t rank, std::uint64_t& end) {
    const std::uint64_t entry = header_bytes + range_bytes * rank;
    const auto start_offset = get<std::uint64_t>(entry);
    const auto end_offset = get<std::uint64_t>(entry + sizeof start_offset);
    const std::uint64_t limit = bytes_.size() - cookie_bytes;
    if (start_offset < end - cookie_bytes || start_offset > limit) {
        fail(entry, fmt::format("rank {} has the offset {}, expected {} to {}", rank, start_offset,
                                end - cookie_bytes, limit));
    }
    if (end_offset < start_offset || end_offset > limit) {
        fail(entry + 8, fmt::format("rank {} ends at the offset {}, expected {} to {} (is the file truncated?)",
                                    rank, end_offset, start_offset, limit));
    }
    const std::uint64_t start = start_offset + cookie_bytes;
    end = end_offset + cookie_bytes;
    if (end - start < block_header_bytes) fail(start, fmt::format("rank {} is shorter than its counts", rank));
    Block block;
    block.node_count = get<std::uint32_t>(start);
    block.root_count = get<std::uint32_t>(start + 4);
    block.roots = start + block_header_bytes;
    block.nodes = block.roots + edge_bytes * block.root_count;
    block.edges = block.nodes + node_bytes * block.node_count;
    if (block.edges > end) {
        fail(start, fmt::format(
                        "rank {} has {} operations, {} of them free to start, which do not fit in its {} bytes",
                        rank, block.node_count, block.root_count, end - start));
    }
    block.edge_count = (end - block.edges) / edge_bytes;
    if (block.edges + block.edge_count * edge_bytes != end) {
        fail(block.edges, fmt::format("the dependents of rank {} are no whole number of entries", rank));
    }
    return block;
}

void LogGOPSimReader::read_block(const Block& block) {
    graph_.clear();
    graph_.ops.reserve(block.node_count);
    graph_.dependencies.reserve(block.edge_count);
    indegree_.assign(block.node_count, 0);
    std::uint64_t at = block.nodes;
    for (std::uint32_t node = 0; node < block.node_count; ++node, at += node_bytes) {
        graph_.ops.push_back(read_op(at));
        read_dependents(block, node, at + requires_at, false);
        read_dependents(block, node, at + irequires_at, true);
    }
    if (graph_.dependencies.size() != block.edge_count) {
        fail(block.edges, fmt::format("{} dependents are stored, but the operations name {}", block.edge_count,
                                      graph_.dependencies.size()));
    }
    check_degrees(block);
}

Op LogGOPSimReader::read_op(std::uint64_t at) const {
    Op op;
    op.size = get<std::uint64_t>(at + size_at);
    op.cpu = get<std::uint8_t>(at + cpu_at);
    if (op.cpu > max_cpu_)
        fail(at + cpu_at, fmt::format("cpu {}, but the header says {} is the last", op.cpu, max_cpu_));
    const auto type = get<std::uint8_t>(at + type_at);
    if (type == type_calc) { // its peer, tag and nic mean nothing
        op.kind = OpKind::calc;
        if (op.size > max_calc_nanoseconds) {
            fail(at + size_at, fmt::format("calc {} is too large (limit {})", op.size, max_calc_nanoseconds));
        }
        op.size *= picoseconds_per_nanosecond;
        return op;
    }
    if (type != type_send && type != type_recv) {
        fail(at + type_at,
             fmt::format("unknown type of operation {}: expected 1 (send), 2 (recv) or 3 (calc)", type));
    }
    op.kind = type == type_send ? OpKind::send : OpKind::recv;
    op.peer = get<std::uint32_t>(at + peer_at);
    op.tag = get<std::uint32_t>(at + tag_at);
    op.nic = get<std::uint8_t>(at + nic_at);
    if (op.nic > max_nic_)
        fail(at + nic_at, fmt::format("nic {}, but the header says {} is the last", op.nic, max_nic_));
    if (op.size > max_op_size)
        fail(at + size_at, fmt::format("size {} is too large (limit {})", op.size, max_op_size));
    if (op.peer >= ranks_ && !(type == type_recv && op.peer == any_source)) {
        fail(at + peer_at, fmt::format("rank {} does not exist: there are {} ranks", op.peer, ranks_));
    }
    if (type == type_send && op.tag == any_tag) fail(at + tag_at, "a send needs a tag of its own (not -1)");
    return op;
}

void LogGOPSimReader::read_dependents(const Block& block, std::uint32_t node, std::uint64_t at, bool on_start) {
    const auto count = get<std::uint32_t>(at);
    if (count == 0) return;
    const auto first = get<std::uint32_t>(at + 4);
    if (std::uint64_t{first} + count > block.edge_count ||
        graph_.dependencies.size() + count > block.edge_count) { // each entry is used once: no blowing up
        fail(at, fmt::format("the dependents {} to {} are named, but {} are stored", first,
                             std::uint64_t{first} + count - 1, block.edge_count));
    }
    std::uint64_t entry = block.edges + edge_bytes * first;
    for (std::uint32_t i = 0; i < count; ++i, entry += edge_bytes) {
        const auto dependent = get<std::uint32_t>(entry);
        if (dependent >= block.node_count) {
            fail(entry, fmt::format("operation {} is named as a dependent, but there are {}", dependent,
                                    block.node_count));
        }
        ++indegree_[dependent];
        graph_.dependencies.push_back({node, dependent, on_start});
    }
}

// The counts that LogGOPSim counts down, and its list of operations that can start at once, must agree with the
// dependencies.
void LogGOPSimReader::check_degrees(const Block& block) {
    std::uint64_t root = block.roots;
    for (std::uint32_t node = 0; node < block.node_count; ++node) {
        const std::uint64_t at = block.nodes + node_bytes * node + dependencies_at;
        const auto stored = get<std::uint32_t>(at);
        if (stored != indegree_[node]) {
            fail(at, fmt::format("operation {} is said to wait for {} others, but {} name it", node, stored,
                                 indegree_[node]));
        }
        if (stored != 0) continue;
        if (root == block.nodes || get<std::uint32_t>(root) != node) {
            fail(root,
                 fmt::format("operation {} waits for nothing, but is not listed here as free to start", node));
        }
        root += edge_bytes;
    }
    if (root != block.nodes) fail(root, "an operation is listed as free to start, but waits for others");
}

} // namespace

void read_loggopsim_binary(const std::string& path, ScheduleSink& sink) {
    const MappedFile file(path);
    file.expect(Access::front_to_back);
    ReadBehind behind(file.bytes(), 0);
    LogGOPSimReader(file.bytes(), path).read(sink, &behind);
}

void read_loggopsim_binary(std::span<const std::byte> bytes, const std::string& name, ScheduleSink& sink) {
    LogGOPSimReader(bytes, name).read(sink, nullptr);
}

} // namespace orrery
