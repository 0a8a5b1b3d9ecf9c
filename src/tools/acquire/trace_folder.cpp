#include "tools/acquire/trace_folder.h"
#include "engine/error.h"
#include "engine/output_file.h"
#include "formats/ort/layout.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

namespace orrery {

namespace {

namespace fs = std::filesystem;

// The number in "rank-12.ort".
std::optional<std::uint32_t> number_in(const std::string& name, std::string_view before,
                                       std::string_view after) {
    if (!name.starts_with(before) || !name.ends_with(after)) return std::nullopt;
    const char* const begin = name.data() + before.size();
    const char* const end = name.data() + name.size() - after.size();
    std::uint32_t number = 0;
    if (begin >= end) return std::nullopt;
    const auto read = std::from_chars(begin, end, number);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return number;
}

bool is_rank_file(const std::string& name) { return number_in(name, "rank-", ".ort").has_value(); }
// What the tracing library and `orrery trace` may leave in a folder.
bool is_part_of_trace(const std::string& name) {
    return is_rank_file(name) || name == "trace.ort" || name == "trace.ort.part" || name == "manifest.json" ||
           name.starts_with("manifest.json.") || number_in(name, "clock-", ".json").has_value();
}

std::vector<fs::path> entries(const std::string& folder) {
    std::vector<fs::path> out;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder, failed)) out.push_back(entry.path());
    if (failed) throw UsageError(fmt::format("{}: {}", folder, failed.message()));
    std::ranges::sort(out);
    return out;
}

void make_ready(const std::string& folder, bool replace) {
    const std::vector<fs::path> found = entries(folder);
    for (const fs::path& path : found) {
        if (!is_part_of_trace(path.filename().string())) {
            throw UsageError(
                fmt::format("{} holds '{}', which is no part of a trace; name another folder with -o", folder,
                            path.filename().string()));
        }
    }
    if (!found.empty() && !replace) {
        throw UsageError(
            fmt::format("{} holds a trace already; --force replaces it, -o names another folder", folder));
    }
    for (const fs::path& path : found) fs::remove(path);
}

// How many bytes at the beginning of a rank's file are whole blocks: a killed rank may have left half a one.
std::uint64_t whole_blocks(std::ifstream& file, std::uint64_t size) {
    std::uint64_t at = 0;
    recorded::BlockHeader header;
    while (size - at >= sizeof header) {
        file.seekg(static_cast<std::streamoff>(at));
        if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) break;
        if (header.magic != recorded::block_magic || header.bytes > size - at - sizeof header) break;
        at += sizeof header + header.bytes;
    }
    file.clear();
    return at;
}

void append(OutputFile& out, const fs::path& path, bool whole_only) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw InputError({path.string(), 0, 0, "cannot be read"});
    std::uint64_t left = fs::file_size(path);
    if (whole_only) left = whole_blocks(file, left);
    file.seekg(0);
    std::vector<char> buffer(std::size_t{1} << 20U);
    while (left > 0) {
        const auto part = static_cast<std::streamsize>(std::min<std::uint64_t>(left, buffer.size()));
        if (!file.read(buffer.data(), part)) throw InputError({path.string(), 0, 0, "cannot be read"});
        out.write(buffer.data(), static_cast<std::size_t>(part));
        left -= static_cast<std::uint64_t>(part);
    }
}

} // namespace

TraceFolder::TraceFolder(const std::string& path, bool replace)
    : path_(fs::absolute(path).lexically_normal().string()) {
    while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
    std::error_code failed;
    fs::create_directories(path_, failed);
    if (failed || !fs::is_directory(path_)) {
        throw UsageError(fmt::format("{}: cannot make this folder: {}", path,
                                     failed ? failed.message() : "there is something of that name"));
    }
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0 || ::access(path_.c_str(), W_OK) != 0) {
        throw UsageError(fmt::format("{}: cannot write into this folder: {}", path, std::strerror(errno)));
    }
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        ::close(descriptor_);
        throw UsageError(fmt::format("another 'orrery trace' is recording into {}", path));
    }
    try {
        make_ready(path_, replace);
    } catch (...) {
        ::close(descriptor_);
        throw;
    }
}

TraceFolder::~TraceFolder() { ::close(descriptor_); }

bool TraceFolder::has_trace() const {
    return std::ranges::any_of(entries(path_), [](const fs::path& path) {
        const std::string name = path.filename().string();
        return (is_rank_file(name) || name == "trace.ort") && fs::file_size(path) > 0;
    });
}

void TraceFolder::remove_if_empty() {
    if (has_trace()) return;
    for (const fs::path& path : entries(path_)) {
        if (is_part_of_trace(path.filename().string())) fs::remove(path);
    }
    ::rmdir(path_.c_str()); // stays if there is anything else in it
}

void TraceFolder::join(const std::string& file) {
    std::vector<std::pair<std::uint32_t, fs::path>> parts;
    for (const fs::path& path : entries(path_)) {
        const std::string name = path.filename().string();
        if (const auto rank = number_in(name, "rank-", ".ort")) parts.emplace_back(*rank, path);
    }
    std::ranges::sort(parts);
    OutputFile out(file);
    const fs::path gathered = fs::path(path_) / "trace.ort";
    if (fs::exists(gathered)) append(out, gathered, false);
    if (!fs::exists(gathered)) {
        for (const auto& [rank, path] : parts) append(out, path, true);
    }
    out.commit();
    for (const fs::path& path : entries(path_)) {
        if (is_part_of_trace(path.filename().string())) fs::remove(path);
    }
    ::rmdir(path_.c_str());
}

void check_trace_file(const std::string& file, bool replace) {
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return;
    std::ifstream in(file, std::ios::binary);
    std::array<char, 4> magic{};
    const bool ours = fs::is_regular_file(file, ignored) && in.read(magic.data(), magic.size()) &&
                      magic == recorded::block_magic;
    if (!ours) throw UsageError(fmt::format("{} is there and is not a trace; name another file with -o", file));
    if (!replace) {
        throw UsageError(fmt::format("{} is there already; --force replaces it, -o names another file", file));
    }
}

} // namespace orrery
