#include "engine/output_folder.h"

#include "engine/error.h"
#include "engine/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace orrery {

namespace {

namespace fs = std::filesystem;

// As mkdir would have made it: mkdtemp lets nobody else in.
void give_usual_mode(const std::string& folder) {
    const mode_t mask = ::umask(0);
    (void)::umask(mask);
    (void)::chmod(folder.c_str(), 0777 & ~mask);
}

} // namespace

OutputFolder::OutputFolder(std::string path, bool replace) : path_(std::move(path)), replace_(replace) {
    while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
    std::error_code none;
    const fs::path parent = fs::path(path_).parent_path();
    if (!parent.empty() && !fs::is_directory(parent, none))
        throw InputError(Error{parent.string(), 0, 0, "there is no such folder"});
    if (!fs::exists(fs::symlink_status(path_, none))) return;
    if (!fs::is_directory(fs::symlink_status(path_, none)))
        throw UsageError(fmt::format("-o {}: there is a file of that name; give a folder", path_));
    if (fs::is_empty(path_, none)) return;
    if (!fs::exists(fs::path(path_) / manifest, none))
        throw UsageError(fmt::format("-o {}: this folder has other files in it; give a new one", path_));
    if (!replace_) throw UsageError(fmt::format("-o {}: holds a result already; --force replaces it", path_));
}

OutputFolder::~OutputFolder() {
    files_.clear();
    if (folder_.exists()) (void)::rmdir(folder_.path().c_str());
}

void OutputFolder::fail(const std::string& what) const {
    throw InputError(Error{path_, 0, 0, fmt::format("{}: {}", what, std::strerror(errno))});
}

void OutputFolder::begin() {
    if (folder_.exists()) return;
    std::string name = path_ + ".XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) fail("cannot make this folder");
    give_usual_mode(name);
    folder_ = UnfinishedFile(std::move(name));
}

std::string OutputFolder::file(const std::string& name) {
    begin();
    std::string path = folder_.path() + "/" + name;
    files_.emplace_back(path); // known before it is there, so that a signal finds it
    names_.push_back(name);
    return path;
}

void OutputFolder::write(const std::string& name, std::string_view text) { write_file(file(name), text); }

void OutputFolder::commit() {
    begin();
    const std::string temporary = folder_.path();
    // An empty folder is replaced by a plain rename; one that is not changes places, and is then removed.
    if (::rename(temporary.c_str(), path_.c_str()) != 0) {
        const bool taken = errno == ENOTEMPTY || errno == EEXIST;
        if (!taken || !replace_) fail("cannot make this folder");
        if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) != 0)
            fail("cannot replace this folder");
    }
    files_.clear(); // of the folder that was replaced, if there was one
    std::error_code none;
    fs::remove_all(temporary, none);
    folder_.remove();
}

} // namespace orrery
