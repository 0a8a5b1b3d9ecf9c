// Files that are being written and do not yet have their name: a signal that ends the process removes them.
#pragma once

#include <cstddef>
#include <string>

namespace orrery {

// While one lives, SIGINT, SIGTERM and their like remove the file, or the folder once it is empty, before they
// end the process.
class UnfinishedFile {
  public:
    UnfinishedFile() = default;
    explicit UnfinishedFile(std::string path);
    UnfinishedFile(const UnfinishedFile&) = delete;
    UnfinishedFile& operator=(const UnfinishedFile&) = delete;
    UnfinishedFile(UnfinishedFile&& other) noexcept;
    UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;
    ~UnfinishedFile() { remove(); }

    [[nodiscard]] bool exists() const { return slot_ != none; }
    [[nodiscard]] const std::string& path() const { return path_; }
    // Gives it its name, which may be that of an older file. False: errno says why, and it is removed.
    bool rename(const std::string& name);
    void remove() noexcept;

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    void forget() noexcept;

    std::string path_;
    std::size_t slot_ = none;
};

// For those who end the process from a signal handler of their own. Safe there; does nothing in a forked child.
void remove_unfinished_files() noexcept;

} // namespace orrery
