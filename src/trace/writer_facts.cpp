#include "trace/writer_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstdio>
#include <ctime>
#include <sys/resource.h>

namespace orrery::trace {

namespace {

// An object, member after member. Numbers by to_chars: printf would follow the language of the program.
class JsonObject {
  public:
    JsonObject& add(std::string_view key, std::string_view value) {
        name(key);
        string(value);
        return *this;
    }
    JsonObject& add(std::string_view key, const char* value) { return add(key, std::string_view(value)); }
    template <typename Number>
    requires(std::integral<Number> || std::floating_point<Number>) JsonObject& add(std::string_view key,
                                                                                   Number value) {
        name(key);
        if constexpr (std::same_as<Number, bool>) {
            text_ += value ? "true" : "false";
        } else {
            std::array<char, 40> digits{};
            const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
            text_.append(digits.data(), result.ptr);
        }
        return *this;
    }
    JsonObject& add_raw(std::string_view key, std::string_view json) {
        name(key);
        text_ += json;
        return *this;
    }
    [[nodiscard]] std::string done() const { return text_ + "}"; }

  private:
    void name(std::string_view key) {
        text_ += text_.size() > 1 ? "," : "";
        string(key);
        text_ += ':';
    }
    void string(std::string_view value);

    std::string text_ = "{";
};

// How many bytes the UTF-8 character at the beginning of `text` has; 0: it is none.
std::size_t utf8_bytes(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    const std::size_t bytes = first < 0x80U                      ? 1
                              : first >= 0xC2U && first < 0xE0U  ? 2
                              : (first & 0xF0U) == 0xE0U         ? 3
                              : first >= 0xF0U && first <= 0xF4U ? 4
                                                                 : 0;
    if (bytes == 0 || bytes > text.size()) {
        return 0;
    }
    const auto follows = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
    return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(bytes), follows) ? bytes
                                                                                                     : 0;
}

// Arguments of programs may hold any byte: what is no UTF-8 becomes a question mark, so that the JSON is valid.
void JsonObject::string(std::string_view value) {
    text_ += '"';
    while (!value.empty()) {
        const std::size_t bytes = utf8_bytes(value);
        const char c = value[0];
        if (bytes == 0) {
            text_ += '?';
        } else if (c == '"' || c == '\\') {
            text_ += '\\';
            text_ += c;
        } else if (static_cast<unsigned char>(c) < 0x20U) {
            constexpr std::string_view digits = "0123456789abcdef";
            text_ += "\\u00";
            text_ += digits[static_cast<unsigned char>(c) / 16U];
            text_ += digits[static_cast<unsigned char>(c) % 16U];
        } else {
            text_ += value.substr(0, bytes);
        }
        value.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
    text_ += '"';
}

std::string contents(const char* path, std::size_t most) {
    std::string text;
    if (std::FILE* const file = std::fopen(path, "re")) {
        text.resize(most);
        text.resize(std::fread(text.data(), 1, most, file));
        std::fclose(file);
    }
    return text;
}

std::string hexadecimal(std::uint64_t value) {
    std::string text(16, '0');
    std::array<char, 16> digits{};
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
    const auto count = static_cast<std::size_t>(result.ptr - digits.data());
    text.replace(16 - count, count, digits.data(), count);
    return text;
}

} // namespace

std::string program_line() {
    constexpr std::size_t longest = 16384;
    std::string line = contents("/proc/self/cmdline", longest);
    while (!line.empty() && line.back() == '\0') {
        line.pop_back();
    }
    std::replace(line.begin(), line.end(), '\0', ' ');
    return line;
}

std::string cpu_model() {
    const std::string text = contents("/proc/cpuinfo", 8192);
    const std::size_t name = text.find("model name");
    const std::size_t colon = name == std::string::npos ? name : text.find(": ", name);
    if (colon == std::string::npos) {
        return "unknown";
    }
    return text.substr(colon + 2, text.find('\n', colon) - colon - 2);
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02dZ", parts.tm_year + 1900,
                  parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
    return text.data();
}

std::string short_mpi_name(std::string_view version) {
    version = version.substr(0, version.find_first_of("\n,"));
    std::string name;
    for (std::size_t i = 0; i < version.size(); ++i) {
        constexpr std::string_view label = "Version:";
        if (version.substr(i, label.size()) == label) {
            i += label.size() - 1;
        } else if (version[i] == ' ' || version[i] == '\t') {
            name += name.empty() || name.back() == ' ' ? "" : " ";
        } else if (version[i] != 'v' || i + 1 == version.size() || version[i + 1] < '0' ||
                   version[i + 1] > '9') {
            name += version[i];
        }
    }
    return name;
}

std::uint64_t peak_memory_bytes() noexcept {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::string begin_json(const RecordedBegin& begin, std::string_view clock) {
    return JsonObject()
        .add("run", hexadecimal(begin.run))
        .add("ranks", begin.ranks)
        .add("program", begin.program)
        .add("host", begin.host)
        .add("cpu", begin.cpu)
        .add("mpi", begin.mpi)
        .add("started", begin.started)
        .add("counter", begin.counter)
        .add("clock", clock)
        .add("reference", begin.reference)
        .add("version", begin.version)
        .add("timed", begin.timed)
        .done();
}

std::string end_json(const RecordedEnd& end) {
    std::string calls = "[";
    for (const RecordedCall& call : end.calls) {
        calls += calls.size() > 1 ? "," : "";
        calls +=
            JsonObject().add("name", call.name).add("calls", call.calls).add("replayed", call.replayed).done();
    }
    calls += "]";
    return JsonObject()
        .add("finalized", end.finalized)
        .add("how", end.how)
        .add("seconds", end.seconds)
        .add("mpi_seconds", end.mpi_seconds)
        .add("volume", end.volume)
        .add("cost_seconds", end.cost_seconds)
        .add("peak_bytes", end.peak_bytes)
        .add_raw("calls", calls)
        .done();
}

std::string clock_json(const ClockFacts& facts) {
    return JsonObject()
               .add("rank", facts.rank)
               .add("seconds", facts.seconds)
               .add("cpu_seconds", facts.cpu_seconds)
               .add("finalized", true)
               .done() +
           "\n";
}

} // namespace orrery::trace
