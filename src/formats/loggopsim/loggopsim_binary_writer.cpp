#include "engine/error.h"
#include "formats/loggopsim/loggopsim_binary.h"
#include "formats/loggopsim/loggopsim_binary_layout.h"
#include "formats/text/nanoseconds.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace orrery {

using namespace loggopsim;

namespace {

constexpr std::size_t ranges_kept = 65'536; // 1 MiB of the table of ranks

} // namespace

LogGOPSimBinaryWriter::LogGOPSimBinaryWriter(const std::string& path) : path_(path), file_(path) {}

void LogGOPSimBinaryWriter::begin(std::uint32_t ranks) {
    ranks_ = ranks;
    file_.write(&loggopsim_cookie, sizeof loggopsim_cookie);
    file_.write(&ranks, sizeof ranks);
    // The largest CPU and NIC and the table of ranks are filled in later.
    file_.write_zeros(header_bytes + range_bytes * ranks - file_.position());
}

template <typename T> void LogGOPSimBinaryWriter::append(T value) {
    std::memcpy(block_.data() + used_, &value, sizeof value);
    used_ += sizeof value;
}

void LogGOPSimBinaryWriter::rank(RankId rank, const RankGraph& graph) {
    index_dependents(rank, graph);
    const auto nodes = static_cast<std::uint32_t>(graph.ops.size());
    std::uint32_t roots = 0;
    for (const Degrees& degrees : degrees_) roots += degrees.in == 0 ? 1 : 0;
    block_.resize(block_header_bytes + edge_bytes * roots + node_bytes * nodes +
                  edge_bytes * dependents_.size());
    used_ = 0;
    append(nodes);
    append(roots);
    for (std::uint32_t node = 0; node < nodes; ++node) {
        if (degrees_[node].in == 0) append(node);
    }
    for (std::uint32_t node = 0; node < nodes; ++node) append_node(rank, graph, node);
    if (!dependents_.empty()) {
        std::memcpy(block_.data() + used_, dependents_.data(), edge_bytes * dependents_.size());
    }

    const std::uint64_t start = file_.position() - cookie_bytes;
    ranges_.push_back({start, start + block_.size()});
    file_.write(block_.data(), block_.size());
    if (ranges_.size() == ranges_kept) flush_ranges();
}

// Sorts the dependencies by the operation that is waited for, keeping their order: first those that wait for
// its end, then those that wait for its start.
void LogGOPSimBinaryWriter::index_dependents(RankId rank, const RankGraph& graph) {
    if (graph.dependencies.size() > std::numeric_limits<std::uint32_t>::max()) {
        throw InputError(
            Error{path_, 0, 0,
                  fmt::format("rank {} has {} dependencies: LogGOPSim's binary format holds 2^32 - 1",
                              rank.value, graph.dependencies.size())});
    }
    degrees_.assign(graph.ops.size(), {});
    for (const Dependency& dependency : graph.dependencies) {
        ++degrees_[dependency.after].in;
        Degrees& before = degrees_[dependency.before];
        ++(dependency.on_start ? before.irequires_out : before.requires_out);
    }
    std::uint32_t position = 0;
    for (Degrees& degrees : degrees_) {
        degrees.first = position;
        degrees.next_requires = position;
        position += degrees.requires_out;
        degrees.next_irequires = position;
        position += degrees.irequires_out;
    }
    dependents_.resize(graph.dependencies.size());
    for (const Dependency& dependency : graph.dependencies) {
        Degrees& before = degrees_[dependency.before];
        dependents_[(dependency.on_start ? before.next_irequires : before.next_requires)++] = dependency.after;
    }
}

void LogGOPSimBinaryWriter::append_node(RankId rank, const RankGraph& graph, std::uint32_t index) {
    constexpr std::uint32_t largest = std::numeric_limits<std::uint8_t>::max();
    const Op& op = graph.ops[index];
    const bool is_calc = op.kind == OpKind::calc;
    const std::uint32_t nic = is_calc ? 0 : op.nic;
    if (op.cpu > largest || nic > largest) {
        throw InputError(
            Error{path_, 0, 0,
                  fmt::format("rank {}, operation {} ({}) uses cpu {} and nic {}: LogGOPSim's binary "
                              "format holds 0 to {}",
                              rank.value, index + 1, describe(op), op.cpu, nic, largest)});
    }
    const auto small_cpu = static_cast<std::uint8_t>(op.cpu);
    const auto small_nic = static_cast<std::uint8_t>(nic);
    max_cpu_ = std::max(max_cpu_, small_cpu);
    max_nic_ = std::max(max_nic_, small_nic);

    const Degrees& degrees = degrees_[index];
    append(degrees.in);
    append(is_calc ? type_calc : op.kind == OpKind::send ? type_send : type_recv);
    append(is_calc ? std::uint32_t{0} : op.peer);
    append(is_calc ? whole_nanoseconds(rank, graph, index, path_) : op.size);
    append(is_calc ? std::uint32_t{0} : op.tag);
    append(small_cpu);
    append(small_nic);
    append(degrees.requires_out);
    append(degrees.first);
    append(degrees.irequires_out);
    append(degrees.first + degrees.requires_out);
}

void LogGOPSimBinaryWriter::flush_ranges() {
    file_.write_at(header_bytes + range_bytes * first_range_, ranges_.data(), range_bytes * ranges_.size());
    first_range_ += static_cast<std::uint32_t>(ranges_.size());
    ranges_.clear();
}

void LogGOPSimBinaryWriter::finish() {
    flush_ranges();
    const std::uint8_t largest[] = {max_cpu_, max_nic_};
    file_.write_at(max_cpu_at, largest, sizeof largest);
    file_.commit();
}

} // namespace orrery
