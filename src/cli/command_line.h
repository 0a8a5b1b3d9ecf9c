// Verbs and their options: the part of CLI11 that we use. With its header a verb takes three to seven times as
// long to compile, so only command_line.cpp and main.cpp include it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace orrery::cli {

// An option of a verb. A handle: copies are the same option.
class Option {
  public:
    explicit Option(CLI::Option* option) : option_(option) {}

    // How it is described.
    Option group(const std::string& name) const;
    Option type_name(const std::string& name) const;
    Option show_default() const; // the value that its variable has now

    // What may be given. Anything else is wrong usage.
    Option required() const;
    Option range(std::uint32_t least, std::uint32_t most) const;
    Option range(double least, double most) const;
    Option one_of(const std::vector<std::string>& words) const;
    Option existing_file() const;

    // How often, and how much of what follows it takes.
    Option one_each_time() const;         // of a list: the option's name before each word, not once before all
    Option delimiter(char between) const; // of a list: several in one word
    Option optional_value(const std::string& without) const; // --name=VALUE, or the bare name for this one

    // Once the command line is read.
    [[nodiscard]] bool given() const;
    [[nodiscard]] std::string name() const;

  private:
    CLI::Option* option_;
};

// A verb, or what stands above the verbs. A handle: copies are the same verb.
class Verb {
  public:
    explicit Verb(CLI::App* app) : app_(app) {}

    [[nodiscard]] Verb add_subcommand(const std::string& name, const std::string& meaning) const;
    void require_subcommand() const;

    // `names` as in "-o,--output", or a word without dashes for what stands by itself. The variable gets the
    // value when the command line is read, and must still be there then.
    Option add_option(const std::string& names, std::string& value, const std::string& meaning) const;
    Option add_option(const std::string& names, std::vector<std::string>& value,
                      const std::string& meaning) const;
    Option add_option(const std::string& names, std::uint16_t& value, const std::string& meaning) const;
    Option add_option(const std::string& names, std::uint32_t& value, const std::string& meaning) const;
    Option add_option(const std::string& names, std::uint64_t& value, const std::string& meaning) const;
    Option add_option(const std::string& names, double& value, const std::string& meaning) const;
    Option add_flag(const std::string& names, bool& value, const std::string& meaning) const;
    Option add_flag(const std::string& names, const std::string& meaning) const; // asked by given()

    void remove_option(const std::string& name) const; // which another is to have
    void positionals_at_end() const; // all that follows the first word by itself belongs to it
    void footer(const std::string& text) const;
    void callback(std::function<void()> work) const;

    [[nodiscard]] std::vector<Option> options() const; // in the order in which they were added
    [[nodiscard]] bool given(const std::string& name) const;

  private:
    CLI::App* app_;
};

// Thrown by a verb whose work was to run another program, which has said itself what is wrong.
struct ExitWith {
    int code;
};

} // namespace orrery::cli
