#include "emulate/kernels/kernel_points.h"

#include "engine/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace orrery {

namespace {

std::string_view trimmed_point(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> cells_of(std::string_view line) {
    std::vector<std::string> cells;
    while (true) {
        const std::size_t comma = line.find(',');
        cells.emplace_back(trimmed_point(line.substr(0, comma)));
        if (comma == std::string_view::npos) return cells;
        line.remove_prefix(comma + 1);
    }
}

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

struct Header {
    std::vector<std::string> names;
    std::size_t routine = nowhere;
    std::size_t seconds = nowhere;
    std::size_t side = nowhere;
};

Header header_of(std::string_view line, const std::string& file, std::uint64_t number) {
    Header header;
    header.names = cells_of(line);
    for (std::size_t i = 0; i < header.names.size(); ++i) {
        const std::string& name = header.names[i];
        if (std::count(header.names.begin(), header.names.end(), name) > 1)
            throw InputError(Error{file, number, i + 1, fmt::format("there are two columns '{}'", name)});
        if (name == "routine") header.routine = i;
        if (name == "seconds") header.seconds = i;
        if (name == "side") header.side = i;
    }
    if (header.routine == nowhere || header.seconds == nowhere) {
        throw InputError(
            Error{file, number, 0,
                  "the first line should name the columns, 'routine' and 'seconds' among them, such "
                  "as routine,M,N,K,seconds"});
    }
    return header;
}

double number_at(const std::string& cell, const std::string& file, std::uint64_t line, std::size_t column,
                 bool positive) {
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value) || value < 0 ||
        (positive && value == 0)) {
        throw InputError(Error{file, line, column + 1,
                               fmt::format("'{}' is not {}", cell, positive ? "a time in seconds" : "a size")});
    }
    return value;
}

} // namespace

std::map<std::string, std::vector<KernelPoint>> parse_kernel_points(std::string_view text,
                                                                    const std::string& file) {
    std::map<std::string, std::vector<KernelPoint>> points;
    Header header;
    std::uint64_t number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed_point(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (line.empty() || line.starts_with('#')) continue;
        if (header.names.empty()) {
            header = header_of(line, file, number);
            continue;
        }
        const std::vector<std::string> cells = cells_of(line);
        if (cells.size() != header.names.size()) {
            throw InputError(Error{
                file, number, 0,
                fmt::format("{} columns, but the first line names {}", cells.size(), header.names.size())});
        }
        std::string routine = cells[header.routine];
        if (routine.empty())
            throw InputError(Error{file, number, header.routine + 1, "the routine has no name"});
        if (!std::all_of(routine.begin(), routine.end(),
                         [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; }))
            throw InputError(Error{file, number, header.routine + 1,
                                   fmt::format("'{}' is not a name of letters, digits, _ and -", routine)});
        KernelPoint point;
        point.line = number;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (i == header.routine || i == header.side || cells[i].empty()) continue;
            if (i == header.seconds) {
                point.seconds = number_at(cells[i], file, number, i, true);
            } else {
                point.sizes[header.names[i]] = number_at(cells[i], file, number, i, false);
            }
        }
        if (point.seconds == 0)
            throw InputError(Error{file, number, header.seconds + 1, "the time is missing"});
        if (header.side != nowhere && !cells[header.side].empty()) {
            const char side =
                static_cast<char>(std::toupper(static_cast<unsigned char>(cells[header.side][0])));
            if (side != 'L' && side != 'R')
                throw InputError(Error{file, number, header.side + 1,
                                       fmt::format("'{}' is not a side: L or R", cells[header.side])});
            routine += side == 'L' ? "_left" : "_right";
        }
        points[routine].push_back(std::move(point));
    }
    if (points.empty()) throw InputError(Error{file, number, 0, "there are no points"});
    return points;
}

} // namespace orrery
