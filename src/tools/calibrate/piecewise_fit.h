// A function of the message size by pieces, each a straight line, fitted to measurements; the break points are
// found, not given.
//
// Errors are relative (to each point's scale, as a rule its value), so that a message of 8 bytes counts as much
// as one of a megabyte. For every number of pieces the best breaks are found by dynamic programming (Bellman's
// segmentation, O(pieces * points^2)); the number is the one with the least Bayesian information criterion.
// Lines have neither negative slope nor negative value at 0: what the models of the machine can express. Single
// points far off all others are left out and counted.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace orrery {

struct FitPoint {
    double bytes = 0;
    double value = 0; // ns
    double scale = 0; // what its error is relative to, > 0
};

struct FitPiece {
    double above = 0; // holds for sizes > above; the first also for 0
    double base = 0;  // ns
    double per_byte = 0;
    std::size_t points = 0;
    double mean_error = 0; // absolute, relative to the scale
    double worst_error = 0;
};

struct PiecewiseFit {
    std::vector<FitPiece> pieces;
    double mean_error = 0;
    double worst_error = 0;
    std::size_t points = 0;
    std::size_t outliers = 0;       // left out
    std::vector<std::string> notes; // what a user should know: slopes that had to be clamped

    [[nodiscard]] const FitPiece& piece(double bytes) const;
    [[nodiscard]] double at(double bytes) const;
};

struct FitOptions {
    std::vector<double> breaks;   // always there: the protocol switches above these sizes
    std::size_t most_pieces = 10; // in all
    std::size_t least_points = 4; // of a piece, unless two given breaks have fewer between them
    bool constant = false;        // pieces without slope
};

// At least one point; they may be in any order. Throws InputError if there is none.
PiecewiseFit fit_piecewise(std::vector<FitPoint> points, const FitOptions& options = {});

} // namespace orrery
