#include "emulate/program/backtrace.h"

#include "emulate/program/program.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace orrery::emulate {

namespace {

constexpr std::size_t most_frames = 64;
constexpr std::size_t most_lines = 16;

// What addr2line prints for these places of the file; empty if it is not there.
std::string ask_addr2line(const std::string& file, const std::vector<std::uint64_t>& offsets) {
    std::vector<std::string> words{"addr2line", "-f", "-C", "-s", "-e", file};
    for (const std::uint64_t offset : offsets) words.push_back(fmt::format("{:#x}", offset));
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int ends[2];
    if (::pipe2(static_cast<int*>(ends), O_CLOEXEC) != 0) return {};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t process = 0;
    const int failed = ::posix_spawnp(&process, "addr2line", &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    ::close(ends[1]);
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t got = 0; failed == 0 && (got = ::read(ends[0], part.data(), part.size())) > 0;)
        text.append(part.data(), static_cast<std::size_t>(got));
    ::close(ends[0]);
    if (failed == 0) (void)::waitpid(process, nullptr, 0);
    return text;
}

// "solve (heat.c:42)" for each, or what the table of symbols says.
std::vector<std::string> source_places(const std::vector<void*>& frames) {
    std::vector<std::string> places;
    std::vector<std::uint64_t> offsets;
    for (void* const frame : frames) {
        places.push_back(place_words(frame));
        offsets.push_back(Program::active->offset(frame).value_or(0));
    }
    std::istringstream answer(ask_addr2line(Program::active->file().path(), offsets));
    std::string function;
    std::string line;
    for (std::string& place : places) {
        if (!std::getline(answer, function) || !std::getline(answer, line)) break;
        if (function == "??") continue;
        line.resize(std::min(line.size(), line.find(" (discriminator")));
        const bool found = !line.starts_with("??") && !line.ends_with("?");
        place = fmt::format("{} ({})", function, found ? line : "no line: compile with -g");
    }
    return places;
}

} // namespace

std::string place_words(const void* address) {
    if (Program::active != nullptr)
        if (std::string words = Program::active->describe(address); !words.empty()) return words;
    Dl_info info{};
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return fmt::format("{}", fmt::ptr(address));
    return fmt::format("{} in {}", info.dli_sname == nullptr ? "?" : info.dli_sname, info.dli_fname);
}

std::vector<void*> frames_from(const void* at) {
    std::array<void*, most_frames> all{};
    const int count = ::backtrace(all.data(), static_cast<int>(all.size()));
    const auto end = all.begin() + count;
    auto first = at == nullptr
                     ? std::find_if(all.begin(), end,
                                    [](void* frame) { return Program::active->offset(frame).has_value(); })
                     : std::find(all.begin(), end, at);
    if (at != nullptr && first == end) return {const_cast<void*>(at)};
    std::vector<void*> frames(first, end);
    // A caller's address is the one behind its call.
    for (auto frame = frames.begin() + 1; frame != frames.end(); ++frame)
        *frame = static_cast<std::byte*>(*frame) - 1;
    return frames;
}

std::string stack_words(const std::vector<void*>& frames) {
    if (Program::active == nullptr || frames.empty()) return {};
    std::string text;
    if (!Program::active->offset(frames.front())) text += fmt::format("\n  in {}", place_words(frames.front()));
    std::vector<void*> own;
    for (void* const frame : frames)
        if (own.size() < most_lines && Program::active->offset(frame)) own.push_back(frame);
    for (const std::string& place : source_places(own)) text += fmt::format("\n  in {}", place);
    return text;
}

} // namespace orrery::emulate
