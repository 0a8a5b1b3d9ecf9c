#include "formats/paraver/prv_file.h"

#include "engine/error.h"
#include "formats/dimemas/scan.h"

#include <charconv>
#include <filesystem>
#include <fmt/format.h>

namespace orrery::dimemas {

namespace {

constexpr std::string_view prv_magic = "#Paraver";
constexpr std::uint32_t most_threads = 1U << 20;

} // namespace

bool looks_like_prv(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false;
    try {
        return ti::first_bytes(path, prv_magic.size()) == prv_magic;
    } catch (const InputError&) {
        return false;
    }
}

PrvFile::PrvFile(const std::string& path) : path_(path), stream_(ti::ByteStream::open(path)) {
    std::string_view line;
    if (!next_line(line) || !line.starts_with(prv_magic)) fail("expected #Paraver and the header of a trace");
    read_header(line);
    while (next_line(line)) {
        if (!line.starts_with("c:") && !line.starts_with("i:")) {
            kept_ = line;
            holds_ = true;
            break;
        }
        if (line.front() == 'c') read_communicator(line.substr(2));
    }
}

void PrvFile::fail(const std::string& reason) const { throw InputError(Error{path_, line_, 0, reason}); }

bool PrvFile::next_line(std::string_view& line) {
    while (true) {
        const std::size_t end = buffer_.find('\n', at_);
        if (end != std::string::npos || (ended_ && at_ < buffer_.size())) {
            const std::size_t behind = end == std::string::npos ? buffer_.size() : end + 1;
            line = std::string_view(buffer_).substr(at_, (end == std::string::npos ? behind : end) - at_);
            at_ = behind;
            ++line_;
            if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
            return true;
        }
        if (ended_) return false;
        buffer_.erase(0, at_);
        at_ = 0;
        const std::size_t used = buffer_.size();
        buffer_.resize(used + (std::size_t{256} << 10));
        const std::size_t got = stream_->read(buffer_.data() + used, buffer_.size() - used);
        buffer_.resize(used + got);
        ended_ = got == 0;
    }
}

// #Paraver (date):<end>[_ns]:<nodes>[(cpus)]:<applications>:<tasks>(<threads>:<node>,...)[,<communicators>]
void PrvFile::read_header(std::string_view line) {
    const std::size_t close = line.find("):");
    if (close == std::string_view::npos) fail("expected (date): in the header");
    std::string_view rest = line.substr(close + 2);
    std::int64_t end = 0;
    if (!take(rest, end)) fail("expected the end of the trace in the header");
    header_.unit = 1e-6;
    if (rest.starts_with("_ns")) {
        header_.unit = 1e-9;
    } else if (rest.starts_with("_ms")) {
        header_.unit = 1e-3;
    } else if (!rest.starts_with("_us") && !rest.starts_with(":")) {
        fail("expected _ns, _us or _ms behind the end of the trace");
    }
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos) fail("expected resources behind the end of the trace");
    rest.remove_prefix(colon + 1);
    std::uint64_t nodes = 0;
    if (!take(rest, nodes)) fail("expected the number of nodes in the header");
    if (take(rest, '(')) {
        const std::size_t bracket = rest.find(')');
        if (bracket == std::string_view::npos) fail("expected ) behind the processors of the nodes");
        rest.remove_prefix(bracket + 1);
    }
    std::uint32_t applications = 0;
    if (!take(rest, ':') || !take(rest, applications)) fail("expected the number of applications");
    if (applications != 1) fail(fmt::format("{} applications; expected a trace of one", applications));
    std::uint32_t tasks = 0;
    if (!take(rest, ':') || !take(rest, tasks) || tasks == 0 || tasks > line.size() || !take(rest, '('))
        fail("expected the number of tasks and a bracket in the header");
    header_.first_thread.assign(1, 0);
    for (std::uint32_t task = 0; task < tasks; ++task) {
        std::uint32_t threads = 0;
        std::uint32_t node = 0;
        if ((task > 0 && !take(rest, ',')) || !take(rest, threads) || threads == 0 || !take(rest, ':') ||
            !take(rest, node))
            fail("expected threads:node of each task in the header");
        if (threads > most_threads - header_.first_thread.back()) fail("too many threads");
        header_.threads.push_back(threads);
        header_.first_thread.push_back(header_.first_thread.back() + threads);
    }
    if (!take(rest, ')')) fail("expected ) behind the tasks in the header");
}

