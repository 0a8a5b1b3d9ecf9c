#include "trace/writer.h"

#include "trace/buffer_record.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace orrery::trace {

namespace {

constexpr std::size_t segment_bytes = std::size_t{64} << 10;
constexpr std::uint32_t segment_actions = 32768;
constexpr std::chrono::milliseconds segment_time{2000};
constexpr std::size_t stack_bytes = std::size_t{256} << 10;

} // namespace

Writer::Writer(WriterTarget target, Buffers& buffers, std::atomic<bool>& recording)
    : target_(std::move(target)), buffers_(buffers), recording_(recording), encoder_(target_.timed),
      blocks_(target_.run, target_.rank) {}

Writer::~Writer() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

std::string Writer::open(std::string_view begin) {
    descriptor_ = ::open(target_.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
        return errno == EEXIST ? target_.path + " is there already, from another run"
                               : target_.path + ": " + std::strerror(errno);
    }
    append(recorded::BlockKind::begin, begin);
    return failed_ ? target_.path + ": cannot be written" : "";
}

bool Writer::start() noexcept {
    timeline_.begin();
    last_cut_ = std::chrono::steady_clock::now();
    // The program's signals are for the program's threads.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    int error = pthread_create(&thread_, &attributes, main, this);
    if (error != 0) { // thread-local variables of the program may not fit into a small stack
        error = pthread_create(&thread_, nullptr, main, this);
    }
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return error == 0;
}

void* Writer::main(void* self) {
    pthread_setname_np(pthread_self(), "orrery-trace");
    auto& writer = *static_cast<Writer*>(self);
    try {
        writer.run();
    } catch (const std::exception& error) { // no memory
        writer.fail(error.what());
    }
    // After a failure: the program must not wait for a buffer that nobody empties.
    std::span<const std::byte> records;
    for (;;) {
        const Buffers::Taken taken = writer.buffers_.take(segment_time, records);
        if (taken == Buffers::Taken::closed) {
            return nullptr;
        }
        writer.buffers_.release();
    }
}

void Writer::run() {
    std::span<const std::byte> records;
    while (!failed_) {
        const Buffers::Taken taken = buffers_.take(segment_time, records);
        if (taken == Buffers::Taken::closed) {
            cut();
            if (!end_.empty()) {
                append(recorded::BlockKind::end, end_);
            }
            return;
        }
        if (taken == Buffers::Taken::records) {
            encode(records);
            buffers_.release();
        } else {
            buffers_.hurry();
        }
        if (std::chrono::steady_clock::now() - last_cut_ >= segment_time) {
            cut();
        }
    }
}

void Writer::encode(std::span<const std::byte> records) {
    timeline_.mark();
    const std::byte* next = records.data();
    const std::byte* const end = next + records.size();
    while (next != end) {
        const UnpackedRecord record = unpack_record(next, target_.timed);
        next += record.bytes;
        recorded::ActionTimes times;
        if (target_.timed) {
            times.begin = std::max<std::int64_t>(timeline_.nanoseconds(record.times.begin), 0);
            times.end = std::max<std::int64_t>(timeline_.nanoseconds(record.times.end), 0);
        }
        encoder_.add(record.action, record.counts, times);
        // The size is looked at now and then only: it is a sum over all columns.
        if (encoder_.actions() % 64 == 0 || record.counts.size() > 64) {
            if (encoder_.actions() >= segment_actions || encoder_.bytes() >= segment_bytes) {
                cut();
            }
        }
    }
}

void Writer::cut() {
    last_cut_ = std::chrono::steady_clock::now();
    if (encoder_.actions() == 0) {
        return;
    }
    payload_.clear();
    encoder_.take(payload_);
    append(recorded::BlockKind::segment, payload_);
}

// Whole or not at all: what a full disk took of a block is cut off again.
void Writer::append(recorded::BlockKind kind, std::string_view payload) {
    if (failed_) {
        return;
    }
    block_.clear();
    blocks_.append(kind, payload, block_);
    std::string_view rest = block_;
    while (!rest.empty()) {
        const ssize_t done = ::write(descriptor_, rest.data(), rest.size());
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            fail(done < 0 ? std::strerror(errno) : "no room");
            // Should even that fail, the reader stops at the last whole block all the same.
            static_cast<void>(!ftruncate(descriptor_, static_cast<off_t>(written_)));
            return;
        }
        rest.remove_prefix(static_cast<std::size_t>(done));
    }
    written_ += block_.size();
}

void Writer::fail(const char* what) noexcept {
    failed_ = true;
    recording_.store(false, std::memory_order_relaxed);
    std::fprintf(stderr, "orrery: rank %u: %s: %s; the trace ends here, the program goes on\n", target_.rank,
                 target_.path.c_str(), what);
}

void Writer::finish(std::string end) noexcept {
    end_ = std::move(end);
    buffers_.close();
    pthread_join(thread_, nullptr);
    if (::close(descriptor_) != 0 && !failed_) {
        fail(std::strerror(errno));
    }
    descriptor_ = -1;
}

} // namespace orrery::trace
