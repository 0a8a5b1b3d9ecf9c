// Linear least squares for a handful of unknowns, by Householder's QR: accurate where the normal equations are
// not, and short.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace orrery {

struct LeastSquares {
    std::vector<double> solution;
    std::vector<double> standard_errors; // 0 if there are as many unknowns as rows
    double loss = 0;                     // sum of squared residuals
};

// Minimises |rows * x - right|. Nothing if the rows do not determine x (to within rounding). `rows` all have
// the same number of columns, at most as many as there are rows.
std::optional<LeastSquares> solve_least_squares(std::vector<std::vector<double>> rows,
                                                std::vector<double> right);

} // namespace orrery
