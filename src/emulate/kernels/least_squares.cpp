#include "emulate/kernels/least_squares.h"

#include <cmath>

namespace orrery {

std::optional<LeastSquares> solve_least_squares(std::vector<std::vector<double>> rows,
                                                std::vector<double> right) {
    const std::size_t n = rows.size();
    const std::size_t columns = rows.empty() ? 0 : rows.front().size();
    if (columns == 0 || n < columns) return std::nullopt;
    // Columns of very different size (M*N*K beside 1) are made alike first.
    std::vector<double> scale(columns, 0);
    for (const std::vector<double>& row : rows) {
        for (std::size_t j = 0; j < columns; ++j) scale[j] = std::hypot(scale[j], row[j]);
    }
    for (const double each : scale) {
        if (!(each > 0) || !std::isfinite(each)) return std::nullopt;
    }
    for (std::vector<double>& row : rows) {
        for (std::size_t j = 0; j < columns; ++j) row[j] /= scale[j];
    }
    for (std::size_t j = 0; j < columns; ++j) {
        double norm = 0;
        for (std::size_t i = j; i < n; ++i) norm = std::hypot(norm, rows[i][j]);
        constexpr double dependent = 1e-10;
        if (!(norm > dependent)) return std::nullopt;
        const double alpha = rows[j][j] > 0 ? -norm : norm;
        std::vector<double> v(n - j);
        for (std::size_t i = j; i < n; ++i) v[i - j] = rows[i][j];
        v[0] -= alpha;
        double square = 0;
        for (const double each : v) square += each * each;
        const auto reflect = [&](const auto& at) {
            double dot = 0;
            for (std::size_t i = j; i < n; ++i) dot += v[i - j] * at(i);
            for (std::size_t i = j; i < n; ++i) at(i) -= 2 * dot / square * v[i - j];
        };
        for (std::size_t k = j; k < columns; ++k) reflect([&](std::size_t i) -> double& { return rows[i][k]; });
        reflect([&](std::size_t i) -> double& { return right[i]; });
    }
    LeastSquares result;
    result.solution.assign(columns, 0);
    // The inverse of R gives both the solution and the errors: the covariance is R^-1 R^-T.
    std::vector<std::vector<double>> inverse(columns, std::vector<double>(columns, 0));
    for (std::size_t j = 0; j < columns; ++j) {
        inverse[j][j] = 1 / rows[j][j];
        for (std::size_t i = j; i-- > 0;) {
            double sum = 0;
            for (std::size_t k = i + 1; k <= j; ++k) sum += rows[i][k] * inverse[k][j];
            inverse[i][j] = -sum / rows[i][i];
        }
    }
    for (std::size_t i = columns; i < n; ++i) result.loss += right[i] * right[i];
    const double variance = n > columns ? result.loss / static_cast<double>(n - columns) : 0;
    for (std::size_t i = 0; i < columns; ++i) {
        double square = 0;
        for (std::size_t j = i; j < columns; ++j) {
            result.solution[i] += inverse[i][j] * right[j];
            square += inverse[i][j] * inverse[i][j];
        }
        result.solution[i] /= scale[i];
        result.standard_errors.push_back(std::sqrt(variance * square) / scale[i]);
    }
    return result;
}

} // namespace orrery
