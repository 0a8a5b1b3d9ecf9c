#include "observe/paraver/trace_writer.h"

#include "engine/error.h"

#include <fmt/format.h>
#include <iterator>

namespace orrery::paraver {

namespace {

std::int64_t nanoseconds(Time time) { return (time + Time::ps(500)).whole_ns(); }

// x.prv to x.pcf.
std::string beside(const std::string& path, const char* ending) {
    if (!path.ends_with(".prv")) throw UsageError(fmt::format("{}: expected a name that ends in .prv", path));
    return path.substr(0, path.size() - 4) + ending;
}

} // namespace

void check_trace_name(const std::string& path, const char* option) {
    if (!path.ends_with(".prv"))
        throw UsageError(fmt::format("{} {}: expected a name that ends in .prv", option, path));
}

TraceWriter::TraceWriter(const std::string& path, std::size_t run_records)
    : prv_(path), pcf_(beside(path, ".pcf")), row_(beside(path, ".row")), sorter_(path, run_records) {}

void TraceWriter::add(Record record) {
    for (const std::int64_t time : record.times) end_ = std::max(end_, time);
    sorter_.add(record);
}

void TraceWriter::state(const Entity& who, Time begin, Time end, std::uint32_t state) {
    if (nanoseconds(begin) == nanoseconds(end)) return;
    Record record;
    record.kind = Kind::state;
    record.times = {nanoseconds(begin), nanoseconds(end), 0, 0};
    record.who = who;
    record.first = state;
    add(record);
}

void TraceWriter::event(const Entity& who, Time time, std::uint32_t type, std::uint64_t value) {
    Record record;
    record.kind = Kind::event;
    record.times = {nanoseconds(time), 0, 0, 0};
    record.who = who;
    record.first = type;
    record.second = value;
    add(record);
}

void TraceWriter::communication(const Communication& what) {
    Record record;
    record.kind = Kind::communication;
    record.times = {nanoseconds(what.logical_send), nanoseconds(what.physical_send),
                    nanoseconds(what.logical_receive), nanoseconds(what.physical_receive)};
    record.who = what.from;
    record.peer = what.to;
    record.first = what.bytes;
    record.second = what.tag;
    add(record);
}

// The date is that of no run: the same input gives the same file.
void TraceWriter::write_header(const Objects& objects) {
    std::string text = fmt::format("#Paraver (01/01/70 at 00:00):{}_ns:", end_);
    const auto to = std::back_inserter(text);
    fmt::format_to(to, "{}", objects.nodes.size());
    for (std::size_t node = 0; node < objects.nodes.size(); ++node)
        fmt::format_to(to, "{}{}", node == 0 ? "(" : ",", objects.nodes[node].cpus);
    if (!objects.nodes.empty()) text += ')';
    fmt::format_to(to, ":{}", objects.applications.size());
    std::size_t communicators = 0;
    for (const Objects::Application& application : objects.applications) {
        if (application.communicator) ++communicators;
        fmt::format_to(to, ":{}", application.tasks.size());
        for (std::size_t task = 0; task < application.tasks.size(); ++task) {
            const Objects::Task& each = application.tasks[task];
            fmt::format_to(to, "{}{}:{}", task == 0 ? "(" : ",", each.threads.size(), each.node + 1);
        }
        text += ')';
    }
    if (communicators > 0) fmt::format_to(to, ",{}", communicators);
    text += '\n';
    for (std::size_t index = 0; index < objects.applications.size(); ++index) {
        const Objects::Application& application = objects.applications[index];
        if (!application.communicator) continue;
        fmt::format_to(to, "c:{}:1:{}", index + 1, application.tasks.size());
        for (std::size_t task = 0; task < application.tasks.size(); ++task) fmt::format_to(to, ":{}", task + 1);
        text += '\n';
    }
    prv_.write(text);
}

void TraceWriter::write_record(const Objects& objects, const Record& record) {
    line_.clear();
    const auto to = std::back_inserter(line_);
    const auto entity = [&](const Entity& who) {
        const Objects::Task& task = objects.applications[who.application].tasks[who.task];
        fmt::format_to(to, ":{}:{}:{}:{}", task.cpu + (task.own_cpus ? who.thread : 0), who.application + 1,
                       who.task + 1, who.thread + 1);
    };
    switch (record.kind) {
    case Kind::state:
        line_ = "1";
        entity(record.who);
        fmt::format_to(to, ":{}:{}:{}\n", record.times[0], record.times[1], record.first);
        break;
    case Kind::event:
        line_ = "2";
        entity(record.who);
        fmt::format_to(to, ":{}:{}:{}\n", record.times[0], record.first, record.second);
        break;
    case Kind::communication:
        line_ = "3";
        entity(record.who);
        fmt::format_to(to, ":{}:{}", record.times[0], record.times[1]);
        entity(record.peer);
        fmt::format_to(to, ":{}:{}:{}:{}\n", record.times[2], record.times[3], record.first, record.second);
        break;
    }
    prv_.write(line_);
}

void TraceWriter::finish(const Objects& objects, const Legend& legend, Time end) {
    end_ = std::max(end_, nanoseconds(end));
    write_header(objects);
    sorter_.drain([&](const Record& record) { write_record(objects, record); });
    pcf_.write(pcf_text(legend));
    row_.write(row_text(objects));
    pcf_.commit();
    row_.commit();
    prv_.commit();
}

} // namespace orrery::paraver
