#include "tools/calibrate/piecewise_fit.h"

#include "engine/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr double far_off = 0.1; // an error that makes a point a stray, if others are much better
constexpr double never = std::numeric_limits<double>::infinity();

struct Line {
    double base = 0;
    double per_byte = 0;
    double loss = 0;      // sum of squared relative errors
    bool clamped = false; // the best line would fall
};

// Weighted sums over the first points, so that any piece is fitted in O(1).
class Sums {
  public:
    Sums(const std::vector<FitPoint>& points, bool constant) : constant_(constant), sums_(points.size() + 1) {
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double w = 1 / (points[i].scale * points[i].scale);
            const double x = points[i].bytes;
            const double y = points[i].value;
            const Row& before = sums_[i];
            sums_[i + 1] = {before.w + w,      before.wx + w * x,      before.wxx + w * x * x,
                            before.wy + w * y, before.wxy + w * x * y, before.wyy + w * y * y};
        }
    }

    [[nodiscard]] Line line(std::size_t from, std::size_t to) const {
        const Row& a = sums_[from];
        const Row& b = sums_[to];
        const Row s{b.w - a.w, b.wx - a.wx, b.wxx - a.wxx, b.wy - a.wy, b.wxy - a.wxy, b.wyy - a.wyy};
        const auto with_loss = [&](double base, double slope, bool clamped) {
            const double loss = s.wyy - 2 * base * s.wy - 2 * slope * s.wxy + base * base * s.w +
                                2 * base * slope * s.wx + slope * slope * s.wxx;
            return Line{base, slope, std::max(loss, 0.0), clamped};
        };
        const double level = std::max(s.wy / s.w, 0.0);
        const double determinant = s.w * s.wxx - s.wx * s.wx;
        if (constant_ || !(determinant > 1e-9 * s.w * s.wxx))
            return with_loss(level, 0, false); // one size only
        const double slope = (s.w * s.wxy - s.wx * s.wy) / determinant;
        const double base = (s.wy - slope * s.wx) / s.w;
        if (slope < 0) {
            // Worth a word if it falls by more than 5 % over the piece.
            return with_loss(level, 0, -slope * std::sqrt(determinant) / s.w > 0.02 * level);
        }
        if (base < 0) return with_loss(0, std::max(s.wxy / s.wxx, 0.0), false);
        return with_loss(base, slope, false);
    }

  private:
    struct Row {
        double w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0, wyy = 0;
    };
    bool constant_;
    std::vector<Row> sums_;
};

// Points between the same two given breaks.
std::vector<std::size_t> zones_of(const std::vector<FitPoint>& points, const std::vector<double>& breaks) {
    std::vector<std::size_t> zones;
    for (const FitPoint& point : points) {
        zones.push_back(static_cast<std::size_t>(
            std::count_if(breaks.begin(), breaks.end(), [&](double each) { return point.bytes > each; })));
    }
    return zones;
}

// Where pieces end: indices one behind their last points. Empty if `pieces` of them are not possible.
struct Segmentation {
    std::vector<std::size_t> ends;
    double loss = never;
};

class Segmenter {
  public:
    Segmenter(const std::vector<FitPoint>& points, const FitOptions& options)
        : sums_(points, options.constant), zones_(zones_of(points, options.breaks)),
          least_(std::max<std::size_t>(options.least_points, 1)), count_(points.size()) {
        best_.emplace_back(count_ + 1, Cell{});
        best_[0][0].loss = 0;
    }

    Segmentation next(); // with one piece more than before
    [[nodiscard]] const Sums& sums() const { return sums_; }

  private:
    struct Cell {
        double loss = never;
        std::size_t from = 0;
    };
    [[nodiscard]] bool allowed(std::size_t from, std::size_t to) const {
        if (zones_[from] != zones_[to - 1]) return false;
        if (to - from >= least_) return true;
        const bool begins = from == 0 || zones_[from - 1] != zones_[from];
        const bool ends = to == count_ || zones_[to] != zones_[to - 1];
        return begins && ends;
    }

    Sums sums_;
    std::vector<std::size_t> zones_;
    std::size_t least_;
    std::size_t count_;
    std::vector<std::vector<Cell>> best_; // [pieces][points]: the first so many points in so many pieces
};

Segmentation Segmenter::next() {
    const std::vector<Cell>& before = best_.back();
    std::vector<Cell> now(count_ + 1);
    for (std::size_t to = 1; to <= count_; ++to) {
        for (std::size_t from = 0; from < to; ++from) {
            if (before[from].loss == never || !allowed(from, to)) continue;
            const double loss = before[from].loss + sums_.line(from, to).loss;
            if (loss < now[to].loss) now[to] = {loss, from};
        }
    }
    best_.push_back(std::move(now));
    Segmentation result;
    result.loss = best_.back()[count_].loss;
    if (result.loss == never) return result;
    std::size_t at = count_;
    for (std::size_t pieces = best_.size() - 1; pieces > 0; --pieces) {
        result.ends.push_back(at);
        at = best_[pieces][at].from;
    }
    std::reverse(result.ends.begin(), result.ends.end());
    return result;
}

// Two lines may meet between their points; otherwise the break is above the last point of the left one.
double break_between(const Line& left, const Line& right, double last, double first) {
    const double meet = (left.base - right.base) / (right.per_byte - left.per_byte);
    return std::isfinite(meet) && meet > last && meet < first ? std::floor(meet) : last;
}

double error_of(const PiecewiseFit& fit, const FitPoint& point) {
    return (point.value - fit.at(point.bytes)) / point.scale;
}