// <application>:<id>:<tasks>:<task>:<task>...
void PrvFile::read_communicator(std::string_view rest) {
    std::uint64_t application = 0;
    DimCommunicator communicator;
    std::uint64_t count = 0;
    if (!take(rest, application) || !take(rest, ':') || !take(rest, communicator.id) || !take(rest, ':') ||
        !take(rest, count) || count > header_.threads.size())
        fail("expected c:application:id:tasks:task:task... of a communicator");
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint32_t task = 0;
        if (!take(rest, ':') || !take(rest, task) || task == 0 || task > header_.threads.size())
            fail(
                fmt::format("expected {} tasks from 1 to {} in a communicator", count, header_.threads.size()));
        communicator.tasks.push_back(task - 1);
    }
    header_.communicators.push_back(std::move(communicator));
}

std::uint32_t PrvFile::thread_of(std::int64_t application, std::int64_t task, std::int64_t thread) const {
    if (application != 1) fail(fmt::format("application {}; expected 1", application));
    if (task < 1 || task > static_cast<std::int64_t>(header_.threads.size()) || thread < 1 ||
        thread > static_cast<std::int64_t>(header_.threads[static_cast<std::size_t>(task) - 1]))
        fail(fmt::format("there is no thread {} of task {}", thread, task));
    return header_.first_thread[static_cast<std::size_t>(task) - 1] + static_cast<std::uint32_t>(thread - 1);
}

void PrvFile::read_message(std::span<const std::int64_t> f, PrvRecord& record) {
    if (f.size() != 15) fail("expected 15 fields of a communication");
    record.kind = PrvRecord::Kind::message;
    record.thread = thread_of(f[2], f[3], f[4]);
    record.time = f[5];
    record.to_thread = thread_of(f[8], f[9], f[10]);
    record.receive_called = f[11];
    record.received = f[12];
    if (f[13] < 0) fail("expected the bytes of a communication");
    record.bytes = static_cast<Bytes>(f[13]);
    record.tag = f[14];
}

bool PrvFile::next(PrvRecord& record) {
    std::string_view line;
    while (true) {
        if (holds_) {
            holds_ = false;
            line = kept_;
        } else if (!next_line(line)) {
            return false;
        }
        if (line.empty() || line.front() == '#' || line.front() == 'c' || line.front() == 'i' ||
            line.front() == '4')
            continue;
        fields_.clear();
        for (std::string_view rest = line;;) {
            std::int64_t value = 0;
            if (!take(rest, value)) fail("expected numbers between colons");
            fields_.push_back(value);
            if (rest.empty()) break;
            if (!take(rest, ':')) fail("expected a colon between numbers");
        }
        const std::vector<std::int64_t>& f = fields_;
        if (f[0] == 1) {
            if (f.size() != 8) fail("expected 8 fields of a state");
            record.kind = PrvRecord::Kind::state;
            record.thread = thread_of(f[2], f[3], f[4]);
            record.time = f[5];
            record.end = f[6];
            record.state = static_cast<std::uint64_t>(f[7]);
        } else if (f[0] == 2) {
            if (f.size() < 8 || f.size() % 2 != 0) fail("expected types and values of events");
            record.kind = PrvRecord::Kind::events;
            record.thread = thread_of(f[2], f[3], f[4]);
            record.time = f[5];
            record.events.clear();
            for (std::size_t i = 6; i < f.size(); i += 2)
                record.events.emplace_back(static_cast<std::uint64_t>(f[i]),
                                           static_cast<std::uint64_t>(f[i + 1]));
        } else if (f[0] == 3) {
            read_message(f, record);
        } else {
            fail(fmt::format("record {}; expected 1 (state), 2 (events) or 3 (communication)", f[0]));
        }
        if (record.time < 0 || record.time > std::int64_t{1} << 60)
            fail("expected a time that is not negative");
        return true;
    }
}

} // namespace orrery::dimemas
