#include "formats/formats.h"

#include "engine/error.h"
#include "engine/output_file.h"
#include "engine/units.h"
#include "formats/goal/goal_text_reader.h"
#include "formats/goal/goal_text_writer.h"
#include "formats/loggopsim/loggopsim_binary.h"
#include "formats/text/text_input.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace orrery {

namespace {

constexpr std::size_t looked_at = 4096;

// A pipe can be read only once, so nobody may look into it first.
bool is_stream(const std::string& path) { return path == "-" || is_pipe(path); }

// The first bytes of a file, at most `looked_at`.
std::string first_bytes(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        throw InputError(Error{path, 0, 0, std::string("cannot be opened: ") + std::strerror(errno)});
    std::string bytes(looked_at, '\0');
    std::size_t used = 0;
    ssize_t got = 0;
    do {
        got = ::read(descriptor, bytes.data() + used, bytes.size() - used);
        used += got > 0 ? static_cast<std::size_t>(got) : 0;
    } while ((got > 0 && used < bytes.size()) || (got < 0 && errno == EINTR));
    const int reason = errno;
    ::close(descriptor);
    if (got < 0) throw InputError(Error{path, 0, 0, std::string("cannot be read: ") + std::strerror(reason)});
    bytes.resize(used);
    return bytes;
}

bool is_text(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7F) || (byte >= '\t' && byte <= '\r');
}

// What a file of another kind is, if it is one that people mistake for a schedule.
std::string_view other_kind(std::string_view bytes) {
    struct Kind {
        std::string_view magic;
        std::string_view name;
    };
    static constexpr std::array<Kind, 6> kinds{{
        {"\x1F\x8B", "compressed by gzip: unpack it, or pipe it in (zcat FILE | orrery convert - OUT)"},
        {"\x28\xB5\x2F\xFD",
         "compressed by zstd: unpack it, or pipe it in (zstdcat FILE | orrery convert - OUT)"},
        {"\xFD"
         "7zXZ",
         "compressed by xz: unpack it, or pipe it in (xzcat FILE | orrery convert - OUT)"},
        {"BZh", "compressed by bzip2: unpack it, or pipe it in (bzcat FILE | orrery convert - OUT)"},
        {"PK\x03\x04", "a zip archive: unpack it first"},
        {"\x7F"
         "ELF",
         "a program: 'orrery run -n 8 --on MACHINE FILE' runs it if orrery-mpicc built it, 'orrery trace -n 8 "
         "-- "
         "FILE' records it otherwise"},
    }};
    for (const Kind& kind : kinds) {
        if (bytes.starts_with(kind.magic)) return kind.name;
    }
    return {};
}

constexpr std::string_view known_formats = "expected a trace (a folder or file of 'orrery trace', lines like "
                                           "\"0 compute 1e6\", .oti, .ort, .dim, .prv, or of "
                                           "liballprof) or a schedule (GOAL text, LogGOPSim's .bin, .orr)";

// The first word of GOAL text, behind its comments; empty if the beginning of the file has none.
std::string_view first_goal_word(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    while (!text.empty()) {
        const std::size_t blanks = text.find_first_not_of(" \t\r\n\v\f");
        if (blanks == std::string_view::npos) return {};
        text.remove_prefix(blanks);
        const bool block = text.starts_with("/*");
        if (!block && !text.starts_with('#') && !text.starts_with("//")) break;
        const std::size_t end = text.find(block ? "*/" : "\n");
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + (block ? 2 : 1));
    }
    return text.substr(0, text.find_first_of(" \t\r\n{"));
}

// What a text is that cannot be GOAL, misspelt or not; empty if it can.
std::string other_text(const std::string& path, std::string_view text) {
    constexpr std::array<std::string_view, 2> beginnings{"num_ranks", "rank"};
    if (text.starts_with('{'))
        return fmt::format("JSON, and no trace or schedule; if it is the manifest.json of a trace, give its "
                           "folder; {}",
                           known_formats);
    const std::string_view word = first_goal_word(text);
    if (word.empty() || path.ends_with(".goal") || !nearest_word(word, beginnings).empty()) return {};
    if (path.ends_with(".toml") || path.ends_with(".xml") || path.ends_with(".cfg"))
        return fmt::format("not a trace: it looks like a machine or a study; a machine goes with --on: --on {}",
                           path);
    return fmt::format("not a trace and not a schedule; {}", known_formats);
}

