#include "trace/writer_facts.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

namespace orrery::trace {

namespace {

std::string contents(const char* path, std::size_t most) {
    std::string text;
    if (std::FILE* const file = std::fopen(path, "re")) {
        text.resize(most);
        text.resize(std::fread(text.data(), 1, most, file));
        std::fclose(file);
    }
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

std::string clock_json(const ClockFacts& facts) {
    return nlohmann::ordered_json{{"rank", facts.rank},
                                  {"seconds", facts.seconds},
                                  {"cpu_seconds", facts.cpu_seconds},
                                  {"finalized", true}}
               .dump() +
           "\n";
}

} // namespace orrery::trace
