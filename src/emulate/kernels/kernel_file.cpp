// Kernel models as text, and back.
#include "emulate/kernels/kernel_model.h"
#include "engine/error.h"
#include "machine/toml_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace orrery {

namespace {

[[noreturn]] void fail(const std::string& file, const toml::node& node, const std::string& reason) {
    throw InputError(Error{file, node.source().begin.line, node.source().begin.column, reason});
}

std::vector<double> numbers_of(const toml::table& table, std::string_view key, const std::string& file) {
    const toml::node* const node = table.get(key);
    if (node == nullptr) fail(file, table, fmt::format("'{}' is missing", key));
    if (!node->is_array()) fail(file, *node, fmt::format("'{}' should be a list of numbers", key));
    std::vector<double> numbers;
    for (const toml::node& each : *node->as_array()) {
        const auto number = each.value<double>();
        if (!number || !std::isfinite(*number)) fail(file, each, "expected a number");
        numbers.push_back(*number);
    }
    return numbers;
}

KernelPiece piece_of(const toml::table& table, const std::string& file) {
    constexpr std::array<std::string_view, 9> known{"when",   "terms", "coefficients", "standard_errors",
                                                    "points", "r2",    "mean_error",   "worst_error",
                                                    "source"};
    for (const auto& [key, value] : table) {
        if (std::find(known.begin(), known.end(), key.str()) == known.end())
            fail(file, value, fmt::format("unknown key '{}'", key.str()));
    }
    KernelPiece piece;
    piece.line = table.source().begin.line;
    const toml::node* const terms = table.get("terms");
    if (terms == nullptr || !terms->is_array() || terms->as_array()->empty())
        fail(file, table, "'terms' should be a list such as [\"2*M*N*K\", \"1\"]");
    try {
        piece.when = Condition::parse(table["when"].value_or(std::string()));
        for (const toml::node& each : *terms->as_array()) {
            if (!each.is_string()) fail(file, each, "expected a term, such as \"M*N\"");
            piece.terms.push_back(Polynomial::parse(each.value_or(std::string())));
        }
    } catch (const UsageError& error) {
        fail(file, table, error.what());
    }
    piece.coefficients = numbers_of(table, "coefficients", file);
    if (piece.coefficients.size() != piece.terms.size())
        fail(file, table,
             fmt::format("{} terms, but {} coefficients", piece.terms.size(), piece.coefficients.size()));
    if (table.contains("standard_errors")) piece.standard_errors = numbers_of(table, "standard_errors", file);
    piece.points = table["points"].value_or(std::size_t{0});
    piece.r2 = table["r2"].value_or(0.0);
    piece.mean_error = table["mean_error"].value_or(0.0);
    piece.worst_error = table["worst_error"].value_or(0.0);
    return piece;
}

} // namespace

std::string kernel_text(const std::vector<KernelModel>& models, const std::string& source) {
    std::string out =
        "# Times of routines: seconds = sum of coefficients * terms, of the first table that holds.\n";
    for (const KernelModel& model : models) {
        for (const KernelPiece& piece : model.pieces) {
            std::string terms;
            std::string coefficients;
            std::string errors;
            for (std::size_t i = 0; i < piece.terms.size(); ++i) {
                const char* const separator = i == 0 ? "" : ", ";
                terms += fmt::format("{}\"{}\"", separator, piece.terms[i].words());
                coefficients += fmt::format("{}{:.6e}", separator, piece.coefficients[i]);
                errors += fmt::format("{}{:.2e}", separator, piece.standard_errors[i]);
            }
            out += fmt::format("\n[[kernel.{}]]\n", model.routine);
            if (!piece.when.always()) out += fmt::format("when = \"{}\"\n", piece.when.words());
            out += fmt::format("terms = [{}]\ncoefficients = [{}]\nstandard_errors = [{}]\npoints = {}\nr2 = "
                               "{:.6f}\nmean_error = {:.4f}\nworst_error = {:.4f}\nsource = \"{}\"\n",
                               terms, coefficients, errors, piece.points, piece.r2, piece.mean_error,
                               piece.worst_error, source);
        }
    }
    return out;
}

std::map<std::string, KernelModel> parse_kernels(std::string_view text, const std::string& file) {
    const toml::table root = parse_toml(text, file);
    const toml::node* const kernels = root.get("kernel");
    if (kernels == nullptr || !kernels->is_table())
        throw InputError(Error{file, 0, 0, "there are no [[kernel.ROUTINE]] tables"});
    std::map<std::string, KernelModel> models;
    for (const auto& [key, value] : *kernels->as_table()) {
        const std::string name(key.str());
        KernelModel& model = models[name];
        model.routine = name;
        const auto add = [&](const toml::node& node) {
            if (!node.is_table()) fail(file, node, fmt::format("expected a table [[kernel.{}]]", name));
            model.pieces.push_back(piece_of(*node.as_table(), file));
        };
        if (value.is_array()) {
            for (const toml::node& each : *value.as_array()) add(each);
        } else {
            add(value);
        }
    }
    return models;
}

} // namespace orrery
