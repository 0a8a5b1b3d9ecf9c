// A file that appears whole or not at all: written without a name, named by commit().
//
// Where the file system can (O_TMPFILE), the file has no name until it is complete, so that nothing is left of
// it however the process ends. Elsewhere it has a temporary name in the same folder, which signals remove. A
// symbolic link stays: the file that it leads to is replaced. A file that is there passes on its mode, owner
// and group.
#pragma once

#include "engine/unfinished_files.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>

namespace orrery {

class OutputFile {
  public:
    static constexpr const char* standard_output = "/dev/stdout";
    // Opens a file without a name in the directory of `path`. Throws InputError if that is not possible.
    explicit OutputFile(std::string path);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile(); // without commit(): nothing is left

    void write(const void* data, std::size_t bytes);
    void write(std::string_view text) { write(text.data(), text.size()); }
    [[nodiscard]] std::uint64_t position() const { return flushed_ + used_; }
    // Zeros, which take no room on the disk until they are replaced.
    void write_zeros(std::uint64_t bytes);
    // Replaces bytes that were already written.
    void write_at(std::uint64_t position, const void* data, std::size_t bytes);
    void commit();

  private:
    void open_beside();
    void keep_permissions();
    void flush();
    [[noreturn]] void fail(const std::string& what) const;

    std::string path_;
    std::string target_; // `path_`, links followed; empty: it is written directly (a pipe, a device)
    UnfinishedFile temporary_;
    std::optional<struct stat> before_; // of the file that is replaced
    int descriptor_ = -1;
    std::unique_ptr<std::byte[]> buffer_;
    std::size_t used_ = 0;
    std::uint64_t flushed_ = 0;
};

// A file that holds `text` and nothing else.
void write_file(const std::string& path, std::string_view text);

} // namespace orrery
