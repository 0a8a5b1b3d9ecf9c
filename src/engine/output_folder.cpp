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
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace orrery {

namespace {

namespace fs = std::filesystem;

// As mkdir would have made it, which mkdtemp does not; in place of another, as that is.
void give_mode(const std::string& folder, const std::string& replaced) {
    struct stat before {};
    if (::stat(replaced.c_str(), &before) == 0) {
        (void)!::chown(folder.c_str(), before.st_uid, before.st_gid);
        (void)::chmod(folder.c_str(), before.st_mode & mode_t{07777});
        return;
    }
    const mode_t mask = ::umask(0);
    (void)::umask(mask);
    (void)::chmod(folder.c_str(), 0777 & ~mask);
}

std::string parent_of(const std::string& path) {
    const fs::path parent = fs::path(path).parent_path();
    return parent.empty() ? "." : parent.string();
}

bool is_mounted(const std::string& path) {
    struct stat own {};
    struct stat above {};
    return ::stat(path.c_str(), &own) == 0 && ::stat(parent_of(path).c_str(), &above) == 0 &&
           own.st_dev != above.st_dev;
}

// The names in a manifest of ours; nothing if it is none.
std::optional<std::set<std::string>> files_of(const fs::path& manifest) {
    std::ifstream file(manifest);
    const nlohmann::json read = nlohmann::json::parse(file, nullptr, false);
    if (!read.is_object() || !read.contains("schema") || !read.contains("command")) return std::nullopt;
    const auto listed = read.find("files");
    if (listed == read.end() || !listed->is_array()) return std::nullopt;
    std::set<std::string> names{OutputFolder::manifest};
    for (const auto& each : *listed) {
        if (!each.is_string()) return std::nullopt;
        names.insert(each.get<std::string>());
    }
    return names;
}

} // namespace

OutputFolder::OutputFolder(std::string path, bool replace) : path_(std::move(path)), replace_(replace) {
    while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
    std::error_code none;
    if (fs::is_symlink(path_, none)) path_ = fs::weakly_canonical(path_, none).string();
    if (!fs::is_directory(parent_of(path_), none))
        throw InputError(Error{parent_of(path_), 0, 0, "there is no such folder"});
    struct stat facts {};
    if (::lstat(path_.c_str(), &facts) != 0) {
        if (errno != ENOENT) fail("cannot make this folder");
        return;
    }
    if (!S_ISDIR(facts.st_mode))
        throw UsageError(fmt::format("-o {}: there is a file of that name; give a folder", path_));
    if (fs::equivalent(path_, ".", none))
        throw UsageError(fmt::format("-o {}: the present folder cannot be replaced; give one in it", path_));
    if (is_mounted(path_))
        throw UsageError(fmt::format(
            "-o {}: a file system is mounted there, so that it cannot be replaced; give a folder in it",
            path_));
    if (fs::is_empty(path_, none)) return;
    if (!fs::exists(fs::path(path_) / manifest, none))
        throw UsageError(fmt::format("-o {}: this folder has other files in it; give a new one", path_));
    if (!replace_) throw UsageError(fmt::format("-o {}: holds a result already; --force replaces it", path_));
    (void)replaceable();
}

// The files of the folder that is there, all of which a run has written.
std::vector<std::string> OutputFolder::replaceable() const {
    const auto known = files_of(fs::path(path_) / manifest);
    if (!known)
        throw UsageError(
            fmt::format("-o {}: its {} is not that of a result, so that --force does not replace it; give "
                        "a new folder",
                        path_, manifest));
    std::vector<std::string> names;
    for (const auto& each : fs::directory_iterator(path_)) {
        names.push_back(each.path().filename().string());
        if (!known->contains(names.back()) || each.is_directory())
            throw UsageError(
                fmt::format("-o {}: {} in it is of no result, so that --force does not replace it; give a "
                            "new folder",
                            path_, names.back()));
    }
    return names;
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
    std::string name =
        parent_of(path_) + "/.orrery-XXXXXX"; // short, so that it fits wherever the folder's does
    if (::mkdtemp(name.data()) == nullptr) fail("cannot make this folder");
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
    give_mode(temporary, path_);
    std::vector<std::string> old;
    // An empty folder is replaced by a plain rename; one that is not changes places, and is then removed.
    if (::rename(temporary.c_str(), path_.c_str()) != 0) {
        const bool taken = errno == ENOTEMPTY || errno == EEXIST;
        if (!taken || !replace_) fail("cannot make this folder");
        old = replaceable();
        if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) != 0)
            fail("cannot replace this folder");
    }
    files_.clear(); // of the folder that was replaced, if there was one
    if (!old.empty()) {
        (void)::chmod(temporary.c_str(), S_IRWXU);
        for (const std::string& name : old) (void)::unlink(fmt::format("{}/{}", temporary, name).c_str());
        (void)::rmdir(temporary.c_str());
    }
    folder_.remove();
}

} // namespace orrery