// GOAL text is read as it comes; all else must be a file.
void read_stream(const std::string& path, ScheduleSink& sink) {
    TextInput input = TextInput::from_file(path);
    const std::string_view window(input.begin(), static_cast<std::size_t>(input.window_end() - input.begin()));
    const std::string_view begin = window.substr(0, looked_at);
    if (!std::all_of(begin.begin(), begin.end(), is_text) || !other_text("", begin).empty())
        throw InputError(
            Error{input.name(), 0, 0,
                  "not GOAL text, which alone can come through a pipe: all other traces and schedules "
                  "are mapped, or read more than once, and must be files"});
    read_goal_text(input, sink);
}

std::string hexadecimal(std::string_view bytes) {
    std::string words;
    for (const char c : bytes.substr(0, 8)) words += fmt::format(" {:02x}", static_cast<unsigned char>(c));
    return words;
}

} // namespace

std::string_view name_of(ScheduleFormat format) {
    switch (format) {
    case ScheduleFormat::goal_text: return "GOAL text";
    case ScheduleFormat::loggopsim_binary: return "LogGOPSim binary";
    case ScheduleFormat::compact: break;
    }
    return "Orrery compact";
}

ScheduleFormat detect_format(const std::string& path) {
    if (is_stream(path)) return ScheduleFormat::goal_text;
    const auto fail = [&path](const std::string& reason) { throw InputError(Error{path, 0, 0, reason}); };
    std::error_code none;
    if (std::filesystem::is_directory(path, none))
        fail(fmt::format("there is no trace in this folder; {}", known_formats));
    const std::string bytes = first_bytes(path);
    if (bytes.empty()) fail("empty schedule: the file has no bytes");
    constexpr std::string_view magic("ORRERYSC");
    if (bytes.starts_with(magic)) return ScheduleFormat::compact;
    std::uint64_t cookie = 0;
    if (bytes.size() >= sizeof cookie) std::memcpy(&cookie, bytes.data(), sizeof cookie);
    // A used-up one is told apart by the reader, which explains it.
    if (cookie == loggopsim_cookie || cookie == loggopsim_spent_cookie) return ScheduleFormat::loggopsim_binary;
    if (const std::string_view kind = other_kind(bytes); !kind.empty()) {
        fail(fmt::format("this is not a schedule: it is {}", kind));
    }
    if (!std::all_of(bytes.begin(), bytes.end(), is_text)) {
        fail(
            fmt::format("this is neither GOAL text nor a LogGOPSim .bin nor a compact .orr: it begins with the "
                        "bytes{}",
                        hexadecimal(bytes)));
    }
    if (const std::string kind = other_text(path, bytes); !kind.empty()) fail(kind);
    return ScheduleFormat::goal_text;
}

std::optional<ScheduleFormat> format_of_extension(std::string_view path) {
    if (path.ends_with(".goal")) return ScheduleFormat::goal_text;
    if (path.ends_with(".bin")) return ScheduleFormat::loggopsim_binary;
    if (path.ends_with(".orr")) return ScheduleFormat::compact;
    return std::nullopt;
}

ScheduleFormat parse_format(std::string_view word) {
    if (word == "goal") return ScheduleFormat::goal_text;
    if (word == "bin") return ScheduleFormat::loggopsim_binary;
    if (word == "orr") return ScheduleFormat::compact;
    throw UsageError(
        fmt::format("unknown format \"{}\": expected goal (text), bin (LogGOPSim) or orr (compact)", word));
}

std::unique_ptr<ScheduleSink> make_writer(const std::string& path, ScheduleFormat format) {
    if (path == "-" && format != ScheduleFormat::goal_text) {
        throw UsageError(
            fmt::format("the {} format cannot go to the standard output: give a file", name_of(format)));
    }
    switch (format) {
    case ScheduleFormat::goal_text:
        return std::make_unique<GoalTextWriter>(path == "-" ? OutputFile::standard_output : path);
    case ScheduleFormat::loggopsim_binary: return std::make_unique<LogGOPSimBinaryWriter>(path);
    case ScheduleFormat::compact: break;
    }
    return std::make_unique<ScheduleWriter>(path);
}

void read_schedule_file(const std::string& path, ScheduleSink& sink) {
    read_schedule_file(path, detect_format(path), sink);
}

void read_schedule_file(const std::string& path, ScheduleFormat format, ScheduleSink& sink) {
    switch (format) {
    case ScheduleFormat::goal_text:
        return is_stream(path) ? read_stream(path, sink) : read_goal_text(path, sink);
    case ScheduleFormat::loggopsim_binary: return read_loggopsim_binary(path, sink);
    case ScheduleFormat::compact: break;
    }
    expand(Schedule::open(path), sink);
}

Schedule load_schedule(const std::string& path) {
    const ScheduleFormat format = detect_format(path);
    if (format == ScheduleFormat::compact) return Schedule::open(path);
    ScheduleBuilder builder(path);
    read_schedule_file(path, format, builder);
    return builder.take();
}

} // namespace orrery
