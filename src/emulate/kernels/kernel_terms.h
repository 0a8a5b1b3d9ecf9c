// What a kernel's time is made of: polynomials of its sizes ("2*M*N*K", "M*N^2 - 0.3333*N^3", "1"), and
// conditions on them ("M > 512 && N > 512").
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {

using Sizes = std::map<std::string, double, std::less<>>; // of one call: M, N, K, ...

class Polynomial {
  public:
    // Sums and differences of products of numbers and names, a name with a power (M^2). Throws UsageError.
    static Polynomial parse(std::string_view text);
    // Throws UsageError naming a size that is not there.
    [[nodiscard]] double at(const Sizes& sizes) const;
    [[nodiscard]] const std::string& words() const { return words_; }
    [[nodiscard]] std::vector<std::string> names() const;

    struct Monomial {
        double factor = 1;
        std::vector<std::pair<std::string, int>> powers;
    };
    [[nodiscard]] const std::vector<Monomial>& monomials() const { return monomials_; }

  private:
    std::vector<Monomial> monomials_;
    std::string words_;
};

// Separated by commas, at least one.
std::vector<Polynomial> parse_terms(std::string_view text);

class Condition {
  public:
    // Comparisons (> >= < <=) of a size with a number, joined by &&. Empty: always. Throws UsageError.
    static Condition parse(std::string_view text);
    [[nodiscard]] bool holds(const Sizes& sizes) const;
    [[nodiscard]] bool always() const { return comparisons_.empty(); }
    [[nodiscard]] const std::string& words() const { return words_; }

    enum class Order : std::uint8_t { less, at_most, more, at_least };
    struct Comparison {
        std::string name;
        Order order = Order::more;
        double bound = 0;
    };
    [[nodiscard]] const std::vector<Comparison>& comparisons() const { return comparisons_; }

  private:
    std::vector<Comparison> comparisons_;
    std::string words_;
};

// The work of a routine of the BLAS or LAPACK, in floating-point operations (or elements moved); null if it is
// not known.
const char* known_work(std::string_view routine);

} // namespace orrery
