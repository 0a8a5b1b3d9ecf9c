// Errors that know no file get the one that is being read: whoever builds a topology does not know where it is
// from.
#pragma once

#include "engine/error.h"

#include <cstdint>
#include <new>
#include <string>
#include <utility>

namespace orrery {

// Memory that was not there, with the words for the user.
class NoMemoryFor : public std::bad_alloc {
  public:
    explicit NoMemoryFor(const std::string& file)
        : words_(file + ": out of memory: it is too large for this computer") {}
    [[nodiscard]] const char* what() const noexcept override { return words_.c_str(); }

  private:
    std::string words_;
};

// What `work` returns; an InputError of it that names no file is thrown with this one, and its line if it has
// none. So is memory that was not there.
template <typename Work> decltype(auto) naming_file(const std::string& file, std::uint64_t line, Work&& work) {
    try {
        return std::forward<Work>(work)();
    } catch (const InputError& error) {
        if (!error.error().file.empty()) throw;
        Error named = error.error();
        named.file = file;
        if (named.line == 0) named.line = line;
        throw InputError(std::move(named));
    } catch (const std::bad_alloc&) {
        throw NoMemoryFor(file);
    }
}
template <typename Work> decltype(auto) naming_file(const std::string& file, Work&& work) {
    return naming_file(file, 0, std::forward<Work>(work));
}

} // namespace orrery
