// A text file line by line, within a buffer of fixed size for lines of ordinary length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::allprof {

class LineReader {
  public:
    // Throws InputError if the file cannot be read.
    explicit LineReader(const std::string& path);
    // Over memory that the caller keeps alive; `name` stands in messages.
    LineReader(std::string_view text, std::string name);
    ~LineReader();
    LineReader(const LineReader&) = delete;
    LineReader& operator=(const LineReader&) = delete;

    // The next line, without its end; good until the next call. False at the end of the file.
    bool next(std::string_view& line);
    [[nodiscard]] std::uint64_t number() const { return number_; } // of the line that next() gave
    // Whether that line ended with a newline: the last one of a file that was cut off does not.
    [[nodiscard]] bool complete() const { return complete_; }
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    bool fill();

    std::string name_;
    int descriptor_ = -1; // -1: from memory
    std::vector<char> buffer_;
    std::string_view rest_; // read and not yet given out
    std::uint64_t number_ = 0;
    bool complete_ = true;
};

} // namespace orrery::allprof
