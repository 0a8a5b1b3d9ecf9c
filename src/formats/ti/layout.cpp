#include "formats/ti/layout.h"

#include "engine/error.h"
#include "formats/ti/byte_stream.h"
#include "formats/ti/line_words.h"
#include "workload/op.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>

namespace orrery::ti {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t looked_at = 4096;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The first line that is neither empty nor a comment, without blanks around it.
std::string_view first_line(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
        while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
        if (!line.empty() && line.front() != '#') return line;
    }
    return {};
}

// <rank> <word>
bool is_trace_line(std::string_view line) {
    if (line.starts_with('p')) line.remove_prefix(1);
    std::size_t at = 0;
    while (at < line.size() && is_digit(line[at])) ++at;
    const std::size_t digits = at;
    while (at < line.size() && is_blank(line[at])) ++at;
    return digits > 0 && at > digits && at < line.size() && is_letter(line[at]);
}

// A name in a list stands for the file beside the list, or else as seen from here.
std::optional<std::string> find_named(std::string_view name, const fs::path& list) {
    std::error_code error;
    for (const std::string_view packed : {"", ".gz", ".zst"}) { // files may have been compressed since
        const fs::path given(std::string(name) + std::string(packed));
        const fs::path beside = list.parent_path() / given;
        for (const fs::path& path : {beside, given, list.parent_path() / given.filename()}) {
            if (fs::is_regular_file(path, error)) return path.string();
        }
    }
    return std::nullopt;
}

std::string cleaned(std::string_view line) {
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    return std::string(line);
}

Layout read_list(const std::string& path) {
    Layout layout;
    layout.shown = path;
    std::ifstream file(path);
    std::string line;
    for (std::uint64_t number = 1; std::getline(file, line); ++number) {
        const std::string name = cleaned(line);
        if (name.empty() || name.front() == '#') continue;
        const std::optional<std::string> found = find_named(name, path);
        if (!found) throw InputError(Error{path, number, 1, fmt::format("there is no file {}", name)});
        layout.paths.push_back(*found);
    }
    layout.merged = layout.paths.size() == 1;
    return layout;
}

// A name, cut at its last number: "1794758366.28_rank-1.txt" is of rank 1 in "1794758366.28_rank-*.txt".
struct Numbered {
    std::string before;
    std::string after;
    std::uint64_t number = 0;
};

std::optional<Numbered> cut(const std::string& name) {
    std::size_t end = name.size();
    while (end > 0 && !is_digit(name[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && is_digit(name[begin - 1])) --begin;
    if (begin == end) return std::nullopt;
    Numbered found{name.substr(0, begin), name.substr(end), 0};
    const auto [at, error] = std::from_chars(name.data() + begin, name.data() + end, found.number);
    return error == std::errc{} ? std::optional(found) : std::nullopt;
}

using Group = std::map<std::uint64_t, std::string>;                  // names by number
using Groups = std::map<std::pair<std::string, std::string>, Group>; // by what is before and after the number

// Numbers count from 0, or from 1 as SimGrid's tracer names its files.
void check_complete(const Group& group, const std::string& shown) {
    const std::uint64_t first = group.begin()->first;
    const std::uint64_t last = group.rbegin()->first;
    if (first <= 1 && last - first + 1 == group.size()) return;
    std::vector<std::uint64_t> absent;
    for (std::uint64_t i = std::min<std::uint64_t>(first, 1); i <= last && absent.size() < 10; ++i) {
        if (!group.contains(i)) absent.push_back(i);
    }
    throw InputError(Error{
        shown, 0, 0,
        fmt::format("a rank is missing: there are {} files with numbers from {} to {}, but none "
                    "with {}{}",
                    group.size(), first, last, fmt::join(absent, ", "), absent.size() == 10 ? ", ..." : "")});
}

Layout search_directory(const std::string& directory) {
    Groups groups;
    std::vector<std::string> lists;
    std::vector<std::string> others;
    std::error_code error;
    for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
        if (!at->is_regular_file(error)) continue;
        const std::string name = at->path().filename().string();
        if (const auto found = cut(name)) {
            groups[{found->before, found->after}].emplace(found->number, name);
        } else {
            others.push_back(name);
        }
    }
    if (error) throw InputError(Error{directory, 0, 0, "cannot be read: " + error.message()});
    std::sort(others.begin(), others.end());

    const fs::path base(directory);
    const auto in = [&](const std::string& name) { return (base / name).string(); };
    std::erase_if(groups, [&](const auto& group) { return !is_trace_text(in(group.second.begin()->second)); });
    for (const std::string& name : others) {
        if (is_list(in(name))) lists.push_back(name);
    }
    if (lists.size() == 1) return read_list(in(lists.front()));
    if (lists.size() > 1) {
        throw InputError(
            Error{directory, 0, 0,
                  fmt::format("more than one list of trace files here ({}); name the one that is meant",
                              fmt::join(lists, ", "))});
    }
    std::erase_if(others, [&](const std::string& name) { return !is_trace_text(in(name)); });
    if (groups.size() + others.size() > 1) {
        std::string names;
        for (const auto& [ends, group] : groups) names += fmt::format(", {}*{}", ends.first, ends.second);
        for (const std::string& name : others) names += ", " + name;
        throw InputError(Error{directory, 0, 0,
                               fmt::format("more than one trace here ({}); name the file or list that is meant",
                                           names.substr(2))});
    }
    if (!others.empty()) return {{in(others.front())}, true, in(others.front())};
    if (groups.empty()) {
        throw InputError(
            Error{directory, 0, 0,
                  "no time-independent trace here: expected files with names like rank-0.txt, one per "
                  "rank, with lines like 0 compute 1e6"});
    }
    const auto& [ends, group] = *groups.begin();
    Layout layout;
    layout.shown = in(ends.first + "*" + ends.second);
    layout.merged = group.size() == 1;
    if (!layout.merged) check_complete(group, layout.shown);
    for (const auto& [number, name] : group) layout.paths.push_back(in(name));
    return layout;
}

} // namespace

bool is_trace_text(const std::string& path) {
    try {
        return is_trace_line(first_line(first_bytes(path, looked_at)));
    } catch (const InputError&) {
        return false;
    }
}

bool is_list(const std::string& path) {
    try {
        if (packing_of_file(path) != Packing::plain) return false;
        const std::string text = first_bytes(path, looked_at);
        const std::string_view name = first_line(text);
        if (name.empty() || name.find('\0') != std::string_view::npos) return false;
        const auto found = find_named(name, path);
        std::error_code error;
        return found && !fs::equivalent(*found, path, error) && is_trace_text(*found);
    } catch (const InputError&) {
        return false;
    }
}

bool holds_trace(const std::string& directory) {
    std::error_code error;
    std::size_t tried = 0;
    for (fs::directory_iterator at(directory, error), end; !error && at != end && tried < 64;
         at.increment(error)) {
        if (!at->is_regular_file(error)) continue;
        if (is_trace_text(at->path().string())) return true;
        ++tried;
    }
    return false;
}

Layout find_files(const std::string& path) {
    std::error_code error;
    if (!fs::exists(path, error)) throw InputError(Error{path, 0, 0, "no such file or directory"});
    Layout layout = fs::is_directory(path, error) ? search_directory(path)
                    : is_list(path)               ? read_list(path)
                                                  : Layout{{path}, true, path};
    if (layout.paths.size() >= max_ranks) throw InputError(Error{path, 0, 0, "too many files"});
    return layout;
}

} // namespace orrery::ti
