#include "emulate/compute/kernel_times.h"

#include "engine/error.h"
#include "machine/built_in.h"
#include "machine/machine_file.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery::emulate {

KernelTime::KernelTime(const KernelModel& model, const std::string& file) : routine_(model.routine) {
    for (const KernelPiece& piece : model.pieces) {
        const auto index = [&](const std::string& name) {
            constexpr std::array<std::string_view, 3> names{"M", "N", "K"};
            const auto* const found = std::find(names.begin(), names.end(), name);
            if (found == names.end())
                throw InputError(
                    Error{file, piece.line, 0,
                          fmt::format("{}: there is no size '{}'; an emulated routine has M, N and K",
                                      model.routine, name)});
            return static_cast<std::uint8_t>(found - names.begin());
        };
        Piece& made = pieces_.emplace_back();
        for (const Condition::Comparison& each : piece.when.comparisons())
            made.when.push_back({index(each.name), each.order, each.bound});
        for (std::size_t i = 0; i < piece.terms.size(); ++i) {
            for (const Polynomial::Monomial& each : piece.terms[i].monomials()) {
                Product product{piece.coefficients[i] * each.factor, {}};
                for (const auto& [name, power] : each.powers)
                    product.powers[index(name)] =
                        static_cast<std::uint8_t>(product.powers[index(name)] + power);
                made.sum.push_back(product);
            }
        }
    }
}

std::optional<double> KernelTime::seconds(double m, double n, double k) const {
    const std::array<double, 3> sizes{m, n, k};
    const auto holds = [&](const Comparison& each) {
        const double size = sizes[each.size];
        switch (each.order) {
        case Condition::Order::less: return size < each.bound;
        case Condition::Order::at_most: return size <= each.bound;
        case Condition::Order::more: return size > each.bound;
        case Condition::Order::at_least: break;
        }
        return size >= each.bound;
    };
    for (const Piece& piece : pieces_) {
        if (!std::all_of(piece.when.begin(), piece.when.end(), holds)) continue;
        double sum = 0;
        for (const Product& each : piece.sum) {
            double product = each.coefficient;
            for (std::size_t i = 0; i < sizes.size(); ++i) {
                for (unsigned power = 0; power < each.powers[i]; ++power) product *= sizes[i];
            }
            sum += product;
        }
        return std::max(sum, 0.0);
    }
    return std::nullopt;
}

KernelTimes::KernelTimes(const std::map<std::string, KernelModel>& models, const std::string& file) {
    for (const auto& [name, model] : models) all_.emplace(name, KernelTime(model, file));
}

const KernelTime* KernelTimes::find(std::string_view routine) const {
    const auto found = all_.find(routine);
    if (found != all_.end()) return &found->second;
    for (const std::string_view side : {std::string_view("_left"), std::string_view("_right")}) {
        if (routine.ends_with(side)) return find(routine.substr(0, routine.size() - side.size()));
    }
    return nullptr;
}

std::vector<std::string> KernelTimes::routines() const {
    std::vector<std::string> names;
    for (const auto& each : all_) names.push_back(each.first);
    return names;
}

KernelTimes read_kernel_times(const std::string& name) {
    for (const BuiltInMachine& each : built_in_machines()) {
        if (name != each.name) continue;
        const std::string file = fmt::format("machines/{}.toml", each.name);
        return {parse_kernels(each.text, file), file};
    }
    return {parse_kernels(read_whole_file(name), name), name};
}

} // namespace orrery::emulate
