#include "formats/paraver/prv_translation.h"

#include "engine/error.h"
#include "formats/dimemas/dim_collectives.h"
#include "formats/dimemas/dim_writer.h"
#include "formats/paraver/paraver_events.h"
#include "formats/paraver/prv_file.h"
#include "formats/paraver/thread_spill.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <map>

namespace orrery::dimemas {

namespace {

struct Message {
    std::uint32_t from = 0; // threads
    std::uint32_t to = 0;
    std::int64_t sent = 0; // called
    std::int64_t receive_called = 0;
    std::int64_t received = 0;
    Bytes bytes = 0;
    std::int64_t tag = 0;
};

// What a collective call says of itself while it lasts.
struct CollectiveEvents {
    Bytes sent = 0;
    Bytes received = 0;
    bool root = false;
    std::int64_t communicator = 0;

    void take(std::uint64_t type, std::uint64_t value) {
        if (type == paraver_sent_bytes) sent = value;
        if (type == paraver_received_bytes) received = value;
        if (type == paraver_root) root = value == 1;
        if (type == paraver_communicator) communicator = static_cast<std::int64_t>(value);
    }
};

bool is_mpi(std::uint64_t type) { return type >= first_mpi_event && type <= last_mpi_event; }
bool is_counter(std::uint64_t type) { return type >= 42000000 && type < 43000000; } // of the hardware

class Translator {
  public:
    explicit Translator(const std::string& path) : path_(path) {}

    PrvTranslation run() {
        look_ahead();
        translate();
        return assemble();
    }

  private:
    struct Thread {
        std::uint32_t task = 0;
        std::uint32_t thread = 0; // in its task
        // Of the look ahead:
        std::vector<std::uint32_t> sends; // messages, by when they were called
        std::vector<std::uint32_t> receives;
        std::map<std::int64_t, std::uint32_t> reductions; // so far, by communicator
        // Of the call that it is in:
        const ParaverCall* call = nullptr;
        std::int64_t begin = 0;
        CollectiveEvents collective;
        // Of the translation:
        std::int64_t since = 0; // the end of its last call or event
        std::int64_t ran_until = 0;
        std::size_t next_send = 0;
        std::size_t next_receive = 0;
        std::vector<std::uint32_t> posted; // nonblocking receives, not waited for
        std::deque<DimRecord> collectives; // nonblocking ones, as the records that wait for them
    };

    // First pass: messages, and the roots of reductions, which only the root names.
    void look_ahead();
    void reduction(Thread& thread);
    // Second pass.
    void translate();
    void event(Thread& thread, std::int64_t time, std::uint64_t type, std::uint64_t value);
    void end_call(Thread& thread, std::int64_t time);
    void emit_messages(Thread& thread, std::int64_t until, RecordKind receive, bool blocking, bool rendezvous);
    void emit_waits(Thread& thread, std::int64_t until, ActionKind kind);
    void emit_collective(Thread& thread);
    void burst(Thread& thread, std::int64_t until);
    void emit(const Thread& thread, const DimRecord& record);
    DimRecord record_of(std::uint32_t message, RecordKind kind) const;
    PrvTranslation assemble();

    [[nodiscard]] std::size_t index(const Thread& thread) const {
        return static_cast<std::size_t>(&thread - threads_.data());
    }
    void begin_pass(const PrvHeader& header);

