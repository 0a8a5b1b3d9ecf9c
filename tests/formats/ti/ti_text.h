// Time-independent traces from strings, and actions as short words, for tests.
#pragma once

#include "engine/error.h"
#include "formats/ti/statistics.h"
#include "formats/ti/writers.h"
#include "formats/trace.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::ti_test {

class Folder {
  public:
    Folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "orrery-ti-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }

    [[nodiscard]] std::string operator/(std::string_view name) const { return (path_ / name).string(); }
    [[nodiscard]] std::string path() const { return path_.string(); }
    std::string write(std::string_view name, std::string_view text) const {
        const std::filesystem::path file = path_ / name;
        std::filesystem::create_directories(file.parent_path());
        std::filesystem::remove(file); // to truncate a file may make the disk wait
        std::ofstream(file, std::ios::binary) << text;
        return file.string();
    }

  private:
    std::filesystem::path path_;
};

inline std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// "irecv 1 tag 5 100 B #0": only what differs from the default is said.
inline std::string words_of(const Action& action, std::span<const Bytes> counts, bool with_line = false) {
    const auto peer = [](std::uint32_t rank) { return rank == any_source ? "any" : std::to_string(rank); };
    std::string words(action.kind == ActionKind::collective ? name_of(action.collective)
                                                            : name_of(action.kind));
    const auto add = [&](const std::string& more) { words += " " + more; };
    switch (action.kind) {
    case ActionKind::compute:
    case ActionKind::sleep:
        add(fmt::format("{}", action.volume));
        if (action.other != 0) add(fmt::format("pause {}", action.other));
        if (action.bytes != 0) add(fmt::format("at most {}", action.bytes));
        break;
    case ActionKind::sendrecv:
        add(fmt::format("{} {} B, {} {} B", peer(action.peer), action.bytes, peer(action.other),
                        action.more_bytes));
        if (action.tag != 0) add(fmt::format("tag {}", action.tag));
        break;
    case ActionKind::collective:
        if (action.nonblocking) words = "i" + words + fmt::format(" #{}", action.request);
        if (action.peer != 0) add(fmt::format("root {}", action.peer));
        if (action.collective != Collective::barrier) add(fmt::format("{} B", action.bytes));
        if (action.element != 1) add(fmt::format("of {}", action.element));
        if (action.volume != 0) add(fmt::format("then {}", action.volume));
        break;
    case ActionKind::wait:
    case ActionKind::forget:
    case ActionKind::cancel:
    case ActionKind::aside:
    case ActionKind::test: add(fmt::format("#{}", action.request)); break;
    case ActionKind::one_sided:
        add(fmt::format("{} {} B, {} B back", action.peer, action.bytes, action.more_bytes));
        if (action.nonblocking) words = "i" + words + fmt::format(" #{}", action.request);
        break;
    case ActionKind::window:
        words = name_of(static_cast<WindowCall>(action.other));
        if (has_target(static_cast<WindowCall>(action.other))) add(peer(action.peer));
        if (action.tag != 0) add(fmt::format("flags {}", action.tag));
        break;
    case ActionKind::wait_all:
    case ActionKind::wait_any:
    case ActionKind::wait_some:
    case ActionKind::await: break;
    case ActionKind::comm_split:
        add(fmt::format("{}: {} {}", action.request, peer(action.peer), action.other));
        break;
    case ActionKind::comm_dup:
    case ActionKind::comm_create: add(fmt::format("{}:", action.request)); break;
    case ActionKind::comm_free: break;
    case ActionKind::neighbours: add(fmt::format("{} sources", action.peer)); break;
    default:
        add(peer(action.peer));
        if (action.tag != 0) add(action.tag == any_tag ? "tag any" : fmt::format("tag {}", action.tag));
        if (action.kind == ActionKind::probe) {
            if (action.other != 0) add(fmt::format("msg {}", action.other - 1));
            break;
        }
        add(action.bytes == any_bytes ? "all" : fmt::format("{} B", action.bytes));
        if (action.kind == ActionKind::isend || action.kind == ActionKind::issend ||
            action.kind == ActionKind::irecv)
            add(fmt::format("#{}", action.request));
        if (action.kind == ActionKind::irecv && action.other != 0) add(fmt::format("msg {}", action.other - 1));
    }
    if (action.comm != world) add(fmt::format("in {}", action.comm));
    if (!counts.empty()) add(fmt::format("[{}]", fmt::join(counts, " ")));
    if (with_line) add(fmt::format("line {}", action.line));
    return words;
}

using Words = std::vector<std::vector<std::string>>; // of each action of each rank

inline Words read_all(ActionSource& source, bool with_lines = false) {
    Words words(source.ranks());
    // Window by window in turn, as a replay would.
    for (bool more = true; more;) {
        more = false;
        for (std::uint32_t rank = 0; rank < source.ranks(); ++rank) {
            const std::span<const Action> window = source.next(RankId{rank});
            more = more || !window.empty();
            for (const Action& action : window)
                words[rank].push_back(words_of(action, source.counts(RankId{rank}, action), with_lines));
        }
    }
    return words;
}

inline Words read_all(const std::string& path, bool with_lines = false, const TiOptions& options = {}) {
    const TiTrace trace = TiTrace::open(path, options);
    return read_all(*trace.source(), with_lines);
}

// Of a file with this text, all ranks in it.
inline Words read_text(std::string_view text) {
    const Folder folder;
    return read_all(folder.write("trace.txt", text));
}
// What the lines are for rank 0; without a rank before them. There are four ranks.
inline std::vector<std::string> read_lines(std::initializer_list<std::string_view> lines) {
    std::string text;
    for (const std::string_view line : lines) text += fmt::format("0 {}\n", line);
    return read_text(text + "1 init\n2 init\n3 init\n")[0];
}

// The error that reading gives, as it is shown; the folder is cut off. Empty if there is none.
inline std::string error_of(const std::string& path, const TiOptions& options = {}) {
    try {
        (void)read_all(path, false, options);
    } catch (const InputError& error) {
        Error what = error.error();
        what.file = std::filesystem::path(what.file).filename().string();
        return what.words();
    }
    return {};
}
inline std::string error_of_text(std::string_view text) {
    const Folder folder;
    return error_of(folder.write("t", text));
}

} // namespace orrery::ti_test
