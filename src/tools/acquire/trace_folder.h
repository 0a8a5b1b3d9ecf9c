// The folder that the ranks of one run record into: made ready beforehand, joined to one file afterwards.
//
// Nothing that is not part of a trace is ever deleted: a folder that holds anything else is refused.
#pragma once

#include <cstdint>
#include <string>

namespace orrery {

// While it lives, no other TraceFolder of any process has the same folder.
class TraceFolder {
  public:
    // Makes it, or takes one that is empty or (if `replace`) holds nothing but a trace, which is then removed.
    // Throws UsageError if it holds a trace and may not be replaced, or something else, or is in use.
    TraceFolder(const std::string& path, bool replace);
    TraceFolder(const TraceFolder&) = delete;
    TraceFolder& operator=(const TraceFolder&) = delete;
    ~TraceFolder();

    [[nodiscard]] const std::string& path() const { return path_; } // absolute
    [[nodiscard]] bool has_trace() const;                           // some rank recorded something
    // Removes it if nothing was recorded.
    void remove_if_empty();
    // The whole blocks of all ranks, one rank after the other, into one file; then the folder is removed.
    void join(const std::string& file);

  private:
    std::string path_;
    int descriptor_ = -1;
};

// Throws UsageError if there is something at `file` that is not a trace, or one that may not be replaced.
void check_trace_file(const std::string& file, bool replace);

} // namespace orrery
