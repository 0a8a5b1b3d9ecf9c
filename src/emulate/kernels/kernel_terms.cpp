#include "emulate/kernels/kernel_terms.h"

#include "engine/error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace orrery {

namespace {

std::string_view trimmed_term(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_name(std::string_view text) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !text.empty() && letter(text[0]) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::optional<double> number_in_term(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
    return value;
}

double size_of(const Sizes& sizes, const std::string& name) {
    const auto found = sizes.find(name);
    if (found == sizes.end()) throw UsageError(fmt::format("there is no size '{}'", name));
    return found->second;
}

struct Work {
    std::string_view routine;
    const char* work;
};
// Leading operations; M, N, K as in the calls of the BLAS and LAPACK.
constexpr std::array works{
    Work{"dgemm", "2*M*N*K"},
    Work{"dsyrk", "N^2*K"},
    Work{"dtrsm", "M^2*N"},
    Work{"dtrsm_left", "M^2*N"},
    Work{"dtrsm_right", "M*N^2"},
    Work{"dtrmm", "M^2*N"},
    Work{"dgemv", "2*M*N"},
    Work{"dger", "2*M*N"},
    Work{"dtrsv", "N^2"},
    Work{"daxpy", "2*N"},
    Work{"ddot", "2*N"},
    Work{"dscal", "N"},
    Work{"dswap", "N"},
    Work{"dcopy", "N"},
    Work{"idamax", "N"},
    Work{"dlaswp", "M*N"},
    Work{"dgetrf", "M*N^2 - 0.333333333333*N^3"},
    Work{"dpotrf", "0.333333333333*N^3"},
};

} // namespace

Polynomial Polynomial::parse(std::string_view text) {
    Polynomial polynomial;
    polynomial.words_ = std::string(trimmed_term(text));
    const auto fail = [&](std::string_view what) {
        throw UsageError(fmt::format("'{}': '{}' is not a number or a name with a power, such as 2*M*N^2",
                                     polynomial.words_, what));
    };
    std::string_view rest = polynomial.words_;
    double sign = 1;
    if (rest.starts_with('-')) {
        sign = -1;
        rest.remove_prefix(1);
    }
    for (;;) {
        // A sign behind an e belongs to a number: 1e-3.
        std::size_t end = 0;
        while (end < rest.size() &&
               !((rest[end] == '+' || rest[end] == '-') && end > 0 &&
                 !((rest[end - 1] == 'e' || rest[end - 1] == 'E') && end > 1 &&
                   (rest[end - 2] == '.' || (rest[end - 2] >= '0' && rest[end - 2] <= '9')))))
            ++end;
        Monomial monomial;
        monomial.factor = sign;
        std::string_view product = rest.substr(0, end);
        for (bool more = true; more;) {
            const std::size_t star = product.find('*');
            more = star != std::string_view::npos;
            const std::string_view factor = trimmed_term(product.substr(0, star));
            if (more) product.remove_prefix(star + 1);
            if (const auto number = number_in_term(factor)) {
                monomial.factor *= *number;
                continue;
            }
            const std::size_t hat = std::min(factor.find('^'), factor.size());
            const std::string_view name = trimmed_term(factor.substr(0, hat));
            int power = 1;
            if (hat < factor.size()) {
                const auto value = number_in_term(trimmed_term(factor.substr(hat + 1)));
                if (!value || *value != std::floor(*value) || *value < 1 || *value > 9) fail(factor);
                power = static_cast<int>(*value);
            }
            if (!is_name(name)) fail(factor);
            monomial.powers.emplace_back(std::string(name), power);
        }
        polynomial.monomials_.push_back(std::move(monomial));
        if (end >= rest.size()) break;
        sign = rest[end] == '-' ? -1 : 1;
        rest.remove_prefix(end + 1);
    }
    return polynomial;
}

double Polynomial::at(const Sizes& sizes) const {
    double sum = 0;
    for (const Monomial& monomial : monomials_) {
        double product = monomial.factor;
        for (const auto& [name, power] : monomial.powers) product *= std::pow(size_of(sizes, name), power);
        sum += product;
    }
    return sum;
}

std::vector<std::string> Polynomial::names() const {
    std::vector<std::string> all;
    for (const Monomial& monomial : monomials_) {
        for (const auto& power : monomial.powers) all.push_back(power.first);
    }
    return all;
}

std::vector<Polynomial> parse_terms(std::string_view text) {
    std::vector<Polynomial> terms;
    while (true) {
        const std::size_t comma = text.find(',');
        terms.push_back(Polynomial::parse(text.substr(0, comma)));
        if (comma == std::string_view::npos) return terms;
        text.remove_prefix(comma + 1);
    }
}

Condition Condition::parse(std::string_view text) {
    Condition condition;
    condition.words_ = std::string(trimmed_term(text));
    std::string_view rest = condition.words_;
    while (!rest.empty()) {
        const std::size_t end = rest.find("&&");
        const std::string_view part = trimmed_term(rest.substr(0, end));
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 2);
        const std::size_t sign = part.find_first_of("<>");
        const bool equal = sign != std::string_view::npos && part.substr(sign + 1).starts_with('=');
        const std::string_view name = trimmed_term(part.substr(0, std::min(sign, part.size())));
        const auto bound = sign == std::string_view::npos
                               ? std::nullopt
                               : number_in_term(trimmed_term(part.substr(sign + (equal ? 2 : 1))));
        if (!is_name(name) || !bound)
            throw UsageError(
                fmt::format("'{}': expected comparisons such as M > 512 && N > 512", condition.words_));
        const bool more = part[sign] == '>';
        condition.comparisons_.push_back(
            {std::string(name),
             more ? (equal ? Order::at_least : Order::more) : (equal ? Order::at_most : Order::less), *bound});
    }
    return condition;
}

bool Condition::holds(const Sizes& sizes) const {
    return std::all_of(comparisons_.begin(), comparisons_.end(), [&](const Comparison& each) {
        const double size = size_of(sizes, each.name);
        switch (each.order) {
        case Order::less: return size < each.bound;
        case Order::at_most: return size <= each.bound;
        case Order::more: return size > each.bound;
        case Order::at_least: break;
        }
        return size >= each.bound;
    });
}

const char* known_work(std::string_view routine) {
    const auto found =
        std::find_if(works.begin(), works.end(), [&](const Work& each) { return each.routine == routine; });
    return found == works.end() ? nullptr : found->work;
}

} // namespace orrery
