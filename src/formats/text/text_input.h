// Text of any length, from a file, a pipe or memory, seen through one window of fixed size.
//
// The scanner walks a plain pointer through the window. A NUL stands behind the last byte, so the pointer
// stops there without a comparison per character. Memory does not depend on the length of the input or of
// its lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

class TextInput {
  public:
    // After refill(), this many bytes from the cursor on are in the window, or the input ends before that.
    static constexpr std::size_t lookahead = 4096;
    static constexpr std::size_t default_window = std::size_t{256} << 10;

    static TextInput from_file(const std::string& path); // "-" is the standard input
    static TextInput from_memory(std::string_view text, std::string name, std::size_t window = default_window);
    TextInput(const TextInput&) = delete;
    TextInput& operator=(const TextInput&) = delete;
    ~TextInput();

    // Of the whole input; none: a pipe that has not ended yet.
    [[nodiscard]] std::optional<std::uint64_t> bytes() const;
    // The first cursor.
    [[nodiscard]] const char* begin() const { return window_.get(); }
    [[nodiscard]] bool runs_short(const char* cursor) const {
        return static_cast<std::size_t>(end_ - cursor) < lookahead && !exhausted_;
    }
    // Forgets everything before `cursor`, reads on, and returns where the byte at `cursor` is now.
    const char* refill(const char* cursor);
    // Whether nothing follows: the NUL at `cursor` is not a byte of the input.
    [[nodiscard]] bool at_end(const char* cursor) const { return cursor == end_ && exhausted_; }
    [[nodiscard]] const char* window_end() const { return end_; }

    // Position in the whole input.
    [[nodiscard]] std::uint64_t offset(const char* cursor) const {
        return base_ + static_cast<std::uint64_t>(cursor - window_.get());
    }
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    TextInput(std::string name, int descriptor, std::string_view memory, std::size_t window);
    std::size_t read(char* to, std::size_t bytes);

    std::string name_;
    int descriptor_ = -1;     // -1: from memory
    std::string_view memory_; // what is left of it
    std::size_t capacity_ = 0;
    std::unique_ptr<char[]> window_;
    char* end_ = nullptr;
    std::uint64_t base_ = 0; // offset of the window's first byte in the input
    bool exhausted_ = false;
};

// What can be read only once: a pipe, a device, a socket; not a folder.
bool is_pipe(const std::string& path);
// Throws InputError for one: traces are mapped or read more than once.
void refuse_pipe(const std::string& path);

} // namespace orrery
