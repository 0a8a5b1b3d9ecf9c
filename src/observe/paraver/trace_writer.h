// Writes a trace for Paraver: x.prv (the records), x.pcf (names and colours), x.row (labels of the rows).
//
// Records may be told in any order; the file has them by the first time in each, as Paraver wants it, through
// an external sort (RunSorter). Times are whole nanoseconds, rounded, so what lies within one nanosecond keeps
// the order in which it was told. The three files appear together, when the run is over.
#pragma once

#include "engine/ids.h"
#include "engine/output_file.h"
#include "engine/time.h"
#include "observe/run_sorter.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace orrery::paraver {

// Who a record is about, counted from 0 (the file counts from 1).
struct Entity {
    std::uint32_t application = 0;
    std::uint32_t task = 0;
    std::uint32_t thread = 0;
};

struct Colour {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;
};

struct StateName {
    std::uint32_t state = 0;
    std::string name;
    Colour colour;
};

struct EventName {
    std::uint32_t type = 0;
    std::string name;
    std::vector<std::pair<std::uint64_t, std::string>> values; // empty: any number
};

struct Legend {
    std::vector<StateName> states;
    std::vector<EventName> events;
};

// What the header and the row labels say.
struct Objects {
    struct Node {
        std::string name;
        std::uint32_t cpus = 1;
    };
    struct Task {
        std::string name;
        std::vector<std::string> threads; // labels, at least one
        std::uint32_t node = 0;           // in `nodes`
        std::uint32_t cpu = 0;            // counted from 1 over all nodes, of all threads; 0: unknown
        bool own_cpus = false;            // ... of the first thread; the others have those behind it
    };
    struct Application {
        std::string name;
        std::vector<Task> tasks;
        bool communicator = false; // one of all tasks is written
    };
    std::vector<Node> nodes; // none: tasks are not on nodes, and no CPU is known
    std::vector<Application> applications;
};

// Paraver's own table of states of an MPI process, with the colours that its users know.
std::span<const StateName> mpi_states();

class TraceWriter {
  public:
    // Throws UsageError if the name does not end in .prv, InputError if it cannot be written. `run_records` is
    // for tests.
    explicit TraceWriter(const std::string& path, std::size_t run_records = std::size_t{1} << 18);

    // A state of no length (in nanoseconds) is left out.
    void state(const Entity& who, Time begin, Time end, std::uint32_t state);
    void event(const Entity& who, Time time, std::uint32_t type, std::uint64_t value);
    struct Communication {
        Entity from;
        Time logical_send;
        Time physical_send;
        Entity to;
        Time logical_receive;
        Time physical_receive;
        Bytes bytes = 0;
        std::uint64_t tag = 0;
    };
    void communication(const Communication& what);

    // The run is over: the files appear. The trace ends at `end` or with its last record.
    void finish(const Objects& objects, const Legend& legend, Time end);

  private:
    enum class Kind : std::uint8_t { state, event, communication };
    struct Record {
        std::array<std::int64_t, 4> times{}; // ns
        std::uint64_t order = 0;             // set by the sorter
        std::uint64_t first = 0;             // state; type of event; bytes
        std::uint64_t second = 0;            // value of event; tag
        Entity who;
        Entity peer;
        Kind kind = Kind::state;

        bool operator<(const Record& other) const {
            return times[0] != other.times[0] ? times[0] < other.times[0] : order < other.order;
        }
    };
    void add(Record record);
    void write_header(const Objects& objects);
    void write_record(const Objects& objects, const Record& record);

    OutputFile prv_;
    OutputFile pcf_;
    OutputFile row_;
    RunSorter<Record> sorter_;
    std::int64_t end_ = 0;
    std::string line_; // being written; its memory is reused
};

// Throws UsageError if this is no name for a trace.
void check_trace_name(const std::string& path, const char* option);

// The text of the two files beside the trace.
std::string pcf_text(const Legend& legend);
std::string row_text(const Objects& objects);

} // namespace orrery::paraver
