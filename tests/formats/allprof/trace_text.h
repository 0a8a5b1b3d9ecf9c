// Traces written line by line, and graphs as text, for tests.
#pragma once

#include "engine/error.h"
#include "formats/allprof/trace.h"

#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::allprof_test {

// The trace of one rank. Each call starts 10 us after the end of the one before and takes 2 us.
class RankText {
  public:
    RankText(std::uint32_t rank, std::uint32_t ranks, std::uint64_t handle = 7'000'000)
        : world_(fmt::format("{},{},{}", handle, rank, ranks)) {
        text_ = "# a trace\n\nMPI_Init:-:1:2:100\n";
    }

    [[nodiscard]] const std::string& world() const { return world_; }
    RankText& call(std::string_view name, std::string_view arguments) {
        text_ += fmt::format("MPI_{}:{}{}{}:{}\n", name, now_ + 10, arguments.empty() ? "" : ":", arguments,
                             now_ + 12);
        now_ += 12;
        return *this;
    }
    RankText& raw(std::string_view line) {
        text_ += std::string(line) + "\n";
        return *this;
    }
    // One-byte elements on `comm`.
    RankText& send(std::uint32_t to, std::uint64_t bytes, int tag, std::string_view comm = {}) {
        return call("Send", fmt::format("1:{}:13,1,1:{}:{}:{}", bytes, to, tag, on(comm)));
    }
    RankText& recv(int from, std::uint64_t bytes, int tag, std::string_view comm = {}) {
        return call("Recv", fmt::format("1:{}:13,1,1:{}:{}:{}:0", bytes, from, tag, on(comm)));
    }
    RankText& isend(std::uint32_t to, std::uint64_t bytes, int tag, std::uint64_t request) {
        return call("Isend", fmt::format("1:{}:13,1,1:{}:{}:{}:{}", bytes, to, tag, world_, request));
    }
    RankText& irecv(int from, std::uint64_t bytes, int tag, std::uint64_t request) {
        return call("Irecv", fmt::format("1:{}:13,1,1:{}:{}:{}:{}", bytes, from, tag, world_, request));
    }
    RankText& wait(std::uint64_t request) { return call("Wait", fmt::format("{}:0", request)); }
    RankText& waitall(unsigned count, std::uint64_t requests) {
        return call("Waitall", fmt::format("{}:{}:0", count, requests));
    }
    RankText& barrier(std::string_view comm = {}) { return call("Barrier", on(comm)); }

    [[nodiscard]] std::string finish() const {
        return text_ + fmt::format("# Finalize clockdiff: 0.000000\nMPI_Finalize:{}:-\n", now_ + 10);
    }
    [[nodiscard]] const std::string& text() const { return text_; } // without MPI_Finalize

  private:
    [[nodiscard]] std::string_view on(std::string_view comm) const { return comm.empty() ? world_ : comm; }

    std::string world_;
    std::string text_;
    std::uint64_t now_ = 100;
};

inline RankGraph program(const AllprofTrace& trace, std::uint32_t rank, std::uint32_t total = 0) {
    RankGraph graph;
    if (total == 0) total = trace.ranks();
    trace.program(RankId{rank}, total, graph);
    EXPECT_NO_THROW(check_rank(graph, RankId{rank}, total, "program"));
    return graph;
}

inline AllprofTrace read(const std::vector<std::string>& files, const AllprofOptions& options = {}) {
    return AllprofTrace::from_memory(files, options);
}

// One operation per line: "0: send 8 to 1 tag 3 | 1 4i": waits for the end of 1 and for the start of 4.
// Computations are in microseconds.
inline std::string dump(const RankGraph& graph) {
    std::string out;
    for (std::uint32_t i = 0; i < graph.ops.size(); ++i) {
        const Op& op = graph.ops[i];
        if (op.kind == OpKind::calc) {
            out += fmt::format("{}: calc {}", i, static_cast<double>(op.size) * 1e-6);
            if (op.cpu != 0) out += fmt::format(" cpu {}", op.cpu);
        } else {
            out += fmt::format("{}: {} {} {} {} tag {}", i, op.kind == OpKind::send ? "send" : "recv", op.size,
                               op.kind == OpKind::send ? "to" : "from",
                               op.peer == any_source ? "any" : std::to_string(op.peer), op.tag);
        }
        std::string waits;
        for (const Dependency& dependency : graph.dependencies) {
            if (dependency.after != i) continue;
            waits += fmt::format(" {}{}", dependency.before, dependency.on_start ? "i" : "");
        }
        out += (waits.empty() ? "" : " |" + waits) + "\n";
    }
    return out;
}

// What the call throws, in words; empty if nothing.
template <typename Call> std::string error_of(Call&& call) {
    try {
        call();
    } catch (const InputError& error) {
        return error.what();
    } catch (const UsageError& error) {
        return error.what();
    }
    return {};
}

inline std::string read_error(const std::vector<std::string>& files, const AllprofOptions& options = {}) {
    return error_of([&] { read(files, options); });
}

} // namespace orrery::allprof_test
