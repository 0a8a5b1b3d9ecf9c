// Reading the quantities of a machine file: what is missing or out of range is named with the file.
#pragma once

#include "engine/error.h"
#include "engine/settings.h"
#include "machine/topologies/regular.h"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

class MachineValues {
  public:
    MachineValues(const Settings& settings, std::string file) : settings_(settings), file_(std::move(file)) {}

    [[nodiscard]] const Settings& settings() const { return settings_; }
    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] bool has(const std::string& key) const { return settings_.find(key) != nullptr; }
    // Throws InputError that the key is missing.
    void require(const std::string& key, std::string_view example) const;

    [[nodiscard]] double bandwidth(const std::string& key) const;                             // more than zero
    [[nodiscard]] double rate(const std::string& key, double otherwise) const;                // more than zero
    [[nodiscard]] std::uint32_t count(const std::string& key, std::uint32_t otherwise) const; // 0: required
    [[nodiscard]] std::vector<std::uint32_t> counts(const std::string& key) const;            // required
    // SECTION.bandwidth, .latency and .sharing; what is missing is as in the section `otherwise`, if one is
    // named.
    [[nodiscard]] Cable cable(const std::string& section, const std::string& otherwise = {}) const;
    // The same; what is missing is as in `base`, or required if there is none.
    [[nodiscard]] Cable cable_over(const std::string& section, const std::optional<Cable>& base) const;
    // A part that is there if its bandwidth is: backbone, core, limiter.
    [[nodiscard]] std::optional<Cable> optional_cable(const std::string& section) const;
    [[nodiscard]] std::optional<Link> loopback() const;
    // Runs `parse` on the text of `key`; its UsageError becomes an InputError with file and line.
    template <typename Parse> auto parse(const std::string& key, Parse&& parse) const;
    [[noreturn]] void fail(const std::string& key, const std::string& reason) const;

  private:
    [[nodiscard]] Duplex duplex(const std::string& key, Duplex otherwise, bool split_too) const;

    const Settings& settings_;
    std::string file_;
};

template <typename Parse> auto MachineValues::parse(const std::string& key, Parse&& parse) const {
    try {
        return parse(std::string_view(settings_.find(key)->value));
    } catch (const UsageError& error) {
        fail(key, error.what());
    }
}

} // namespace orrery
