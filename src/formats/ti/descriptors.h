// Many files, few of them open: a hundred thousand rank files exceed what a process may hold open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace orrery::ti {

class Descriptors {
  public:
    explicit Descriptors(std::vector<std::string> paths);
    Descriptors(const Descriptors&) = delete;
    Descriptors& operator=(const Descriptors&) = delete;
    ~Descriptors();

    [[nodiscard]] std::size_t size() const { return paths_.size(); }
    [[nodiscard]] const std::string& path(std::size_t file) const { return paths_[file]; }
    // As many bytes as there are from `offset` on, at most `room`. Throws InputError.
    std::size_t read(std::size_t file, std::uint64_t offset, char* to, std::size_t room);

  private:
    static constexpr std::uint16_t closed = 0xFFFF;
    struct Open {
        std::size_t file = 0;
        int descriptor = -1;
    };
    int descriptor_of(std::size_t file);
    [[noreturn]] void fail(std::size_t file, const char* what) const;

    std::vector<std::string> paths_;
    std::vector<std::uint16_t> place_; // of each file in open_, or `closed`
    std::vector<Open> open_;           // a ring: whoever was opened first is closed first
    std::size_t most_;
    std::size_t oldest_ = 0;
};

} // namespace orrery::ti
