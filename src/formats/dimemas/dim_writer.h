// Writes Dimemas traces (.dim): records, thread after thread, and the table of offsets that Dimemas needs.
#pragma once

#include "engine/output_file.h"
#include "formats/dimemas/dim_file.h"
#include "formats/export/left_out.h"
#include "formats/ti/writers.h"
#include "workload/action.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orrery::dimemas {

// One record as its line. Times have nine or more decimals, so that they read back exactly.
void append_record(std::string& to, std::uint32_t task, std::uint32_t thread, const DimRecord& record);
// The lines before the records; `table` is where that of offsets stands, or none.
std::string dim_header(const std::string& name, std::span<const std::uint32_t> threads,
                       std::span<const DimCommunicator> communicators, std::optional<std::uint64_t> table);

class DimWriter {
  public:
    // `threads` of each task. Throws InputError if the file cannot be written.
    DimWriter(const std::string& path, const std::string& name, std::vector<std::uint32_t> threads,
              std::vector<DimCommunicator> communicators);

    // Threads in the order of tasks; each begins with a burst, of no time if need be.
    void begin_thread(std::uint32_t task, std::uint32_t thread);
    void record(const DimRecord& record);
    void finish();
    [[nodiscard]] std::uint64_t records() const { return records_; }
    [[nodiscard]] std::uint64_t bytes() const { return file_.position(); }

  private:
    OutputFile file_;
    std::string name_;
    std::vector<std::uint32_t> threads_;
    std::vector<DimCommunicator> communicators_;
    std::vector<std::vector<std::uint64_t>> offsets_;
    std::string line_;
    std::uint64_t records_ = 0;
    std::uint32_t task_ = 0;
    std::uint32_t thread_ = 0;
    bool begun_ = false;
};

// Another trace of that kind: unpacked, with a table.
TiWritten write_dim(const DimFile& file, const std::string& path);

} // namespace orrery::dimemas

namespace orrery {

// What a .dim cannot say as the trace does, counted.
struct DimNotes {
    std::uint64_t choices = 0;    // waits for any of several requests: taken as the first of them
    std::uint64_t probes = 0;     // left out
    std::uint64_t tests = 0;      // left out
    std::uint64_t any_source = 0; // Dimemas itself cannot simulate them
    std::uint64_t exscans = 0;    // written as scans
    std::uint64_t neighbours = 0; // collectives of neighbours: left out
    LeftOut left_out;
    [[nodiscard]] std::vector<std::string> words() const;
};

// Any actions; `speed` is the volume per second of a burst. `again` gives the same actions once more.
TiWritten write_dim(ActionSource& source, ActionSource& again, const std::string& path, const std::string& name,
                    double speed, DimNotes& notes);

} // namespace orrery
