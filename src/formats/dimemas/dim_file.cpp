#include "formats/dimemas/dim_file.h"

#include "engine/error.h"
#include "formats/dimemas/scan.h"
#include "formats/ti/byte_stream.h"
#include "workload/op.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

namespace orrery::dimemas {

namespace {

constexpr std::string_view dim_magic = "#DIMEMAS:";
constexpr std::uint64_t nowhere = ~std::uint64_t{0};

std::unique_ptr<ti::TemporaryFile> unpack(const std::string& path) {
    auto file = std::make_unique<ti::TemporaryFile>();
    const std::unique_ptr<ti::ByteStream> stream = ti::ByteStream::open(path);
    std::vector<char> piece(std::size_t{64} << 10);
    while (const std::size_t got = stream->read(piece.data(), piece.size())) file->write({piece.data(), got});
    file->flush();
    return file;
}

} // namespace

std::uint32_t DimCommunicator::rank_of(std::uint32_t task) const {
    const auto found = std::find(tasks.begin(), tasks.end(), task);
    return found == tasks.end() ? any_source : static_cast<std::uint32_t>(found - tasks.begin());
}

bool DimFile::is_world(std::uint32_t communicator) const {
    const std::vector<std::uint32_t>& members = communicators_[communicator].tasks;
    if (members.size() != tasks()) return false;
    for (std::uint32_t rank = 0; rank < tasks(); ++rank) {
        if (members[rank] != rank) return false;
    }
    return true;
}

bool looks_like_dim(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false;
    try {
        return ti::first_bytes(path, dim_magic.size()) == dim_magic;
    } catch (const InputError&) {
        return false;
    }
}

DimFile DimFile::open(const std::string& path) {
    DimFile file;
    file.path_ = path;
    if (ti::packing_of_file(path) != ti::Packing::plain) file.unpacked_ = unpack(path);
    return read(std::move(file));
}

DimFile DimFile::adopt(const std::string& path, std::unique_ptr<ti::TemporaryFile> made) {
    DimFile file;
    file.path_ = path;
    file.unpacked_ = std::move(made);
    return read(std::move(file));
}

DimFile DimFile::read(DimFile file) {
    file.file_ = std::make_unique<MappedFile>(file.unpacked_ ? file.unpacked_->path() : file.path_);
    const std::span<const std::byte> bytes = file.file_->bytes();
    file.text_ = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    const std::uint64_t table = file.read_header();
    if (table != nowhere) {
        file.find_by_table(table);
    } else {
        file.find_by_reading(file.body_);
    }
    return file;
}

std::string_view DimFile::line(std::uint64_t offset) const {
    std::string_view rest = text_.substr(offset);
    rest = rest.substr(0, rest.find('\n'));
    if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
    return rest;
}

std::uint64_t DimFile::line_at(std::uint64_t offset) const {
    const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(offset, text_.size()));
    return 1 + static_cast<std::uint64_t>(std::count(text_.begin(), end, '\n'));
}

void DimFile::fail(std::uint64_t offset, const std::string& reason) const {
    throw InputError(Error{path_, line_at(offset), 0, reason});
}

