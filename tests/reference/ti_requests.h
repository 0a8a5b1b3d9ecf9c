// The slow obvious twin of formats/ti/requests.h: a list in the order in which requests were made.
#pragma once

#include "formats/ti/requests.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace orrery::reference {

class Requests {
  public:
    std::uint32_t add(const ti::RequestName& name) {
        std::uint32_t number = 0;
        while (pending(number)) ++number;
        list_.emplace_back(number, name);
        return number;
    }
    [[nodiscard]] std::optional<std::uint32_t> oldest(const ti::RequestName& name) const {
        for (const auto& [number, of] : list_) {
            if (of == name) return number;
        }
        return std::nullopt;
    }
    [[nodiscard]] std::optional<std::uint32_t> oldest() const {
        return list_.empty() ? std::nullopt : std::optional(list_.front().first);
    }
    [[nodiscard]] std::optional<std::uint32_t> latest() const {
        return list_.empty() ? std::nullopt : std::optional(list_.back().first);
    }
    [[nodiscard]] bool pending(std::uint32_t number) const {
        return std::any_of(list_.begin(), list_.end(),
                           [&](const auto& entry) { return entry.first == number; });
    }
    void remove(std::uint32_t number) {
        std::erase_if(list_, [&](const auto& entry) { return entry.first == number; });
    }
    void clear() { list_.clear(); }
    [[nodiscard]] std::size_t size() const { return list_.size(); }

  private:
    std::vector<std::pair<std::uint32_t, ti::RequestName>> list_;
};

} // namespace orrery::reference
