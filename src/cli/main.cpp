// The command line: verbs, and the one place where an error becomes words and an exit code.
//
// Exit codes: 0 fine, 1 the simulated application failed (deadlock), 2 wrong usage, 3 bad input, or output that
// cannot be written. A program that a verb runs and that ends with an exit code: that.
#include "cli/help_page.h"
#include "cli/mistakes.h"
#include "cli/run_directory.h"
#include "cli/standard_streams.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/interrupt.h"
#include "engine/mapped_inputs.h"
#include "engine/naming_file.h"
#include "engine/terminal.h"
#include "engine/time_text.h"
#include "engine/too_long.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace {

using orrery::cli::VerbPage;

enum ExitCode { fine = 0, application_failed = 1, wrong_usage = 2, bad_input = 3 };

// fmt::print throws when it cannot write, and nobody is left to catch that; the exit code still tells.
void say_last(const std::string& words) { (void)std::fputs(words.c_str(), stderr); }

int fail(ExitCode code, const std::string& reason) {
    std::fflush(stdout);
    say_last(fmt::format("{} {}\n", orrery::paint("orrery:", orrery::Tone::error, stderr), reason));
    return code;
}

void add_verbs(const orrery::cli::Verb& verbs, const VerbPage& page) {
    orrery::cli::add_run(verbs);
    orrery::cli::add_replay(verbs);
    orrery::cli::add_generate(verbs);
    orrery::cli::add_extrapolate(verbs);
    orrery::cli::add_trace(verbs);
    orrery::cli::add_convert(verbs);
    orrery::cli::add_info(verbs);
    orrery::cli::add_machine(verbs);
    orrery::cli::add_calibrate(verbs);
    orrery::cli::add_validate(verbs);
    orrery::cli::add_sweep(verbs);
    orrery::cli::add_map(verbs);
    orrery::cli::add_collectives(verbs);
    orrery::cli::add_traffic(verbs);
    orrery::cli::add_serve(verbs);
    orrery::cli::add_doctor(verbs);
    orrery::cli::add_help(verbs, page);
    orrery::cli::add_completion(verbs, page);
}

// The verb that was named has --resolution.
bool offers_resolution = false;

int run(const std::vector<std::string>& given, bool resolution_set = false) {
    VerbPage page;
    page.name = page.path = "orrery";
    page.summary = "Orrery predicts how an MPI application will run on a machine you do not have";
    page.examples = {"orrery run -n 1024 --on stampede ./app          run a program with 1,024 simulated ranks",
                     "orrery trace -n 8 -- ./app                      record what a program does",
                     "orrery replay app.trace --on stampede           predict from what was recorded"};
    page.notes =
        "'orrery help VERB' explains a verb. 'orrery --version' prints the version.\n"
        "Exit codes: 0 fine, 1 the simulated application failed, 2 wrong usage, 3 bad input, or output that "
        "cannot be written.";
    CLI::App app(page.summary, "orrery");
    app.require_subcommand(1);
    app.set_help_all_flag("--help-all", "All options");
    app.set_version_flag("--version", std::string("orrery " ORRERY_VERSION));
    add_verbs({&app, &page}, page);
    if (given.empty()) {
        orrery::cli::print_help(page, true);
        return fine;
    }
    std::vector<std::string> words = orrery::cli::with_mpirun_options(page, given);
    const orrery::cli::CommandWords found = orrery::cli::read_words(page, words);
    offers_resolution = found.verb->find_option("--resolution") != nullptr;
    if (found.resolution && !resolution_set) { // before there is any time: the verbs have some by default
        orrery::set_resolution(*found.resolution);
        return run(given, true);
    }
    try {
        std::vector<std::string> backwards(words.rbegin(), words.rend()); // as CLI11 takes them
        app.parse(std::move(backwards));
    } catch (const orrery::cli::ExitWith& program) {
        return program.code;
    } catch (const CLI::CallForHelp&) {
        const VerbPage& verb = *orrery::cli::read_words(page, words).verb;
        orrery::cli::print_help(verb, verb.name == "orrery");
    } catch (const CLI::CallForAllHelp&) {
        orrery::cli::print_help(*orrery::cli::read_words(page, words).verb, true);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) { // --version
            fmt::print("{}\n", error.what());
            return fine;
        }
        return fail(wrong_usage, orrery::cli::mistake_words(page, words, error.get_name(), error.what()));
    }
    return fine;
}

// All errors of a verb, as words on the standard error and an exit code. `lost`: why the standard output could
// not be written, if that ended the verb.
int run_with_errors(const std::vector<std::string>& given, std::optional<std::string>& lost) {
    try {
        return run(given);
    } catch (const orrery::UsageError& error) {
        return fail(wrong_usage, error.what());
    } catch (const orrery::InputError& error) {
        const std::string changed = orrery::changed_input(); // which may be why
        return fail(bad_input, changed.empty() ? error.what() : changed);
    } catch (const orrery::TooLong& error) {
        const char* const hint = offers_resolution && orrery::Time::tick_bits() == 0
                                     ? "\nWith longer ticks a run may last longer: --resolution 32ps, 854 days."
                                     : "";
        return fail(application_failed, std::string(error.what()) + hint);
    } catch (const orrery::SimulationError& error) {
        return fail(application_failed, error.what());
    } catch (const orrery::Interrupted& stopped) {
        std::fflush(stdout);
        say_last(fmt::format("orrery: {}\n", stopped.what()));
        return stopped.exit_code();
    } catch (const orrery::NoMemoryFor& error) {
        return fail(bad_input, error.what());
    } catch (const std::bad_alloc&) {
        return fail(bad_input, "out of memory: the input is too large for this machine");
    } catch (const std::system_error& error) {
        if (std::ferror(stdout) == 0) return fail(bad_input, error.what());
        lost = orrery::cli::lost_output_words(error.code().message()); // fmt::print could not write
        return bad_input;
    } catch (const std::exception& error) {
        return fail(bad_input, error.what());
    }
}

} // namespace

int main(int argc, char** argv) {
    orrery::cli::hold_closed_streams();
    orrery::cli::report_size_limits();
    orrery::cli::remember_command_line({argv, argv + argc});
    std::optional<std::string> lost;
    int code = run_with_errors({argv + 1, argv + argc}, lost);
    if (const std::string changed = orrery::changed_input(); !changed.empty() && code <= application_failed)
        code = fail(bad_input, changed); // a deadlock may be for that reason
    if (!lost) lost = orrery::cli::flush_standard_output();
    if (!lost) return code;
    (void)fail(bad_input, *lost);
    return code == fine ? bad_input : code;
}