// #DIMEMAS:"name":1,<offset>:<tasks>(<threads>,...),<communicators>[,<accelerators>...]
// Gives where the table of offsets stands.
std::uint64_t DimFile::read_header() {
    std::string_view rest = line(0);
    const std::uint64_t length = rest.size();
    const auto expected = [&](const char* what) { fail(0, fmt::format("expected {} in the header", what)); };
    if (!rest.starts_with(dim_magic)) expected("#DIMEMAS:");
    rest.remove_prefix(dim_magic.size());
    if (take(rest, '"')) {
        const std::size_t end = rest.find('"');
        if (end == std::string_view::npos) expected("a closing quote behind the name");
        name_ = rest.substr(0, end);
        rest.remove_prefix(end + 1);
    } else {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        name_ = rest.substr(0, end);
        rest.remove_prefix(end);
    }
    std::uint32_t with_table = 0;
    std::uint64_t table = nowhere;
    if (!take(rest, ':') || !take(rest, with_table) || with_table > 1)
        expected("0, or 1 and the offset of the table");
    if (take(rest, ',') && !take(rest, table)) expected("the offset of the table");
    if (with_table == 0) table = nowhere;
    if (with_table == 1 && table == nowhere) expected("the offset of the table");
    std::uint32_t tasks = 0;
    if (!take(rest, ':') || !take(rest, tasks) || tasks == 0 || tasks >= max_ranks || !take(rest, '('))
        expected("the number of tasks and a bracket");
    if (tasks > text_.size()) expected("no more tasks than the file has bytes");
    first_thread_.assign(1, 0);
    first_thread_.reserve(std::size_t{tasks} + 1);
    for (std::uint32_t task = 0; task < tasks; ++task) {
        std::uint32_t threads = 0;
        if ((task > 0 && !take(rest, ',')) || !take(rest, threads) || threads == 0 || threads > text_.size())
            expected("the number of threads of each task");
        const std::uint64_t sum = std::uint64_t{first_thread_.back()} + threads;
        if (sum > max_ranks || sum > text_.size()) expected("fewer threads");
        first_thread_.push_back(static_cast<std::uint32_t>(sum));
    }
    std::uint64_t communicators = 0;
    if (!take(rest, ')') || !take(rest, ',') || !take(rest, communicators))
        expected("the number of communicators");
    body_ = read_communicators(std::min<std::uint64_t>(length + 1, text_.size()), communicators);
    return table;
}

std::uint64_t DimFile::read_communicators(std::uint64_t offset, std::uint64_t count) {
    // A header may end in \r\n: stand at the line behind it.
    while (offset < text_.size() && text_[offset - 1] != '\n') ++offset;
    while (offset < text_.size()) {
        std::string_view fields = line(offset);
        const std::uint64_t behind = std::min<std::uint64_t>(
            text_.find('\n', offset) == std::string_view::npos ? text_.size() : text_.find('\n', offset) + 1,
            text_.size());
        if (!fields.empty() && fields.front() != 'd') break;
        if (fields.starts_with("d:1:")) {
            add_communicator(offset, fields.substr(4));
        } else if (!fields.empty() && !fields.starts_with("d:2:") && !fields.starts_with("d:3:")) {
            fail(offset, "expected d:1 (communicator), d:2 (file) or d:3 (window)");
        }
        offset = behind;
    }
    if (communicators_.size() < count)
        fail(offset, fmt::format("{} communicators are defined; expected {}, as the header says",
                                 communicators_.size(), count));
    return offset;
}

void DimFile::add_communicator(std::uint64_t offset, std::string_view fields) {
    DimCommunicator communicator;
    std::uint64_t count = 0;
    if (!take(fields, communicator.id) || !take(fields, ':') || !take(fields, count) || count > tasks())
        fail(offset, "expected d:1:id:tasks:task:task... of a communicator");
    std::vector<bool> seen(tasks());
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint32_t task = 0;
        if (!take(fields, ':') || !take(fields, task) || task >= tasks() || seen[task])
            fail(offset, fmt::format("expected {} different tasks below {} in a communicator", count, tasks()));
        seen[task] = true;
        communicator.tasks.push_back(task);
    }
    if (!fields.empty()) fail(offset, fmt::format("expected {} tasks in the communicator, not more", count));
    const auto place = static_cast<std::uint32_t>(communicators_.size());
    if (!communicator_index_.emplace(communicator.id, place).second)
        fail(offset, fmt::format("communicator {} is defined twice", communicator.id));
    communicators_.push_back(std::move(communicator));
}

