// How long a routine takes, as a function of its sizes: fitted to measured points, kept in a TOML file, and
// evaluated by whoever emulates the routine (the HPL emulation paper, section VII.A and Figure 8).
//
//     seconds = c1 term1 + c2 term2 + ...        as a rule: coefficient * work + intercept
#pragma once

#include "emulate/kernels/kernel_points.h"
#include "emulate/kernels/kernel_terms.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct KernelPiece {
    Condition when; // the first piece whose condition holds is used
    std::vector<Polynomial> terms;
    std::vector<double> coefficients;    // seconds per unit of the term
    std::vector<double> standard_errors; // of the coefficients
    std::size_t points = 0;
    double r2 = 0; // of the times themselves
    double mean_error = 0;
    double worst_error = 0; // relative
    std::uint64_t line = 0; // of the file that it was read from

    [[nodiscard]] double seconds(const Sizes& sizes) const; // never negative
};

struct KernelModel {
    std::string routine;
    std::vector<KernelPiece> pieces;
    std::vector<std::string> notes;

    // Throws UsageError if a size is missing, or no piece holds.
    [[nodiscard]] double seconds(const Sizes& sizes) const;
};

struct KernelOptions {
    std::string terms; // empty: the known work of the routine, and 1
    std::string split; // a condition: two pieces
};

// Relative errors are minimised, so that small calls count as much as large ones. Throws InputError: too few
// points, terms that the points cannot tell apart, sizes that are missing; UsageError: no work is known.
KernelModel fit_kernel(const std::string& routine, const std::vector<KernelPoint>& points,
                       const KernelOptions& options, const std::string& file);

// [[kernel.dgemm]] tables (docs/calibration.md).
std::string kernel_text(const std::vector<KernelModel>& models, const std::string& source);
// Throws InputError with the line.
std::map<std::string, KernelModel> parse_kernels(std::string_view text, const std::string& file);

} // namespace orrery
