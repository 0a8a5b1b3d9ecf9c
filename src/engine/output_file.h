// A file that appears whole or not at all: written beside its name, renamed by commit().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

class OutputFile {
  public:
    static constexpr const char* standard_output = "/dev/stdout";
    // Opens a temporary file in the directory of `path`. Throws InputError if that is not possible.
    explicit OutputFile(std::string path);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile(); // without commit(): the temporary is removed

    void write(const void* data, std::size_t bytes);
    void write(std::string_view text) { write(text.data(), text.size()); }
    [[nodiscard]] std::uint64_t position() const { return flushed_ + used_; }
    // Replaces bytes that were already written.
    void write_at(std::uint64_t position, const void* data, std::size_t bytes);
    void commit();

  private:
    void flush();
    [[noreturn]] void fail(const std::string& what) const;

    std::string path_;
    std::string temporary_; // empty: `path_` is written directly (a pipe, a device, the standard output)
    int descriptor_ = -1;
    std::unique_ptr<std::byte[]> buffer_;
    std::size_t used_ = 0;
    std::uint64_t flushed_ = 0;
};

// A file that holds `text` and nothing else.
void write_file(const std::string& path, std::string_view text);

} // namespace orrery
