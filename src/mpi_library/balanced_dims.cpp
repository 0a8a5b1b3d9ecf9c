#include "mpi_library/balanced_dims.h"

#include <algorithm>
#include <cstdint>

namespace orrery::emulate::mpi {

namespace {

std::vector<int> divisors_of(int number) {
    std::vector<int> all;
    for (int each = 1; each <= number / each; ++each) {
        if (number % each != 0) continue;
        all.push_back(each);
        if (each != number / each) all.push_back(number / each);
    }
    std::sort(all.begin(), all.end());
    return all;
}

// Whether base^exponent <= limit.
bool power_fits(int base, int exponent, int limit) {
    std::int64_t power = 1;
    for (int i = 0; i < exponent && base > 1; ++i) {
        power *= base;
        if (power > limit) return false;
    }
    return power <= limit;
}

// Factors are tried from the smallest of them to the largest, and for each the large values first: so that of
// results that are as good the one that is wanted is found first, and good ones early.
class Search {
  public:
    Search(int nodes, int count) : divisors_(divisors_of(nodes)) {
        go_on(nodes, count);
        std::reverse(best_.begin(), best_.end());
    }
    std::vector<int> best() { return std::move(best_); }

  private:
    // `rest` is still to be made of `count` factors, none less than the last one chosen.
    void go_on(int rest, int count) {
        const int smallest = chosen_.empty() ? 1 : chosen_.front();
        if (count == 1) {
            const int difference = chosen_.empty() ? 0 : rest - smallest;
            if (!best_.empty() && difference >= difference_) return;
            difference_ = difference;
            best_ = chosen_;
            best_.push_back(rest);
            return;
        }
        const int least = chosen_.empty() ? 1 : chosen_.back();
        for (std::size_t i = divisors_.size(); i-- > 0 && divisors_[i] >= least;) {
            const int factor = divisors_[i];
            if (rest % factor != 0 || !power_fits(factor, count, rest)) continue;
            const int first = chosen_.empty() ? factor : smallest;
            // One of those that remain is at least their mean.
            if (!best_.empty() && power_fits(first + difference_ - 1, count - 1, rest / factor - 1)) continue;
            chosen_.push_back(factor);
            go_on(rest / factor, count - 1);
            chosen_.pop_back();
        }
    }

    std::vector<int> divisors_; // ascending
    std::vector<int> chosen_;   // ascending
    std::vector<int> best_;
    int difference_ = 0; // between the first and the last of `best_`
};

} // namespace

std::vector<int> balanced_dims(int nodes, int count) { return Search(nodes, count).best(); }

} // namespace orrery::emulate::mpi