PiecewiseFit fit_once(const std::vector<FitPoint>& points, const FitOptions& options) {
    Segmenter segmenter(points, options);
    const auto n = static_cast<double>(points.size());
    // Errors below 0.3 % are not worth a piece of their own.
    constexpr double noise = 0.003;
    Segmentation chosen;
    double least = never;
    for (std::size_t pieces = 1; pieces <= std::max(options.most_pieces, options.breaks.size() + 1); ++pieces) {
        Segmentation candidate = segmenter.next();
        if (candidate.ends.empty()) continue;
        const double criterion =
            n * std::log(candidate.loss / n + noise * noise) + 3 * static_cast<double>(pieces) * std::log(n);
        if (criterion >= least) continue;
        least = criterion;
        chosen = std::move(candidate);
    }
    PiecewiseFit fit;
    Line before;
    std::size_t from = 0;
    for (const std::size_t to : chosen.ends) {
        const Line line = segmenter.sums().line(from, to);
        FitPiece piece{0, line.base, line.per_byte, to - from, 0, 0};
        if (from > 0) {
            const double last = points[from - 1].bytes;
            const double first = points[from].bytes;
            const auto given = std::find_if(options.breaks.begin(), options.breaks.end(),
                                            [&](double each) { return each >= last && each < first; });
            piece.above = given != options.breaks.end() ? *given : break_between(before, line, last, first);
        }
        if (line.clamped && !options.constant) {
            fit.notes.push_back(fmt::format("above {:.0f} B times fall with the size; taken as constant",
                                            from > 0 ? piece.above : 0));
        }
        fit.pieces.push_back(piece);
        before = line;
        from = to;
    }
    return fit;
}

// Indices of single points that are far off while their neighbours are not.
std::vector<std::size_t> outliers_of(const PiecewiseFit& fit, const std::vector<FitPoint>& points) {
    std::vector<double> errors;
    for (const FitPoint& point : points) errors.push_back(error_of(fit, point));
    std::vector<double> sizes(errors);
    for (double& size : sizes) size = std::abs(size);
    std::vector<double> sorted(sizes);
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                     sorted.end());
    const double far = std::max(6 * 1.4826 * sorted[sorted.size() / 2], far_off);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (sizes[i] <= far) continue;
        const auto agrees = [&](std::size_t other) {
            return errors[other] * errors[i] > 0 && sizes[other] > far / 2;
        };
        const bool alone = !(i > 0 && agrees(i - 1)) && !(i + 1 < points.size() && agrees(i + 1));
        if (alone) found.push_back(i);
    }
    if (found.size() * 10 > points.size()) found.clear(); // that is not a few strays
    return found;
}

} // namespace

const FitPiece& PiecewiseFit::piece(double bytes) const {
    const FitPiece* found = &pieces.front();
    for (const FitPiece& each : pieces) {
        if (each.above < bytes) found = &each;
    }
    return *found;
}

double PiecewiseFit::at(double bytes) const {
    const FitPiece& holds = piece(bytes);
    return holds.base + holds.per_byte * bytes;
}

PiecewiseFit fit_piecewise(std::vector<FitPoint> points, const FitOptions& options) {
    if (points.empty()) throw InputError("a fit needs at least one measurement");
    std::stable_sort(points.begin(), points.end(),
                     [](const FitPoint& a, const FitPoint& b) { return a.bytes < b.bytes; });
    PiecewiseFit fit = fit_once(points, options);
    std::vector<FitPoint> strays;
    for (std::size_t stray : outliers_of(fit, points)) strays.push_back(points[stray]);
    if (!strays.empty()) {
        const auto without = [&](std::vector<FitPoint> all) {
            std::erase_if(all, [&](const FitPoint& point) {
                return std::any_of(strays.begin(), strays.end(), [&](const FitPoint& stray) {
                    return stray.bytes == point.bytes && stray.value == point.value;
                });
            });
            return all;
        };
        fit = fit_once(without(points), options);
        // One may have been off only because the fit was led astray by another; beside a break, either piece
        // may be its own.
        const auto belongs = [&](const FitPoint& stray) {
            return std::any_of(fit.pieces.begin(), fit.pieces.end(), [&](const FitPiece& piece) {
                const bool near = &piece == &fit.piece(stray.bytes / 2) || &piece == &fit.piece(stray.bytes) ||
                                  &piece == &fit.piece(2 * stray.bytes);
                const double error = (stray.value - piece.base - piece.per_byte * stray.bytes) / stray.scale;
                return near && std::abs(error) < far_off;
            });
        };
        const std::size_t found = strays.size();
        std::erase_if(strays, belongs);
        points = without(points);
        if (strays.size() < found) fit = fit_once(points, options);
        fit.outliers = strays.size();
    }
    fit.points = points.size();
    for (FitPiece& piece : fit.pieces) piece.points = 0;
    for (const FitPoint& point : points) {
        const double error = std::abs(error_of(fit, point));
        // The piece that holds here, which may differ from the one it was fitted with by a break that moved.
        FitPiece& piece = fit.pieces[static_cast<std::size_t>(&fit.piece(point.bytes) - fit.pieces.data())];
        ++piece.points;
        piece.mean_error += error;
        piece.worst_error = std::max(piece.worst_error, error);
        fit.mean_error += error;
        fit.worst_error = std::max(fit.worst_error, error);
    }
    for (FitPiece& piece : fit.pieces)
        piece.mean_error /= static_cast<double>(std::max<std::size_t>(piece.points, 1));
    fit.mean_error /= static_cast<double>(points.size());
    return fit;
}

} // namespace orrery
