// A Dimemas trace (.dim): its header, its communicators, and where the records of each thread stand.
//
// The file is mapped, never loaded: every thread reads on where it stands, so a trace may be larger than
// memory. A compressed one is unpacked into a temporary file first.
#pragma once

#include "formats/dimemas/dim_record.h"
#include "formats/ti/temporary_file.h"
#include "workload/mapped_file.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orrery::dimemas {

struct DimCommunicator {
    std::int64_t id = 0;
    std::vector<std::uint32_t> tasks; // in the order of their ranks in it

    // The rank of a task in it, or any_source.
    [[nodiscard]] std::uint32_t rank_of(std::uint32_t task) const;
};

// Where a thread stands in the file.
struct DimCursor {
    std::uint64_t offset = 0; // of its next record
    std::uint32_t task = 0;
    std::uint32_t thread = 0;
};

class DimFile {
  public:
    // Reads the header and finds the threads: by the table of offsets at the end, or, if there is none, by
    // going through the file once. Throws InputError.
    static DimFile open(const std::string& path);
    // One that was made in a temporary file; `path` names it to people.
    static DimFile adopt(const std::string& path, std::unique_ptr<ti::TemporaryFile> file);
    DimFile(DimFile&&) noexcept = default;
    DimFile& operator=(DimFile&&) noexcept = default;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::uint32_t tasks() const { return static_cast<std::uint32_t>(first_thread_.size() - 1); }
    [[nodiscard]] std::uint32_t threads() const { return first_thread_.back(); } // of all tasks
    [[nodiscard]] std::uint32_t threads(std::uint32_t task) const {
        return first_thread_[task + 1] - first_thread_[task];
    }
    // Threads are counted through all tasks.
    [[nodiscard]] std::uint32_t thread_of(std::uint32_t task, std::uint32_t thread) const {
        return first_thread_[task] + thread;
    }
    [[nodiscard]] const std::vector<DimCommunicator>& communicators() const { return communicators_; }
    // Its place in that list; none if there is no such communicator.
    [[nodiscard]] std::optional<std::uint32_t> find_communicator(std::int64_t id) const {
        const auto found = communicator_index_.find(id);
        return found == communicator_index_.end() ? std::nullopt : std::optional(found->second);
    }
    // Whether it holds all tasks in their order.
    [[nodiscard]] bool is_world(std::uint32_t communicator) const;
    [[nodiscard]] bool packed() const { return unpacked_ != nullptr; }

    // The first record of a thread, counted through all tasks.
    [[nodiscard]] DimCursor begin(std::uint32_t thread) const { return begins_[thread]; }
    // Reads the record at the cursor and steps behind it; false at the end of its thread. Throws InputError.
    bool next(DimCursor& cursor, DimRecord& record) const;

    // The number of the line at an offset: found by counting, for messages.
    [[nodiscard]] std::uint64_t line_at(std::uint64_t offset) const;
    [[noreturn]] void fail(std::uint64_t offset, const std::string& reason) const;

  private:
    DimFile() = default;
    static DimFile read(DimFile file);
    [[nodiscard]] std::string_view line(std::uint64_t offset) const; // without its end
    std::uint64_t read_header();
    std::uint64_t read_communicators(std::uint64_t offset, std::uint64_t count);
    void add_communicator(std::uint64_t offset, std::string_view fields);
    void find_by_table(std::uint64_t table);
    void find_by_reading(std::uint64_t offset);

    std::string path_;
    std::string name_;
    std::unique_ptr<ti::TemporaryFile> unpacked_;
    std::unique_ptr<MappedFile> file_;
    std::string_view text_;
    std::uint64_t body_ = 0; // behind the communicators
    std::vector<std::uint32_t> first_thread_;
    std::vector<DimCommunicator> communicators_;
    std::unordered_map<std::int64_t, std::uint32_t> communicator_index_;
    std::vector<DimCursor> begins_;
};

// Whether the file begins as a .dim does, packed or not.
bool looks_like_dim(const std::string& path);

} // namespace orrery::dimemas
