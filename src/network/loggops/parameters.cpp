#include "network/loggops/parameters.h"

#include "engine/error.h"
#include "engine/units.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

namespace orrery {

namespace {

constexpr std::array loggops_table{
    LogGOPSParameter{"L", "time", "latency between two network interfaces"},
    LogGOPSParameter{"o", "time", "CPU overhead per message, at the sender and at the receiver"},
    LogGOPSParameter{"g", "time", "gap: least time between two messages at one network interface"},
    LogGOPSParameter{"G", "time per byte", "gap per byte, the inverse of an interface's bandwidth"},
    LogGOPSParameter{"O", "time per byte", "CPU overhead per byte"},
    LogGOPSParameter{"S", "bytes", "largest message that is sent eagerly; larger ones wait for their receiver"},
};

LogGOPS of_nanoseconds(std::int64_t L, std::int64_t o, std::int64_t g, double G, double O, Bytes S) {
    return {Time::ns(L), Time::ns(o), Time::ns(g), G * 1000, O * 1000, S, Rendezvous::sender_waits};
}

constexpr std::string_view paper = "Hoefer, Schneider, Lumsdaine, LogGOPSim, HPDC 2010";

void set(LogGOPS& parameters, std::string_view name, std::string_view value) {
    if (name == "L") {
        parameters.L = parse_time(value);
    } else if (name == "o") {
        parameters.o = parse_time(value);
    } else if (name == "g") {
        parameters.g = parse_time(value);
    } else if (name == "G") {
        parameters.G = parse_time_per_byte(value);
    } else if (name == "O") {
        parameters.O = parse_time_per_byte(value);
    } else if (name == "S") {
        parameters.S = value == "unlimited" ? unlimited : parse_bytes(value);
    } else {
        std::string known;
        for (const LogGOPSParameter& row : loggops_table) known += fmt::format(" {}", row.name);
        throw UsageError(fmt::format("'{}' is not a LogGOPS parameter; there are{}", name, known));
    }
}

// The same as settings of a machine; the defaults are those of the struct.
constexpr std::array key_table{
    Parameter{"loggops.L", "time", "2500ns", loggops_table[0].meaning},
    Parameter{"loggops.o", "time", "1500ns", loggops_table[1].meaning},
    Parameter{"loggops.g", "time", "1000ns", loggops_table[2].meaning},
    Parameter{"loggops.G", "time per byte", "6ns/B", loggops_table[3].meaning},
    Parameter{"loggops.O", "time per byte", "0", loggops_table[4].meaning},
    Parameter{"loggops.S", "bytes", "65535B", loggops_table[5].meaning},
};

bool blank(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\n'; }

std::string per_byte_words(double picoseconds) {
    return picoseconds == 0 ? "0" : fmt::format("{}ns/B", picoseconds / 1000);
}

std::string time_words(Time time) {
    return time == Time::zero()    ? "0"
           : time.ps() % 1000 == 0 ? fmt::format("{}ns", time.ps() / 1000)
                                   : fmt::format("{}ps", time.ps());
}

} // namespace

std::span<const LogGOPSParameter> loggops_parameters() { return loggops_table; }

// Odin's gap per byte: section 4.1 gives 2.5 ns as measured; the simulations were run with whole nanoseconds, 3
// (the "ten times lower bandwidth" of section 5 is G = 30).
std::span<const NamedLogGOPS> published_loggops() {
    static const std::array published{
        NamedLogGOPS{"odin", of_nanoseconds(5300, 2300, 2000, 3, 1, 32768), paper},
        NamedLogGOPS{"odin-measured", of_nanoseconds(5300, 2300, 2000, 2.5, 1, 32768), paper},
        NamedLogGOPS{"big-red", of_nanoseconds(2900, 2400, 1700, 5, 2, 32768), paper},       // section 4.1
        NamedLogGOPS{"paper-figures", of_nanoseconds(2500, 1500, 4000, 6, 8, 65535), paper}, // figures 4 to 7
    };
    return published;
}

LogGOPS parse_loggops(std::string_view text, LogGOPS base) {
    // A value may contain blanks ("L = 2500 ns"), so each runs up to the name before the next '='.
    std::size_t at = 0;
    const auto skip = [&] {
        while (at < text.size() && blank(text[at])) ++at;
    };
    for (skip(); at < text.size(); skip()) {
        const std::size_t equals = text.find('=', at);
        if (equals == std::string_view::npos) {
            throw UsageError(
                fmt::format("'{}' is not of the form L=2500ns o=1500ns g=4000ns G=6ns/B O=8ns/B S=65535B",
                            text.substr(at)));
        }
        std::size_t name_end = equals;
        while (name_end > at && blank(text[name_end - 1])) --name_end;
        std::size_t value_end = text.find('=', equals + 1);
        if (value_end == std::string_view::npos) {
            value_end = text.size();
        } else {
            while (value_end > equals && blank(text[value_end - 1])) --value_end;
            while (value_end > equals + 1 && !blank(text[value_end - 1])) --value_end;
        }
        std::string_view value = text.substr(equals + 1, value_end - equals - 1);
        while (!value.empty() && blank(value.back())) value.remove_suffix(1);
        while (!value.empty() && blank(value.front())) value.remove_prefix(1);
        const std::string_view name = text.substr(at, name_end - at);
        try {
            set(base, name, value);
        } catch (const UsageError& error) {
            throw UsageError(fmt::format("LogGOPS parameter {}: {}", name, error.what()));
        }
        at = value_end;
    }
    return base;
}

std::span<const Parameter> loggops_keys() { return key_table; }

LogGOPS read_loggops(const Settings& settings, LogGOPS base) {
    constexpr std::size_t section = std::string_view("loggops.").size();
    for (const Parameter& row : key_table) {
        const Setting* setting = settings.find(row.key);
        if (setting == nullptr) continue;
        try {
            set(base, row.key.substr(section), setting->value);
        } catch (const UsageError& error) {
            fail_setting(*setting, fmt::format("{}: {}", row.key, error.what()));
        }
    }
    return base;
}

std::string to_string(const LogGOPS& parameters) {
    return fmt::format("L={} o={} g={} G={} O={} S={}", time_words(parameters.L), time_words(parameters.o),
                       time_words(parameters.g), per_byte_words(parameters.G), per_byte_words(parameters.O),
                       parameters.S == unlimited ? std::string("unlimited") : fmt::format("{}B", parameters.S));
}

std::span<const std::string_view> loggops_models() {
    static constexpr std::array<std::string_view, 5> models{"logp", "loggp", "loggps", "loggops",
                                                            "loggopsim-compat"};
    return models;
}

LogGOPS restrict_to_model(LogGOPS parameters, std::string_view model) {
    const std::span<const std::string_view> models = loggops_models();
    const auto found = std::find(models.begin(), models.end(), model);
    if (found == models.end()) {
        const std::string near = nearest_word(model, models);
        throw UsageError(fmt::format("'{}' is not a model of the LogP family ({}){}", model,
                                     fmt::join(models, ", "),
                                     near.empty() ? "" : fmt::format("; did you mean {}?", near)));
    }
    const auto rank = found - models.begin();
    if (rank == 4) parameters.ties = Ties::loggopsim;
    if (rank < 3) parameters.O = 0;
    if (rank < 2) parameters.S = unlimited;
    if (rank < 1) parameters.G = 0;
    return parameters;
}

} // namespace orrery
