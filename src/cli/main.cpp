// The command line: verbs, and the one place where an error becomes words and an exit code.
//
// Exit codes: 0 fine, 1 the simulated application failed (deadlock), 2 wrong usage, 3 bad input. A program that
// a verb runs and that ends with a code of its own: that.
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/interrupt.h"
#include "engine/units.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <string>
#include <vector>

namespace {

enum ExitCode { fine = 0, application_failed = 1, wrong_usage = 2, bad_input = 3 };

int fail(ExitCode code, const std::string& reason) {
    std::fflush(stdout);
    fmt::print(stderr, "orrery: {}\n", reason);
    return code;
}

// "did you mean" for the first word that is neither a verb nor an option of its verb.
std::string suggestion(const CLI::App& app, int argc, char** argv) {
    const CLI::App* verb = &app;
    for (int i = 1; i < argc; ++i) {
        const std::string word(argv[i]);
        if (word == "--") break; // what follows is for the application
        if (verb == &app && !word.starts_with('-')) {
            std::vector<std::string> names;
            for (const CLI::App* each : app.get_subcommands({})) {
                if (each->get_name() == word) verb = each;
                names.push_back(each->get_name());
            }
            if (verb != &app) continue;
            const std::string near = orrery::nearest_word(word, names);
            return near.empty() ? "" : fmt::format("; did you mean 'orrery {}'?", near);
        }
        if (!word.starts_with("--")) continue;
        const std::string name = word.substr(2, word.find('=', 2) - 2); // to the end if there is no '='
        std::vector<std::string> names;
        bool known = false;
        for (const CLI::Option* option : verb->get_options()) {
            for (const std::string& each : option->get_lnames()) {
                names.push_back(each);
                known = known || each == name;
            }
        }
        if (known) continue;
        const std::string near = orrery::nearest_word(name, names);
        return near.empty() ? "" : fmt::format("; did you mean --{}?", near);
    }
    return {};
}

int run(int argc, char** argv) {
    CLI::App app("Orrery predicts how an MPI application will run on a machine you do not have.", "orrery");
    app.require_subcommand(1);
    app.set_version_flag("--version", std::string("orrery " ORRERY_VERSION));
    app.footer(
        "orrery VERB --help explains a verb. Exit codes: 0 fine, 1 the simulated application failed, 2 wrong "
        "usage, 3 bad input.");
    const orrery::cli::Verb verbs(&app);
    orrery::cli::add_replay(verbs);
    orrery::cli::add_run(verbs);
    orrery::cli::add_trace(verbs);
    orrery::cli::add_generate(verbs);
    orrery::cli::add_convert(verbs);
    orrery::cli::add_info(verbs);
    orrery::cli::add_extrapolate(verbs);
    orrery::cli::add_calibrate(verbs);
    orrery::cli::add_validate(verbs);
    orrery::cli::add_sweep(verbs);
    orrery::cli::add_map(verbs);
    orrery::cli::add_traffic(verbs);
    orrery::cli::add_serve(verbs);
    orrery::cli::add_machine(verbs);
    orrery::cli::add_collectives(verbs);
    orrery::cli::add_doctor(verbs);
    try {
        app.parse(argc, argv);
    } catch (const orrery::cli::ExitWith& program) {
        return program.code;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error); // --help, --version
        return fail(wrong_usage, fmt::format("{}{}\nRun 'orrery --help' or 'orrery VERB --help'.", error.what(),
                                             suggestion(app, argc, argv)));
    }
    return fine;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const orrery::UsageError& error) {
        return fail(wrong_usage, error.what());
    } catch (const orrery::InputError& error) {
        return fail(bad_input, error.what());
    } catch (const orrery::SimulationError& error) {
        return fail(application_failed, error.what());
    } catch (const orrery::Interrupted& stopped) {
        std::fflush(stdout);
        fmt::print(stderr, "orrery: {}\n", stopped.what());
        return stopped.exit_code();
    } catch (const std::bad_alloc&) {
        return fail(bad_input, "out of memory: the input is too large for this machine");
    } catch (const std::exception& error) {
        return fail(bad_input, error.what());
    }
}
