#include "observe/event_table.h"

#include "engine/output_file.h"
#include "observe/exact_seconds.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace orrery {

namespace {

class EventTable {
  public:
    explicit EventTable(OutputFile& out) : out_(out) {
        out_.write("event,kind,rank,peer,bytes,start_s,end_s,cause,how,early\n");
    }

    void row(std::uint64_t number, std::string_view kind, const LoggedEvent& event) {
        at_ = row_.data();
        put(number);
        put(kind);
        put(event.rank);
        if (of_a_message(event.kind)) {
            put(event.peer);
            put(event.bytes);
        } else {
            put(",");
        }
        put(event.start);
        put(event.end);
        if (event.cause == no_event) {
            put("");
        } else {
            put(event.cause);
        }
        put(name_of(event.how));
        put(event.early ? "1" : "0");
        at_[-1] = '\n';
        out_.write(row_.data(), static_cast<std::size_t>(at_ - row_.data()));
    }

  private:
    // A column, and the comma behind it.
    void put(std::uint64_t number) {
        at_ = put_number(at_, number);
        *at_++ = ',';
    }
    void put(std::string_view word) {
        at_ = std::copy(word.begin(), word.end(), at_);
        *at_++ = ',';
    }
    void put(Time time) {
        at_ = put_seconds(at_, time);
        *at_++ = ',';
    }

    OutputFile& out_;
    std::array<char, 256> row_{}; // ten columns of at most 20 digits, but for the times
    char* at_ = nullptr;
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
