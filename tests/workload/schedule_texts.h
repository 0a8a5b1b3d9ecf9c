// Small helpers for tests of the schedule formats.
#pragma once

#include "engine/error.h"
#include "formats/goal/goal_text_reader.h"
#include "places.h"
#include "reference/schedules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace orrery {

inline std::vector<RankGraph> read_text(std::string_view text, std::size_t window = TextInput::default_window) {
    reference::GraphCollector collector;
    TextInput input = TextInput::from_memory(text, "test.goal", window);
    read_goal_text(input, collector);
    return collector.ranks;
}

// The only rank of a schedule of `ranks` ranks that does something.
inline RankGraph read_rank(const std::string& statements, int ranks = 4) {
    std::string text = "num_ranks " + std::to_string(ranks) + "\nrank 0 {\n" + statements + "\n}\n";
    for (int rank = 1; rank < ranks; ++rank) text += "rank " + std::to_string(rank) + " { }\n";
    return read_text(text).front();
}

// What the reader or writer complains about.
inline Error error_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const InputError& error) {
        return error.error();
    }
    return {"", 0, 0, "no error"};
}

inline void expect_same(const std::vector<RankGraph>& expected, const std::vector<RankGraph>& found) {
    ASSERT_EQ(expected.size(), found.size());
    for (std::size_t rank = 0; rank < expected.size(); ++rank) {
        EXPECT_EQ(expected[rank].ops, found[rank].ops) << "rank " << rank;
        EXPECT_EQ(expected[rank].dependencies, found[rank].dependencies) << "rank " << rank;
    }
}

// Anything that all formats can hold: whole nanoseconds, CPUs and NICs up to 255, no cycle.
inline std::vector<RankGraph> random_ranks(std::mt19937_64& random) {
    const auto below = [&random](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
    std::vector<RankGraph> ranks(below(6) + 1);
    const auto count = static_cast<std::uint32_t>(ranks.size());
    for (std::uint32_t rank = 0; rank < count; ++rank) {
        RankGraph& graph = ranks[rank];
        const std::uint32_t size = rank == 0 ? below(200) + 1 : below(60); // at least one operation in all
        for (std::uint32_t i = 0; i < size; ++i) {
            const std::uint32_t cpu = below(3) == 0 ? below(256) : 0;
            const std::uint32_t nic = below(3) == 0 ? below(256) : 0;
            const std::uint64_t bytes = random() >> (2 + below(62));
            switch (below(4)) {
            case 0: graph.add(calc_op(bytes / 1000 * 1000, cpu)); break;
            case 1: graph.add(recv_op(any_source, bytes, below(2) == 0 ? any_tag : 3, cpu, nic)); break;
            case 2: graph.add(recv_op(below(count), bytes, below(9), cpu, nic)); break;
            default: graph.add(send_op(below(count), bytes, below(any_tag), cpu, nic));
            }
        }
        for (std::uint32_t i = below(2 * size + 1); i > 0 && size > 1; --i) {
            const std::uint32_t after = 1 + below(size - 1);
            graph.dependencies.push_back({below(after), after, below(3) == 0});
        }
        if (below(4) == 0) { // the same graph with the operations the other way round
            std::reverse(graph.ops.begin(), graph.ops.end());
            for (Dependency& dependency : graph.dependencies) {
                dependency = {size - 1 - dependency.before, size - 1 - dependency.after, dependency.on_start};
            }
        }
    }
    return ranks;
}

inline void feed(const std::vector<RankGraph>& ranks, ScheduleSink& sink) {
    sink.begin(static_cast<std::uint32_t>(ranks.size()));
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) sink.rank(RankId{rank}, ranks[rank]);
    sink.finish();
}

// A directory of its own for each test, removed afterwards.
class TemporaryDirectory {
  public:
    TemporaryDirectory() {
        std::string pattern = (std::filesystem::temp_directory_path() / "orrery-test-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
        path_ = pattern;
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory() { std::filesystem::remove_all(path_); }

    [[nodiscard]] std::string operator/(std::string_view name) const { return (path_ / name).string(); }
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
    }

  private:
    std::filesystem::path path_;
};

inline std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void put(const std::string& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

struct Answer {
    std::string text; // stdout and stderr
    int status = -1;
};

inline Answer run_program(const std::string& arguments) {
    Answer answer;
    FILE* pipe = ::popen((orrery_program() + " " + arguments + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return answer;
    char buffer[4096];
    for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
        answer.text.append(buffer, got);
    const int status = ::pclose(pipe);
    answer.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return answer;
}

} // namespace orrery
