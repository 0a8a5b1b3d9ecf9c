// The verbs of the command line. Each lives in a file of its own, which holds nothing but argument handling.
#pragma once

#include <CLI/CLI.hpp>

namespace orrery::cli {

// Each adds its subcommand to `app`; the subcommand's callback does the work and throws the errors of
// engine/error.h, which main turns into words and an exit code.
void add_replay(CLI::App& app);
void add_run(CLI::App& app);
void add_trace(CLI::App& app);
void add_generate(CLI::App& app);
void add_convert(CLI::App& app);
void add_info(CLI::App& app);
void add_extrapolate(CLI::App& app);
void add_validate(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_sweep(CLI::App& app);
void add_map(CLI::App& app);
void add_traffic(CLI::App& app);
void add_serve(CLI::App& app);
void add_machine(CLI::App& app);
void add_collectives(CLI::App& app);
void add_doctor(CLI::App& app);

} // namespace orrery::cli
