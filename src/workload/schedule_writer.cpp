// The two places a compact schedule can be written to: a file, and memory.
#include "engine/output_file.h"
#include "workload/schedule.h"
#include "workload/schedule_encoder.h"

#include <cassert>
#include <sys/mman.h>

namespace orrery {

struct ScheduleWriter::Store : ByteStore {
    explicit Store(const std::string& path) : file(path) {}
    void append(const void* data, std::size_t bytes) override { file.write(data, bytes); }
    void overwrite_start(const void* data, std::size_t bytes) override { file.write_at(0, data, bytes); }
    OutputFile file;
};

ScheduleWriter::ScheduleWriter(const std::string& path)
    : store_(std::make_unique<Store>(path)), encoder_(std::make_unique<ScheduleEncoder>(*store_, path)) {}
ScheduleWriter::~ScheduleWriter() = default;
void ScheduleWriter::begin(std::uint32_t ranks) { encoder_->begin(ranks); }
void ScheduleWriter::wide_tag(const WideTag& tag) { encoder_->wide_tag(tag); }
void ScheduleWriter::rank(RankId rank, const RankGraph& graph) { encoder_->rank(rank, graph); }
void ScheduleWriter::finish() {
    encoder_->finish();
    store_->file.commit();
}

// Memory that grows without being copied: the kernel moves the pages.
struct ScheduleBuilder::Store : ByteStore {
    Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    ~Store() override {
        if (data != nullptr) ::munmap(data, capacity);
    }
    void append(const void* from, std::size_t bytes) override {
        if (size + bytes > capacity) grow(size + bytes);
        if (bytes > 0) std::memcpy(data + size, from, bytes);
        size += bytes;
    }
    void overwrite_start(const void* from, std::size_t bytes) override { std::memcpy(data, from, bytes); }
    void grow(std::size_t needed) {
        std::size_t larger = capacity == 0 ? std::size_t{1} << 16 : capacity * 2;
        while (larger < needed) larger *= 2;
        void* const moved = data == nullptr ? ::mmap(nullptr, larger, PROT_READ | PROT_WRITE,
                                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                            : ::mremap(data, capacity, larger, MREMAP_MAYMOVE);
        if (moved == MAP_FAILED) throw std::bad_alloc();
        data = static_cast<std::byte*>(moved);
        capacity = larger;
    }

    std::byte* data = nullptr;
    std::size_t size = 0;
    std::size_t capacity = 0;
};

ScheduleBuilder::ScheduleBuilder(std::string name)
    : name_(std::move(name)), store_(std::make_shared<Store>()),
      encoder_(std::make_unique<ScheduleEncoder>(*store_, name_)) {}
ScheduleBuilder::~ScheduleBuilder() = default;
void ScheduleBuilder::begin(std::uint32_t ranks) { encoder_->begin(ranks); }
void ScheduleBuilder::wide_tag(const WideTag& tag) { encoder_->wide_tag(tag); }
void ScheduleBuilder::rank(RankId rank, const RankGraph& graph) { encoder_->rank(rank, graph); }
void ScheduleBuilder::finish() { encoder_->finish(); }
Schedule ScheduleBuilder::take() {
    assert(store_->size > 0);
    const std::span<const std::byte> bytes(store_->data, store_->size);
    encoder_.reset(); // it writes to the store, which the schedule now owns
    Schedule schedule = Schedule::adopt(std::move(store_), bytes, name_);
    schedule.trusted_ = true;
    return schedule;
}

} // namespace orrery
