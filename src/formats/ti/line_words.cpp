#include "formats/ti/line_words.h"

#include "engine/error.h"
#include "workload/op.h"

#include <cmath>
#include <fast_float/fast_float.h>
#include <fmt/format.h>

namespace orrery::ti {

namespace {

// What a message may show of a word: no control characters, no kilobytes.
std::string shown(std::string_view word) {
    std::string text;
    for (const char c : word.substr(0, 40)) {
        const auto byte = static_cast<unsigned char>(c);
        text += byte >= 0x20 && byte < 0x7F ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
    }
    return word.size() > 40 ? text + "..." : text;
}

} // namespace

std::string_view LineWords::word_from(const char* from) {
    const char* end = from;
    while (!ends_word(*end)) ++end;
    return {from, static_cast<std::size_t>(end - from)};
}

void LineWords::fail_at(const char* where, const std::string& reason) const {
    throw InputError(Error{*file_, number_, static_cast<std::uint64_t>(where - start_) + 1, reason});
}

void LineWords::missing(const char* what) const {
    const std::string_view found = word_from(at_);
    fail_at(at_, found.empty() ? fmt::format("the line ends here; expected {}", what)
                               : fmt::format("found \"{}\"; expected {}", shown(found), what));
}

void LineWords::refuse_negative(const char* from, const char* what) const {
    while (is_blank(*from)) ++from;
    fail_at(from, fmt::format("{} is negative; expected {}", shown(word_from(from)), what));
}

double LineWords::slow_real(const char* what) {
    const std::string_view word = word_from(at_);
    const char* const end = word.data() + word.size();
    double value = 0;
    const char* first = word.data();
    if (!word.empty() && *first == '+') ++first;
    const auto [at, error] = fast_float::from_chars(first, end, value);
    if (word.empty() || error != std::errc{} || at != end || !std::isfinite(value)) missing(what);
    at_ = end;
    return value;
}

std::int64_t LineWords::slow_integer(const char* what) {
    const char* const from = at_;
    const double value = std::trunc(slow_real(what));
    if (std::abs(value) > static_cast<double>(max_op_size)) {
        fail_at(from, fmt::format("{} is too large; expected {}", shown(word_from(from)), what));
    }
    return static_cast<std::int64_t>(value);
}

std::uint32_t LineWords::rank() {
    skip_blanks();
    const char* const from = at_;
    if (*at_ == 'p') ++at_;
    std::uint64_t value = 0;
    if (!read_digits(value) || value >= max_ranks) {
        at_ = from;
        missing("the rank that acts (a line is <rank> <action> <arguments>)");
    }
    return static_cast<std::uint32_t>(value);
}

} // namespace orrery::ti
