// A folder of files that appears whole or not at all: written next to its name, then renamed.
//
// Until commit() it is called NAME.XXXXXX and lies in the same parent folder. An exception or a signal that
// ends the process removes it.
#pragma once

#include "engine/unfinished_files.h"

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

class OutputFolder {
  public:
    // What a folder must have to be replaced: nothing else is ever deleted.
    static constexpr const char* manifest = "manifest.json";

    // Writes nothing yet. Throws UsageError if there is something at `path` that is in the way: anything but an
    // empty folder or, with `replace`, one that has a manifest.
    OutputFolder(std::string path, bool replace);
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;
    ~OutputFolder(); // without commit(): nothing is left

    // A file in it. All throw InputError if the system refuses.
    void write(const std::string& name, std::string_view text);
    // The path of a file that somebody else will write before commit().
    [[nodiscard]] std::string file(const std::string& name);
    void commit();

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const std::vector<std::string>& files() const { return names_; } // so far

  private:
    void begin();
    [[noreturn]] void fail(const std::string& what) const;

    std::string path_;
    bool replace_;
    UnfinishedFile folder_; // under its temporary name
    std::vector<UnfinishedFile> files_;
    std::vector<std::string> names_;
};

} // namespace orrery
