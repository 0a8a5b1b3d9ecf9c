// What can be wrong with input, as a value: where, and what was expected.
//
// The rule: bad input throws an InputError, which carries an Error value and is turned into words and exit
// code 3 in one place, the CLI; a simulated application that fails (deadlock), or that lasts longer than can be
// simulated (engine/too_long.h), throws a SimulationError, exit code 1; a wrong command line throws a
// UsageError, exit code 2; a programmer's error is an assertion.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace orrery {

struct Error {
    std::string file;         // empty: not from a file
    std::uint64_t line = 0;   // 1-based; 0: not a text file, or the whole file
    std::uint64_t column = 0; // 1-based; 0: the whole line
    std::string reason;       // what is wrong and what was expected

    [[nodiscard]] std::string words() const {
        std::string out = file;
        if (line != 0) out.append(out.empty() ? "line " : ":").append(std::to_string(line));
        if (line != 0 && column != 0) out.append(":").append(std::to_string(column));
        return out.empty() ? reason : out + ": " + reason;
    }
};

class InputError : public std::runtime_error {
  public:
    explicit InputError(Error error) : std::runtime_error(error.words()), error_(std::move(error)) {}
    explicit InputError(std::string reason) : InputError(Error{{}, 0, 0, std::move(reason)}) {}
    [[nodiscard]] const Error& error() const { return error_; }

  private:
    Error error_;
};

class SimulationError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

} // namespace orrery
