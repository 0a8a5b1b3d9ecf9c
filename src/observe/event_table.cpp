#include "observe/event_table.h"

#include "engine/output_file.h"
#include "observe/exact_seconds.h"

#include <fmt/format.h>
#include <iterator>

namespace orrery {

namespace {

class EventTable {
  public:
    explicit EventTable(OutputFile& out) : out_(out) {
        out_.write("event,kind,rank,peer,bytes,start_s,end_s,cause,how,early\n");
    }

    void row(std::uint64_t number, std::string_view kind, const LoggedEvent& event) {
        row_.clear();
        const auto to = std::back_inserter(row_);
        fmt::format_to(to, "{},{},{},", number, kind, event.rank);
        if (of_a_message(event.kind)) fmt::format_to(to, "{},{}", event.peer, event.bytes);
        row_ += of_a_message(event.kind) ? "," : ",,";
        append_seconds(row_, event.start);
        row_ += ',';
        append_seconds(row_, event.end);
        row_ += ',';
        if (event.cause != no_event) fmt::format_to(to, "{}", event.cause);
        fmt::format_to(to, ",{},{}\n", name_of(event.how), event.early ? 1 : 0);
        out_.write(row_);
    }

  private:
    OutputFile& out_;
    std::string row_; // its memory is reused
};

} // namespace

bool is_event_table(const std::string& path) { return path.ends_with(".events.csv"); }

void write_events(const EventLog& log, const std::string& path) {
    OutputFile out(path);
    EventTable table(out);
    const std::uint64_t events = log.size();
    for (std::uint64_t number = 0; number < events; ++number) {
        const LoggedEvent event = log.read(static_cast<std::uint32_t>(number));
        table.row(number, name_of(event.kind), event);
    }
    for (std::uint32_t rank = 0; log.ended && rank < log.ends.size(); ++rank) {
        const EventLog::End& end = log.ends[rank];
        LoggedEvent last;
        last.rank = rank;
        last.start = last.end = end.time;
        last.cause = end.why.event;
        last.how = end.why.how;
        last.early = end.why.early;
        table.row(events + rank, "finish", last);
    }
    out.commit();
}

} // namespace orrery
