// A file without a name, which is gone when nobody has it open. In $TMPDIR, or else in /tmp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::ti {

class TemporaryFile {
  public:
    TemporaryFile(); // throws InputError
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile();

    void write(std::string_view bytes);
    void flush();
    [[nodiscard]] std::uint64_t position() const { return flushed_ + buffer_.size(); }
    // Opens it once more, as long as it is there.
    [[nodiscard]] std::string path() const;

  private:
    [[noreturn]] void fail(const std::string& what) const;

    std::string directory_;
    int descriptor_ = -1;
    std::string buffer_;
    std::uint64_t flushed_ = 0;
};

} // namespace orrery::ti