// s:<task>:<offset of thread 0>:<offset of thread 1>...
void DimFile::find_by_table(std::uint64_t table) {
    if (table >= text_.size() || (table > 0 && text_[table - 1] != '\n'))
        fail(0, fmt::format("the table of offsets is said to stand at byte {}, where no line begins", table));
    begins_.resize(threads());
    std::uint64_t offset = table;
    for (std::uint32_t task = 0; task < tasks(); ++task) {
        std::string_view fields = offset < text_.size() ? line(offset) : std::string_view();
        std::uint32_t found = 0;
        if (!take(fields, 's') || !take(fields, ':') || !take(fields, found) || found != task)
            fail(offset, fmt::format("expected s:{}:offset of each thread", task));
        for (std::uint32_t thread = 0; thread < threads(task); ++thread) {
            std::uint64_t at = 0;
            if (!take(fields, ':') || !take(fields, at) || at < body_ || at > table || text_[at - 1] != '\n')
                fail(offset, fmt::format("expected the byte where thread {} of task {} begins", thread, task));
            begins_[thread_of(task, thread)] = {at, task, thread};
        }
        const std::size_t end = text_.find('\n', offset);
        offset = end == std::string_view::npos ? text_.size() : end + 1;
    }
    // A thread without records stands where the next one begins, or the table.
    for (std::size_t i = 0; i < begins_.size(); ++i) {
        const DimCursor& each = begins_[i];
        DimLine split;
        const bool own = split_line(line(each.offset), split) == nullptr && split.task == each.task &&
                         split.thread == each.thread;
        const std::uint64_t next = i + 1 < begins_.size() ? begins_[i + 1].offset : table;
        if (!own && each.offset != next)
            fail(each.offset,
                 fmt::format("expected a record of thread {} of task {}, as the table of offsets says",
                             each.thread, each.task));
    }
}

void DimFile::find_by_reading(std::uint64_t offset) {
    begins_.resize(threads());
    for (std::uint32_t task = 0; task < tasks(); ++task) {
        for (std::uint32_t thread = 0; thread < threads(task); ++thread)
            begins_[thread_of(task, thread)] = {text_.size(), task, thread};
    }
    std::uint32_t last = ~std::uint32_t{0};
    while (offset < text_.size()) {
        const std::string_view record = line(offset);
        if (record.starts_with("s:")) break;
        if (!record.empty() && record.front() != '#') {
            DimLine split;
            if (const char* const fault = split_line(record, split)) fail(offset, fault);
            if (split.task >= tasks() || split.thread >= threads(split.task))
                fail(offset, fmt::format("there is no thread {} of task {}", split.thread, split.task));
            const std::uint32_t thread = thread_of(split.task, split.thread);
            if (thread != last) {
                if (begins_[thread].offset != text_.size())
                    fail(offset, fmt::format("records of thread {} of task {} in two places; expected them "
                                             "together",
                                             split.thread, split.task));
                begins_[thread].offset = offset;
                last = thread;
            }
        }
        const std::size_t end = text_.find('\n', offset);
        offset = end == std::string_view::npos ? text_.size() : end + 1;
    }
}

bool DimFile::next(DimCursor& cursor, DimRecord& record) const {
    while (cursor.offset < text_.size()) {
        const char* const begin = text_.data() + cursor.offset;
        const auto* const found =
            static_cast<const char*>(std::memchr(begin, '\n', text_.size() - cursor.offset));
        const char* const end = found != nullptr ? found : text_.data() + text_.size();
        std::string_view text(begin, static_cast<std::size_t>(end - begin));
        if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
        const std::uint64_t behind = cursor.offset + static_cast<std::uint64_t>(end - begin) + 1;
        if (text.empty() || text.front() == '#') {
            cursor.offset = behind;
            continue;
        }
        if (text.front() == 's') return false;
        DimLine split;
        if (const char* const fault = split_line(text, split)) fail(cursor.offset, fault);
        if (split.task != cursor.task || split.thread != cursor.thread) {
            if (split.task >= tasks() || split.thread >= threads(split.task))
                fail(cursor.offset, fmt::format("there is no thread {} of task {}", split.thread, split.task));
            return false;
        }
        if (const char* const fault = read_record(split, record)) fail(cursor.offset, fault);
        if (record.kind != RecordKind::collective && record.peer >= 0 &&
            static_cast<std::uint32_t>(record.peer) >= tasks())
            fail(cursor.offset, fmt::format("a message with task {}; there are {}", record.peer, tasks()));
        cursor.offset = behind;
        return true;
    }
    return false;
}

} // namespace orrery::dimemas
