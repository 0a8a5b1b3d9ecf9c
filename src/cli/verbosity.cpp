#include "cli/verbosity.h"

#include <cstdio>

namespace orrery::cli {

namespace {

// Of the one command that this process runs.
struct VerbosityFlags {
    bool quiet = false;
    bool verbose = false;
};
VerbosityFlags& verbosity_flags() {
    static VerbosityFlags flags;
    return flags;
}

} // namespace

void add_verbosity(const Verb& verb) {
    verb.add_flag("-q,--quiet", verbosity_flags().quiet, "Print only the result: no progress, no notes")
        .group("Output");
    verb.add_flag("-v,--verbose", verbosity_flags().verbose,
                  "Also say what is read, built and chosen, on the standard error")
        .group("Output");
}

bool quiet() { return verbosity_flags().quiet; }
bool verbose() { return verbosity_flags().verbose && !verbosity_flags().quiet; }

void explain_line(const std::string& line) {
    std::fflush(stdout);
    fmt::print(stderr, "orrery: {}\n", line);
}

} // namespace orrery::cli
