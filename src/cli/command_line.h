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

struct OptionPage;
struct VerbPage;

// An option of a verb. A handle: copies are the same option.
class Option {
  public:
    Option(CLI::Option* option, OptionPage* page) : option_(option), page_(page) {}

    // How it is described. Every option with a value names it: MACHINE, SIZE, TIME, FILE, ... (help_page.cpp
    // explains those that occur often; completions know MACHINE, PATTERN, FILE, FOLDER and what may be either).
    Option group(const std::string& name) const;
    Option type_name(const std::string& name) const;
    Option show_default() const; // the value that its variable has now
    Option advanced() const;     // only in --help-all
    Option hidden() const;       // in no help: it is there to say why it does not fit
    Option completes(const std::vector<std::string>& words) const; // for completions; others are accepted too

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
    OptionPage* page_;
};

// A verb, or what stands above the verbs. A handle: copies are the same verb.
class Verb {
  public:
    Verb(CLI::App* app, VerbPage* page) : app_(app), page_(page) {}

    // `summary`: one sentence, without its full stop.
    [[nodiscard]] Verb add_subcommand(const std::string& name, const std::string& summary) const;
    void require_subcommand() const;
    void group(const std::string& heading) const; // in the list of verbs

    // `names` as in "-o,--output", the one to show first, or a word without dashes for what stands by itself.
    // The variable gets the value when the command line is read, and must still be there then.
    Option add_option(const std::string& names, std::string& value, const std::string& meaning) const;
    Option add_option(const std::string& names, std::vector<std::string>& value,
                      const std::string& meaning) const;
    Option add_option(const std::string& names, std::uint16_t& value, const std::string& meaning) const;
    Option add_option(const std::string& names, std::uint32_t& value, const std::string& meaning) const;
    Option add_option(const std::string& names, std::uint64_t& value, const std::string& meaning) const;
    Option add_option(const std::string& names, double& value, const std::string& meaning) const;
    Option add_flag(const std::string& names, bool& value, const std::string& meaning) const;
    Option add_flag(const std::string& names, const std::string& meaning) const; // asked by given()
    // A number of ranks, 64 or 4k: -n, --ranks, --np.
    Option add_ranks(std::uint32_t& value, const std::string& meaning, std::uint32_t most) const;

    void remove_option(const std::string& name) const; // which another is to have
    void positionals_at_end() const; // all that follows the first word by itself belongs to it
    void examples(const std::vector<std::string>& commands) const; // the first two are in the short help
    void notes(const std::string& text) const;                     // after the options
    void details(const std::string& text) const;                   // after the notes, only in --help-all
    void callback(std::function<void()> work) const;

    [[nodiscard]] std::vector<Option> options() const; // in the order in which they were added
    [[nodiscard]] bool given(const std::string& name) const;

  private:
    Option add_page(CLI::Option* option, const std::string& names, const std::string& meaning,
                    const std::string& value) const;

    CLI::App* app_;
    VerbPage* page_;
};

// Thrown by a verb whose work was to run another program, which has said itself what is wrong.
struct ExitWith {
    int code;
};

} // namespace orrery::cli
