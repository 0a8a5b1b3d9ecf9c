// A folder of files that appears whole or not at all: written next to its name, then renamed.
//
// Until commit() it has a short hidden name and lies in the same parent folder. An exception or a signal that
// ends the process removes it. A folder that is replaced gives it its mode and owner, and a symbolic link
// stays.
#pragma once

#include "engine/unfinished_files.h"

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

class OutputFolder {
  public:
    // What a folder must have to be replaced. Its key "files" names all that is there: nothing else is ever
    // deleted.
    static constexpr const char* manifest = "manifest.json";

    // Writes nothing yet. Throws UsageError if there is something at `path` that is in the way: anything but an
    // empty folder or, with `replace`, one in which all files are of a manifest; InputError if the system would
    // refuse.
    OutputFolder(std::string path, bool replace);
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;
    ~OutputFolder(); // without commit(): nothing is left

    // Makes it, under its first name: what cannot be made is better said before a long run.
    void begin();
    // A file in it. All throw InputError if the system refuses.
    void write(const std::string& name, std::string_view text);
    // The path of a file that somebody else will write before commit().
    [[nodiscard]] std::string file(const std::string& name);
    void commit();

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const std::vector<std::string>& files() const { return names_; } // so far

  private:
    [[nodiscard]] std::vector<std::string> replaceable() const;
    [[noreturn]] void fail(const std::string& what) const;

    std::string path_;
    bool replace_;
    UnfinishedFile folder_; // under its temporary name
    std::vector<UnfinishedFile> files_;
    std::vector<std::string> names_;
};

} // namespace orrery
