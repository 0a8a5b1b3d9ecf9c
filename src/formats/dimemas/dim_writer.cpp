#include "formats/dimemas/dim_writer.h"

#include <fmt/format.h>
#include <iterator>

namespace orrery::dimemas {

void append_record(std::string& to, std::uint32_t task, std::uint32_t thread, const DimRecord& record) {
    const auto out = std::back_inserter(to);
    switch (record.kind) {
    case RecordKind::nothing: fmt::format_to(out, "0:{}:{}\n", task, thread); break;
    case RecordKind::burst: fmt::format_to(out, "1:{}:{}:{:.12f}\n", task, thread, record.seconds); break;
    case RecordKind::gpu_burst: fmt::format_to(out, "11:{}:{}:{:.12f}\n", task, thread, record.seconds); break;
    case RecordKind::send:
        fmt::format_to(out, "2:{}:{}:{}:{}:{}:{}:{}:{}\n", task, thread, record.peer, record.peer_thread,
                       record.bytes, record.tag, record.communicator,
                       (record.rendezvous ? 1 : 0) + (record.immediate ? 2 : 0));
        break;
    case RecordKind::receive:
    case RecordKind::receive_no_wait:
    case RecordKind::wait:
        fmt::format_to(out, "3:{}:{}:{}:{}:{}:{}:{}:{}\n", task, thread, record.peer, record.peer_thread,
                       record.bytes, record.tag, record.communicator,
                       record.kind == RecordKind::receive           ? 0
                       : record.kind == RecordKind::receive_no_wait ? 1
                                                                    : 2);
        break;
    case RecordKind::collective:
        fmt::format_to(out, "10:{}:{}:{}:{}:{}:{}:{}:{}:{}\n", task, thread, record.operation,
                       record.communicator, record.peer, record.peer_thread < 0 ? 0 : record.peer_thread,
                       record.bytes, record.bytes_received, static_cast<int>(record.synchrony));
        break;
    case RecordKind::event:
        fmt::format_to(out, "20:{}:{}:{}:{}\n", task, thread, record.type,
                       static_cast<std::int64_t>(record.value));
        break;
    }
}

std::string dim_header(const std::string& name, std::span<const std::uint32_t> threads,
                       std::span<const DimCommunicator> communicators, std::optional<std::uint64_t> table) {
    std::string quoted = name;
    std::erase_if(quoted, [](char c) { return c == '"' || c == '\n' || c == '\r'; });
    std::string text =
        fmt::format("#DIMEMAS:\"{}\":{}:{}({}),{}\n", quoted, table ? fmt::format("1,{:020}", *table) : "0",
                    threads.size(), fmt::join(threads, ","), communicators.size());
    for (const DimCommunicator& each : communicators)
        text += fmt::format("d:1:{}:{}:{}\n", each.id, each.tasks.size(), fmt::join(each.tasks, ":"));
    return text;
}

DimWriter::DimWriter(const std::string& path, const std::string& name, std::vector<std::uint32_t> threads,
                     std::vector<DimCommunicator> communicators)
    : file_(path), name_(name), threads_(std::move(threads)), communicators_(std::move(communicators)),
      offsets_(threads_.size()) {
    file_.write(dim_header(name_, threads_, communicators_, 0));
}

void DimWriter::begin_thread(std::uint32_t task, std::uint32_t thread) {
    task_ = task;
    thread_ = thread;
    begun_ = false;
    offsets_[task].push_back(file_.position());
}

void DimWriter::record(const DimRecord& record) {
    line_.clear();
    const bool burst = record.kind == RecordKind::burst || record.kind == RecordKind::gpu_burst;
    if (!begun_ && !burst) {
        DimRecord first;
        first.kind = RecordKind::burst;
        append_record(line_, task_, thread_, first);
        ++records_;
    }
    begun_ = true;
    append_record(line_, task_, thread_, record);
    file_.write(line_);
    ++records_;
}

void DimWriter::finish() {
    const std::uint64_t table = file_.position();
    for (std::size_t task = 0; task < offsets_.size(); ++task)
        file_.write(fmt::format("s:{}:{}\n", task, fmt::join(offsets_[task], ":")));
    const std::string header = dim_header(name_, threads_, communicators_, table);
    file_.write_at(0, header.data(), header.size());
    file_.commit();
}

TiWritten write_dim(const DimFile& file, const std::string& path) {
    std::vector<std::uint32_t> threads;
    for (std::uint32_t task = 0; task < file.tasks(); ++task) threads.push_back(file.threads(task));
    DimWriter writer(path, file.name(), threads, file.communicators());
    for (std::uint32_t task = 0; task < file.tasks(); ++task) {
        for (std::uint32_t thread = 0; thread < file.threads(task); ++thread) {
            writer.begin_thread(task, thread);
            DimCursor cursor = file.begin(file.thread_of(task, thread));
            for (DimRecord record; file.next(cursor, record);) writer.record(record);
        }
    }
    writer.finish();
    return {writer.records(), writer.bytes()};
}

} // namespace orrery::dimemas