    std::string path_;
    PrvHeader header_;
    std::vector<Thread> threads_;
    std::vector<Message> messages_;
    std::map<std::pair<std::int64_t, std::uint32_t>, std::uint32_t> roots_; // of reductions: task
    std::int64_t first_message_number_ = 0;
    std::unique_ptr<ThreadSpill> spill_;
    std::uint64_t calls_ = 0;
    std::uint64_t stray_ = 0;                                  // messages outside their calls
    std::map<std::string_view, std::uint64_t> not_translated_; // calls
};

void Translator::begin_pass(const PrvHeader& header) {
    if (threads_.empty()) threads_.resize(header.first_thread.back());
    for (std::uint32_t task = 0; task < header.threads.size(); ++task) {
        for (std::uint32_t i = 0; i < header.threads[task]; ++i) {
            Thread& thread = threads_[header.first_thread[task] + i];
            thread.task = task;
            thread.thread = i;
            thread.call = nullptr;
            thread.collective = {};
            thread.reductions.clear();
        }
    }
}

void Translator::look_ahead() {
    PrvFile file(path_);
    header_ = file.header();
    begin_pass(header_);
    PrvRecord record;
    while (file.next(record)) {
        if (record.kind == PrvRecord::Kind::message) {
            const auto number = static_cast<std::uint32_t>(messages_.size());
            messages_.push_back({record.thread, record.to_thread, record.time, record.receive_called,
                                 record.received, record.bytes, record.tag});
            threads_[record.thread].sends.push_back(number);
            threads_[record.to_thread].receives.push_back(number);
        }
        if (record.kind != PrvRecord::Kind::events) continue;
        Thread& thread = threads_[record.thread];
        for (const auto& [type, value] : record.events) {
            if (!is_mpi(type)) {
                thread.collective.take(type, value);
            } else if (value == 0) {
                reduction(thread);
                thread.call = nullptr;
            } else {
                thread.call = paraver_call(value);
                thread.collective = {};
                ++calls_;
                // What stands beside the call in the same record belongs to it, wherever it stands.
                for (const auto& [other, what] : record.events) thread.collective.take(other, what);
            }
        }
    }
    if (calls_ == 0)
        throw InputError(
            Error{path_, 0, 0, "no MPI calls (events of type 50000001 to 50000005) in this trace"});
    for (Thread& thread : threads_) {
        std::stable_sort(thread.sends.begin(), thread.sends.end(), [&](std::uint32_t a, std::uint32_t b) {
            return messages_[a].sent < messages_[b].sent;
        });
        std::stable_sort(thread.receives.begin(), thread.receives.end(), [&](std::uint32_t a, std::uint32_t b) {
            return messages_[a].receive_called < messages_[b].receive_called;
        });
    }
    if (header_.communicators.empty()) {
        DimCommunicator all;
        all.id = 1;
        for (std::uint32_t task = 0; task < header_.threads.size(); ++task) all.tasks.push_back(task);
        header_.communicators.push_back(std::move(all));
    }
    for (const DimCommunicator& each : header_.communicators)
        first_message_number_ = std::max(first_message_number_, each.id + 1);
}

// How many reductions of its communicator the thread has called, and who said that it is the root.
void Translator::reduction(Thread& thread) {
    if (thread.call == nullptr || thread.call->kind != ActionKind::collective ||
        thread.call->collective != Collective::reduce)
        return;
    const std::uint32_t number = thread.reductions[thread.collective.communicator]++;
    if (thread.collective.root) roots_[{thread.collective.communicator, number}] = thread.task;
}

void Translator::translate() {
    PrvFile file(path_);
    begin_pass(header_);
    spill_ = std::make_unique<ThreadSpill>(threads_.size());
    PrvRecord record;
    while (file.next(record)) {
        if (record.kind == PrvRecord::Kind::state) {
            if (record.state == static_cast<std::uint64_t>(ParaverState::running))
                threads_[record.thread].ran_until = std::max(threads_[record.thread].ran_until, record.end);
            continue;
        }
        if (record.kind != PrvRecord::Kind::events) continue;
        Thread& thread = threads_[record.thread];
        for (const auto& [type, value] : record.events) {
            event(thread, record.time, type, value);
            if (!is_mpi(type) || value == 0) continue;
            for (const auto& [other, what] : record.events) thread.collective.take(other, what);
        }
        spill_->check(record.thread);
    }
    for (Thread& thread : threads_) {
        if (thread.call != nullptr) end_call(thread, std::max(thread.begin, thread.ran_until));
        burst(thread, thread.ran_until);
        const auto left = thread.sends.size() - thread.next_send + thread.receives.size() - thread.next_receive;
        stray_ += left;
        emit_messages(thread, std::int64_t{1} << 62, RecordKind::receive_no_wait, false, false);
    }
}

void Translator::emit(const Thread& thread, const DimRecord& record) {
    append_record(spill_->text(index(thread)), thread.task, thread.thread, record);
}

void Translator::burst(Thread& thread, std::int64_t until) {
    const bool first = spill_->text(index(thread)).empty() && thread.since == 0;
    if (until > thread.since || first) {
        DimRecord record;
        record.kind = RecordKind::burst;
        record.seconds = static_cast<double>(std::max<std::int64_t>(until - thread.since, 0)) * header_.unit;
        emit(thread, record);
    }
    thread.since = std::max(thread.since, until);
}

void Translator::event(Thread& thread, std::int64_t time, std::uint64_t type, std::uint64_t value) {
    DimRecord record;
    record.kind = RecordKind::event;
    record.type = type;
    record.value = value;
    if (!is_mpi(type)) {
        thread.collective.take(type, value);
        if (is_counter(type) || type == paraver_sent_bytes || type == paraver_received_bytes ||
            type == paraver_root || type == paraver_communicator)
            return;
        if (thread.call == nullptr) burst(thread, time);
        return emit(thread, record);
    }
    if (value != 0) {
        if (thread.call != nullptr) end_call(thread, time); // its end is missing
        burst(thread, time);
        thread.call = paraver_call(value);
        thread.begin = time;
        thread.collective = {};
        return emit(thread, record);
    }
    end_call(thread, time);
    emit(thread, record);
}

DimRecord Translator::record_of(std::uint32_t number, RecordKind kind) const {
    const Message& message = messages_[number];
    const Thread& peer = threads_[kind == RecordKind::send ? message.to : message.from];
    DimRecord record;
    record.kind = kind;
    record.peer = static_cast<std::int32_t>(peer.task);
    record.bytes = message.bytes;
    record.tag = message.tag;
    record.communicator = first_message_number_ + number;
    return record;
}

// All messages called until then: receives first, so that a thread can send to itself.
void Translator::emit_messages(Thread& thread, std::int64_t until, RecordKind receive, bool blocking,
                               bool rendezvous) {
    while (thread.next_receive < thread.receives.size()) {
        const std::uint32_t number = thread.receives[thread.next_receive];
        if (messages_[number].receive_called > until) break;
        ++thread.next_receive;
        emit(thread, record_of(number, receive));
        if (receive == RecordKind::receive_no_wait) thread.posted.push_back(number);
    }
    while (thread.next_send < thread.sends.size()) {
        const std::uint32_t number = thread.sends[thread.next_send];
        if (messages_[number].sent > until) break;
        ++thread.next_send;
        DimRecord record = record_of(number, RecordKind::send);
        record.immediate = !blocking;
        record.rendezvous = rendezvous;
        emit(thread, record);
    }
}

void Translator::emit_waits(Thread& thread, std::int64_t until, ActionKind kind) {
    const bool one = kind == ActionKind::wait || kind == ActionKind::wait_any;
    const bool all = kind == ActionKind::wait_all;
    const auto done = [&](std::uint32_t number) { return messages_[number].received <= until; };
    const auto done_here = [&](std::uint32_t number) {
        return done(number) && messages_[number].received >= thread.begin;
    };
    std::vector<std::uint32_t>& posted = thread.posted;
    const auto take = [&](auto at) {
        emit(thread, record_of(*at, RecordKind::wait));
        return posted.erase(at);
    };
    bool any = false;
    if (one) {
        auto at = std::find_if(posted.begin(), posted.end(), done_here);
        if (at == posted.end()) at = std::find_if(posted.begin(), posted.end(), done);
        if (at != posted.end()) {
            (void)take(at);
            any = true;
        }
    } else {
        for (auto at = posted.begin(); at != posted.end();) {
            const bool now = all ? done(*at) : done_here(*at);
            at = now ? take(at) : at + 1;
        }
    }
    if ((one && any) || (!one && !all)) return;
    while (!thread.collectives.empty()) {
        emit(thread, thread.collectives.front());
        thread.collectives.pop_front();
        if (one) break;
    }
}

void Translator::emit_collective(Thread& thread) {
    const ParaverCall& call = *thread.call;
    const std::optional<std::uint8_t> number = dim_number(call.collective);
    if (!number) {
        ++not_translated_[call.name];
        return;
    }
    DimRecord record;
    record.kind = RecordKind::collective;
    record.operation = *number;
    record.communicator = thread.collective.communicator;
    const bool known = std::any_of(header_.communicators.begin(), header_.communicators.end(),
                                   [&](const DimCommunicator& each) { return each.id == record.communicator; });
    if (!known) record.communicator = header_.communicators.front().id;
    record.peer_thread = 0;
    record.bytes = thread.collective.sent;
    record.bytes_received = thread.collective.received;
    record.peer = is_rooted(*number) && thread.collective.root ? 1 : 0;
    if (*number == dim_reduce) {
        const std::uint32_t count = thread.reductions[thread.collective.communicator]++;
        const auto root = roots_.find({thread.collective.communicator, count});
        record.peer = root == roots_.end() ? 0 : static_cast<std::int32_t>(root->second);
        if (!call.nonblocking) record.synchrony = Synchrony::root_only;
    }
    if (call.nonblocking) record.synchrony = Synchrony::nonblocking;
    emit(thread, record);
    if (!call.nonblocking) return;
    record.synchrony = Synchrony::waiting;
    thread.collectives.push_back(record);
}

void Translator::end_call(Thread& thread, std::int64_t time) {
    const ParaverCall* const call = thread.call;
    const ActionKind kind = call != nullptr && call->kind ? *call->kind : ActionKind::compute;
    switch (kind) {
    case ActionKind::send:
    case ActionKind::ssend:
    case ActionKind::isend:
    case ActionKind::issend:
        emit_messages(thread, time, RecordKind::receive_no_wait,
                      kind == ActionKind::send || kind == ActionKind::ssend,
                      kind == ActionKind::ssend || kind == ActionKind::issend);
        break;
    case ActionKind::recv: emit_messages(thread, time, RecordKind::receive, false, false); break;
    case ActionKind::sendrecv: {
        const std::size_t before = thread.posted.size();
        emit_messages(thread, time, RecordKind::receive_no_wait, false, false);
        for (std::size_t i = before; i < thread.posted.size(); ++i)
            emit(thread, record_of(thread.posted[i], RecordKind::wait));
        thread.posted.resize(before);
        break;
    }
    default: {
        const std::size_t before = thread.next_send + thread.next_receive;
        emit_messages(thread, time, RecordKind::receive_no_wait, false, false);
        const bool starts =
            call != nullptr && (kind == ActionKind::irecv || call->name.starts_with("MPI_Start"));
        if (!starts) stray_ += thread.next_send + thread.next_receive - before;
        const bool tests = call != nullptr && call->name.starts_with("MPI_Test");
        if (kind == ActionKind::wait || kind == ActionKind::wait_all || kind == ActionKind::wait_any ||
            kind == ActionKind::wait_some || tests)
            emit_waits(thread, time, tests ? ActionKind::wait_some : kind);
        if (kind == ActionKind::collective) emit_collective(thread);
        if (call != nullptr && (call->group == ParaverGroup::one_sided || call->group == ParaverGroup::io))
            ++not_translated_[call->name];
        break;
    }
    }
    thread.call = nullptr;
    thread.since = std::max(thread.since, time);
}

PrvTranslation Translator::assemble() {
    auto file = std::make_unique<ti::TemporaryFile>();
    const std::string name = path_.substr(path_.find_last_of('/') + 1);
    file->write(dim_header(name, header_.threads, header_.communicators, std::nullopt));
    for (std::size_t thread = 0; thread < threads_.size(); ++thread) spill_->give(thread, *file);
    file->flush();
    PrvTranslation result{DimFile::adopt(path_, std::move(file)), {}};
    if (stray_ > 0)
        result.notes.push_back(fmt::format(
            "{} ends of messages lie outside the calls that should have made them: taken as nonblocking",
            stray_));
    for (const auto& [call, count] : not_translated_)
        result.notes.push_back(fmt::format("{} calls of {} are left out", count, call));
    return result;
}

} // namespace

PrvTranslation translate_prv(const std::string& path) { return Translator(path).run(); }

} // namespace orrery::dimemas
