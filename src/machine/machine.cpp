#include "machine/machine.h"

#include <fmt/format.h>

namespace orrery {

bool Machine::rates_cpu_time() const {
    if (hardware.word("host.counts", "instructions") == "cpu-time") return true;
    const Setting* const speed = hardware.find("host.speed");
    return speed != nullptr && speed->file == "--set";
}

bool Machine::computes_as_recorded() const {
    constexpr double nanoseconds_per_second = 1e9;
    return hardware.word("host.counts", "instructions") == "cpu-time" && platform != nullptr &&
           platform->host_count() > 0 && platform->host({0}).speed == nanoseconds_per_second;
}

std::string origin_words(const Setting& setting) {
    if (setting.line == 0) return setting.file;
    return fmt::format("{}:{}", setting.file, setting.line);
}

} // namespace orrery
