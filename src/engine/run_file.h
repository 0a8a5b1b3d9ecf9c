// An unnamed file for what does not fit into memory: the runs of a RunSorter, the older part of an event log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace orrery {

class RunFile {
  public:
    // In the folder of `path`, made when something is written. All throw InputError if the system refuses.
    explicit RunFile(std::string path);
    RunFile(const RunFile&) = delete;
    RunFile& operator=(const RunFile&) = delete;
    ~RunFile();

    void append(const void* data, std::size_t bytes);
    void read(std::uint64_t from, void* data, std::size_t bytes) const;

  private:
    [[noreturn]] void fail(const char* what) const;

    std::string path_;
    int file_ = -1;
};

} // namespace orrery
