// Settings: what a machine file, a SimGrid platform and `--set` say, as text with its origin.
//
// A setting is `section.name = value`. Each model declares the settings it knows in a table of Parameters
// (name, unit, default, meaning), from which help, checking and the manual are made, and reads them from here;
// so machine/ need not know what a network or an endpoint is made of.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// One row per parameter of a model.
struct Parameter {
    std::string_view key;     // "flow.latency_factor"
    std::string_view unit;    // "time", "bytes", "bandwidth", "factor", "yes/no", "word", "table", ...
    std::string_view initial; // what holds if nobody sets it
    std::string_view meaning;
};

struct Setting {
    std::string value;
    std::string file; // where it was said: a file, "--set", or the name of a built-in set
    std::uint64_t line = 0;
};

// Something is wrong with this setting: a UsageError if it was said by --set, an InputError with file and line
// if in a file.
[[noreturn]] void fail_setting(const Setting& setting, const std::string& reason);

class Settings {
  public:
    // A later one replaces an earlier one. '/' in a key is read as '.', as SimGrid writes them.
    void set(std::string_view key, std::string value, std::string file, std::uint64_t line = 0);
    // "network.latency=2us", as `--set` takes it. Throws UsageError without '='.
    void set_from_option(std::string_view assignment);
    [[nodiscard]] const Setting* find(std::string_view key) const;
    [[nodiscard]] const std::map<std::string, Setting, std::less<>>& all() const { return settings_; }

    // The value, or `otherwise` if it is not set. A value that cannot be read throws, as fail_setting() does,
    // with where it was said, the key, and what was expected.
    [[nodiscard]] Time time(std::string_view key, Time otherwise) const;
    [[nodiscard]] Bytes bytes(std::string_view key, Bytes otherwise) const; // "unlimited" is ~Bytes{0}
    [[nodiscard]] double number(std::string_view key, double otherwise) const;
    [[nodiscard]] double bandwidth(std::string_view key, double otherwise) const; // bytes per second
    [[nodiscard]] bool flag(std::string_view key, bool otherwise) const; // yes/no, true/false, on/off, 1/0
    [[nodiscard]] std::string word(std::string_view key, std::string_view otherwise) const;

    // Throws as fail_setting() does, naming the first key that no table knows, with "did you mean".
    void check_known(std::span<const std::span<const Parameter>> tables) const;

    // For readers of other kinds of values: throws as fail_setting() does about this key.
    [[noreturn]] void complain(std::string_view key, std::string_view expected) const;

  private:
    std::map<std::string, Setting, std::less<>> settings_;
};

} // namespace orrery
