// The verbs of the command line. Each lives in a file of its own, which holds nothing but argument handling.
#pragma once

#include "cli/command_line.h"

namespace orrery::cli {

struct VerbPage;

// Each adds its subcommand to `app`; the subcommand's callback does the work and throws the errors of
// engine/error.h, which main turns into words and an exit code.
void add_replay(const Verb& app);
void add_run(const Verb& app);
void add_trace(const Verb& app);
void add_generate(const Verb& app);
void add_convert(const Verb& app);
void add_info(const Verb& app);
void add_extrapolate(const Verb& app);
void add_validate(const Verb& app);
void add_calibrate(const Verb& app);
void add_sweep(const Verb& app);
void add_map(const Verb& app);
void add_traffic(const Verb& app);
void add_serve(const Verb& app);
void add_machine(const Verb& app);
void add_collectives(const Verb& app);
void add_doctor(const Verb& app);
// `root`: all verbs, of which they tell.
void add_help(const Verb& app, const VerbPage& root);
void add_completion(const Verb& app, const VerbPage& root);

// To the standard output, in its width; `all`: with the options that are seldom needed.
void print_help(const VerbPage& verb, bool all);

} // namespace orrery::cli
