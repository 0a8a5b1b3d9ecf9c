// A Dimemas machine and trace written in a test, and what comes out of them.
#pragma once

#include "drivers/dimemas/simulate.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace orrery::test {

// Files that are gone at the end of the test.
class DimemasFolder {
  public:
    DimemasFolder()
        : path_(std::filesystem::temp_directory_path() /
                fmt::format("orrery-dimemas-{}-{}", getpid(), next_++)) {
        std::filesystem::create_directories(path_);
    }
    DimemasFolder(const DimemasFolder&) = delete;
    DimemasFolder& operator=(const DimemasFolder&) = delete;
    ~DimemasFolder() { std::filesystem::remove_all(path_); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name) << text;
        return (path_ / name).string();
    }
    [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

  private:
    static inline int next_ = 0;
    std::filesystem::path path_;
};

// One cluster of equal nodes. Bandwidths are in 2^20 bytes per second, latencies in seconds.
struct MachineText {
    int nodes = 2;
    int cpus = 1;
    double speed = 1;
    double intra_latency = 0;
    double intra_bandwidth = 0;
    int intra_buses = 0;
    int intra_in = 0;
    int intra_out = 0;
    double latency = 1e-5;
    double bandwidth = 100;
    int buses = 0;
    int in = 1;
    int out = 1;
    int collectives = 3; // 1 constant, 2 linear, 3 logarithmic
    std::string mapping = "1 TASKS_PER_NODE";
    std::string more; // records
    std::string communications;

    [[nodiscard]] std::string text() const {
        return fmt::format(
            "#DIMEMAS_CONFIGURATION\n"
            "\"wide area network information\" {{\"\", 1, 0, 4, 0.0, 0.0, 1}};;\n"
            "\"environment information\" {{\"\", 0, \"\", {}, {}, {}, {}}};;\n"
            "\"multi node information\" {{0, {}, \"\", {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, 0.0}};;\n"
            "\"predefined mapping information\" {{\"{}\"}};;\n"
            "\"configuration files\" {{\"\", \"\", \"{}\", \"\"}};;\n{}",
            nodes, bandwidth, buses, collectives, nodes, cpus, speed, intra_latency, intra_bandwidth,
            intra_buses, intra_in, intra_out, latency, in, out, mapping, communications, more);
    }
};

// Records of tasks with one thread each, without "task:thread" behind their first field: "1:0.001".
inline std::string trace_text(const std::vector<std::vector<std::string>>& tasks,
                              const std::vector<std::string>& communicators = {}) {
    std::string ones;
    std::string all;
    for (std::size_t task = 0; task < tasks.size(); ++task) {
        ones += task == 0 ? "1" : ",1";
        all += fmt::format(":{}", task);
    }
    std::string text =
        fmt::format("#DIMEMAS:\"test\":0:{}({}),{}\n", tasks.size(), ones, communicators.size() + 1);
    text += fmt::format("d:1:1:{}{}\n", tasks.size(), all);
    for (const std::string& each : communicators) text += each + "\n";
    for (std::size_t task = 0; task < tasks.size(); ++task) {
        for (const std::string& record : tasks[task]) {
            const std::size_t colon = record.find(':');
            text += fmt::format("{}:{}:0:{}\n", record.substr(0, colon), task, record.substr(colon + 1));
        }
    }
    return text;
}

inline ReplayPrediction run_dimemas_text(const std::string& trace, const std::string& machine,
                                         const dimemas::SimulationOptions& options = {},
                                         const std::string& communications = {}) {
    const DimemasFolder folder;
    if (!communications.empty()) folder.write("models.comm", communications);
    return dimemas::simulate(dimemas::DimFile::open(folder.write("t.dim", trace)),
                             dimemas::read_configuration(folder.write("m.cfg", machine)), options);
}

} // namespace orrery::test
