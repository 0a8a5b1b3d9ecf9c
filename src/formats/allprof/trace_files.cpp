#include "formats/allprof/trace_files.h"

#include "engine/error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace orrery {

namespace {

namespace fs = std::filesystem;

// "pmpi-trace-rank-07.txt" is prefix "pmpi-trace-rank-", rank 7, suffix ".txt".
struct RankFileName {
    std::string prefix;
    std::string suffix;
    std::uint64_t rank = 0;
};

std::optional<RankFileName> rank_of(const std::string& name) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    // The last number before the extension, or else the last one at all.
    std::size_t end = std::min(name.rfind('.'), name.size());
    if (std::none_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(end), digit)) end = name.size();
    while (end > 0 && !digit(name[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && digit(name[begin - 1])) --begin;
    if (begin == end) return std::nullopt;
    RankFileName found{name.substr(0, begin), name.substr(end), 0};
    const auto [at, error] = std::from_chars(name.data() + begin, name.data() + end, found.rank);
    if (error != std::errc{}) return std::nullopt;
    return found;
}

// By its first lines: comments, then MPI calls.
bool holds_calls(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::array<char, 4096> buffer{};
    file.read(buffer.data(), buffer.size());
    std::string_view text(buffer.data(), static_cast<std::size_t>(file.gcount()));
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.starts_with("MPI_") && line.find(':') != std::string_view::npos) return true;
        if (!line.empty() && line != "\r" && line.front() != '#') return false;
    }
    return false;
}

struct Group {
    std::map<std::uint64_t, std::string> names; // by rank
    std::string clash;                          // two files of the same rank, or empty
};
using Groups = std::map<std::pair<std::string, std::string>, Group>; // by prefix and suffix

Groups group_files(const fs::path& directory, std::vector<std::string>& others) {
    Groups groups;
    std::error_code error;
    for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
        if (!at->is_regular_file(error)) continue;
        const std::string name = at->path().filename().string();
        const std::optional<RankFileName> found = rank_of(name);
        if (!found) {
            others.push_back(name);
            continue;
        }
        Group& group = groups[{found->prefix, found->suffix}];
        const auto [entry, added] = group.names.emplace(found->rank, name);
        if (!added)
            group.clash = fmt::format("{} and {} are both of rank {}", entry->second, name, found->rank);
    }
    if (error) throw InputError(Error{directory.string(), 0, 0, "cannot be read: " + error.message()});
    std::sort(others.begin(), others.end());
    return groups;
}

std::string shown(const std::pair<std::string, std::string>& pattern) {
    return pattern.first + "*" + pattern.second;
}

[[noreturn]] void refuse_liballprof2(const std::string& path) {
    throw InputError(Error{path, 0, 0,
                           "a trace of liballprof2, which leaves out the sizes of datatypes and the ranks in "
                           "communicators; trace with liballprof (version 1)"});
}

bool is_liballprof2_name(const std::string& name) { return name.starts_with("lap2-trace-rank-"); }

// Groups whose first file looks like a trace.
std::vector<const Groups::value_type*> traces_among(const Groups& groups, const fs::path& directory) {
    std::vector<const Groups::value_type*> traces;
    for (const auto& group : groups) {
        if (holds_calls((directory / group.second.names.begin()->second).string())) traces.push_back(&group);
    }
    return traces;
}

} // namespace

namespace allprof {

TraceFiles find_trace_files(const std::string& path) {
    std::error_code error;
    const fs::path given(path);
    const bool is_directory = fs::is_directory(given, error);
    if (!is_directory && !fs::exists(given, error))
        throw InputError(Error{path, 0, 0, "no such file or directory"});
    const fs::path directory = is_directory ? given : given.parent_path();
    const fs::path searched = directory.empty() ? fs::path(".") : directory;

    TraceFiles files;
    const Groups groups = group_files(searched, files.ignored);
    const Groups::value_type* chosen = nullptr;
    if (is_directory) {
        const std::vector<const Groups::value_type*> traces = traces_among(groups, searched);
        for (const auto& [pattern, group] : groups) {
            if (is_liballprof2_name(group.names.begin()->second)) refuse_liballprof2(path);
        }
        if (traces.empty()) {
            throw InputError(
                Error{path, 0, 0,
                      "no trace of liballprof here: expected one file per rank, named like "
                      "pmpi-trace-rank-0.txt, with lines like MPI_Send:start:...:end; nor another trace: "
                      "what 'orrery trace' writes has files rank-0.ort, rank-1.ort, ..."});
        }
        if (traces.size() > 1) {
            std::string patterns;
            for (const auto* trace : traces) patterns += (patterns.empty() ? "" : ", ") + shown(trace->first);
            throw InputError(
                Error{path, 0, 0,
                      fmt::format("more than one trace here ({}); name the file of rank 0 of the one "
                                  "that is meant",
                                  patterns)});
        }
        chosen = traces.front();
        for (const auto& [pattern, group] : groups) {
            if (pattern == chosen->first) continue;
            for (const auto& [rank, name] : group.names) files.ignored.push_back(name);
        }
    } else {
        const std::string name = given.filename().string();
        if (is_liballprof2_name(name)) refuse_liballprof2(path);
        const std::optional<RankFileName> parts = rank_of(name);
        if (!parts) {
            throw InputError(
                Error{path, 0, 0,
                      "no number in the name of the file: expected a name with the rank in it, like "
                      "pmpi-trace-rank-0.txt, so that the files of the other ranks can be found"});
        }
        chosen = &*groups.find({parts->prefix, parts->suffix});
        files.ignored.clear();
    }

    files.pattern = (directory / shown(chosen->first)).string();
    const std::map<std::uint64_t, std::string>& names = chosen->second.names;
    if (!chosen->second.clash.empty()) throw InputError(Error{files.pattern, 0, 0, chosen->second.clash});
    std::vector<std::uint64_t> missing;
    const std::uint64_t last = names.rbegin()->first;
    for (std::uint64_t rank = 0; rank <= last && missing.size() < 10; ++rank) {
        if (!names.contains(rank)) missing.push_back(rank);
    }
    if (!missing.empty()) {
        throw InputError(
            Error{files.pattern, 0, 0,
                  fmt::format("found {} files with numbers up to {}, but none for rank {}{}", names.size(),
                              last, fmt::join(missing, ", "), missing.size() == 10 ? ", ..." : "")});
    }
    for (const auto& [rank, name] : names) files.paths.push_back((directory / name).string());
    return files;
}

} // namespace allprof

bool looks_like_allprof(const std::string& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return fs::is_regular_file(path, error) && holds_calls(path);
    try {
        std::vector<std::string> others;
        return !traces_among(group_files(path, others), path).empty();
    } catch (const InputError&) {
        return false;
    }
}

} // namespace orrery
