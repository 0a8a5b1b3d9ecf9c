#include "emulate/kernels/kernel_model.h"

#include "emulate/kernels/least_squares.h"
#include "engine/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace orrery {

namespace {

std::string term_words(const std::vector<Polynomial>& terms) {
    std::string words;
    for (const Polynomial& term : terms) words += fmt::format("{}{}", words.empty() ? "" : ", ", term.words());
    return words;
}

void measure_errors(KernelPiece& piece, const std::vector<const KernelPoint*>& points) {
    double mean = 0;
    for (const KernelPoint* point : points) mean += point->seconds;
    mean /= static_cast<double>(points.size());
    double unexplained = 0;
    double all = 0;
    for (const KernelPoint* point : points) {
        const double error = piece.seconds(point->sizes) - point->seconds;
        unexplained += error * error;
        all += (point->seconds - mean) * (point->seconds - mean);
        piece.mean_error += std::abs(error) / point->seconds;
        piece.worst_error = std::max(piece.worst_error, std::abs(error) / point->seconds);
    }
    piece.mean_error /= static_cast<double>(points.size());
    piece.r2 = all > 0 ? 1 - unexplained / all : 1;
}

KernelPiece fit_piece(const std::string& routine, const std::vector<const KernelPoint*>& points,
                      const std::vector<Polynomial>& terms, const std::string& file) {
    KernelPiece piece;
    piece.terms = terms;
    piece.points = points.size();
    if (points.size() < terms.size()) {
        throw InputError(Error{file, 0, 0,
                               fmt::format("{}: {} points are too few for {} terms ({})", routine,
                                           points.size(), terms.size(), term_words(terms))});
    }
    std::vector<std::vector<double>> rows;
    for (const KernelPoint* point : points) {
        std::vector<double>& row = rows.emplace_back();
        try {
            for (const Polynomial& term : terms) row.push_back(term.at(point->sizes) / point->seconds);
        } catch (const UsageError& error) {
            throw InputError(Error{file, point->line, 0, fmt::format("{}: {}", routine, error.what())});
        }
    }
    const auto solved = solve_least_squares(std::move(rows), std::vector<double>(points.size(), 1.0));
    if (!solved) {
        throw InputError(
            Error{file, points.front()->line, 0,
                  fmt::format("{}: the points cannot tell the terms apart ({}); more sizes are needed", routine,
                              term_words(terms))});
    }
    piece.coefficients = solved->solution;
    piece.standard_errors = solved->standard_errors;
    measure_errors(piece, points);
    return piece;
}

} // namespace

double KernelPiece::seconds(const Sizes& sizes) const {
    double sum = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) sum += coefficients[i] * terms[i].at(sizes);
    return std::max(sum, 0.0);
}

double KernelModel::seconds(const Sizes& sizes) const {
    for (const KernelPiece& piece : pieces) {
        if (piece.when.holds(sizes)) return piece.seconds(sizes);
    }
    throw UsageError(fmt::format("{}: no piece of its model holds for these sizes", routine));
}

KernelModel fit_kernel(const std::string& routine, const std::vector<KernelPoint>& points,
                       const KernelOptions& options, const std::string& file) {
    const char* const work = known_work(routine);
    if (options.terms.empty() && work == nullptr) {
        throw UsageError(
            fmt::format("the work of '{}' is not known; say what its time depends on, such as --terms "
                        "\"M*N*K, M*N, 1\"",
                        routine));
    }
    const std::vector<Polynomial> terms =
        parse_terms(options.terms.empty() ? fmt::format("{}, 1", work) : options.terms);
    const Condition split = Condition::parse(options.split);
    std::vector<const KernelPoint*> inside;
    std::vector<const KernelPoint*> outside;
    for (const KernelPoint& point : points) {
        try {
            (split.holds(point.sizes) ? inside : outside).push_back(&point);
        } catch (const UsageError& error) {
            throw InputError(Error{file, point.line, 0, fmt::format("{}: {}", routine, error.what())});
        }
    }
    KernelModel model;
    model.routine = routine;
    if (!split.always() && (inside.empty() || outside.empty())) {
        model.notes.push_back(fmt::format("no point on {} side of {}: not split",
                                          inside.empty() ? "that" : "the other", split.words()));
        std::vector<const KernelPoint*>& all = inside.empty() ? outside : inside;
        model.pieces.push_back(fit_piece(routine, all, terms, file));
    } else {
        model.pieces.push_back(fit_piece(routine, inside, terms, file));
        model.pieces.back().when = split;
        if (!outside.empty()) model.pieces.push_back(fit_piece(routine, outside, terms, file));
    }
    for (const KernelPiece& piece : model.pieces) {
        for (std::size_t i = 0; i < piece.terms.size(); ++i) {
            if (piece.coefficients[i] < 0)
                model.notes.push_back(fmt::format("the coefficient of {} is negative{}", piece.terms[i].words(),
                                                  std::abs(piece.coefficients[i]) < 2 * piece.standard_errors[i]
                                                      ? ", but not significantly so"
                                                      : ""));
        }
    }
    return model;
}

} // namespace orrery
