#include "machine/routing/pattern.h"

#include "engine/error.h"
#include "engine/random.h"
#include "engine/units.h"
#include "machine/machine_file.h"
#include "machine/platform.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <utility>

namespace orrery {

namespace {

struct Kind {
    std::string_view name;
    std::string_view argument; // empty: takes none
    std::string_view meaning;
};

constexpr std::array kinds{
    Kind{"shift", "K", "each host to the one K further on, the last ones to the first"},
    Kind{"exchange", "K",
         "each host to the one K further on and then to the one K before it; none wraps round"},
    Kind{"uniform", "", "each host to each other one"},
    Kind{"permutation", "SEED", "each host to one other, at random, none twice"},
    Kind{"bit-complement", "", "host i to that with all binary digits of i inverted (2^n hosts)"},
    Kind{"bit-reverse", "", "to that with the digits in reverse order (2^n hosts)"},
    Kind{"transpose", "", "to that with the upper and lower half of the digits swapped (4^n hosts)"},
    Kind{"tornado", "", "to the one almost halfway round, (n - 1) / 2 further on"},
};

std::optional<std::uint64_t> number_in(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

// Numbers 0..n-1 in random order (Fisher and Yates), so that none stays where it is: fixed points are rotated.
std::vector<std::uint32_t> random_order(std::uint32_t n, std::uint64_t seed) {
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    const RandomStream random(seed, n);
    for (std::uint32_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i, i)]);
    std::vector<std::uint32_t> fixed;
    for (std::uint32_t i = 0; i < n; ++i) {
        if (order[i] == i) fixed.push_back(i);
    }
    if (fixed.size() == 1 && n > 1) std::swap(order[fixed[0]], order[(fixed[0] + 1) % n]);
    for (std::size_t i = 0; i + 1 < fixed.size(); ++i) std::swap(order[fixed[i]], order[fixed[i + 1]]);
    return order;
}

std::uint32_t reversed(std::uint32_t value, int digits) {
    std::uint32_t out = 0;
    for (int i = 0; i < digits; ++i) out |= (value >> i & 1U) << (digits - 1 - i);
    return out;
}

class NamedPattern {
  public:
    NamedPattern(const Kind& kind, std::uint64_t argument, std::uint32_t hosts)
        : kind_(kind), argument_(argument), hosts_(hosts) {}

    HostPattern make() {
        pattern_.words = std::string(kind_.name);
        if (!kind_.argument.empty()) pattern_.words += fmt::format(":{}", argument_);
        if (kind_.name == "exchange") {
            exchange();
        } else if (kind_.name == "uniform") {
            if (hosts_ > 4096) throw UsageError("the pattern 'uniform' is for at most 4096 hosts");
            for (std::uint32_t step = 1; step < hosts_; ++step) {
                for (std::uint32_t i = 0; i < hosts_; ++i) add(i, (i + step) % hosts_);
            }
        } else if (kind_.name == "shift" || kind_.name == "tornado") {
            const std::uint64_t by = kind_.name == "shift" ? argument_ : (hosts_ - 1) / 2;
            for (std::uint32_t i = 0; i < hosts_; ++i)
                add(i, static_cast<std::uint32_t>((i + by % hosts_) % hosts_));
        } else if (kind_.name == "permutation") {
            const auto order = random_order(hosts_, argument_);
            for (std::uint32_t i = 0; i < hosts_; ++i) add(i, order[i]);
        } else {
            of_digits();
        }
        return std::move(pattern_);
    }

  private:
    void add(std::uint32_t from, std::uint32_t to, std::uint32_t phase = 0) {
        if (from != to) pattern_.flows.push_back({{from}, {to}, 1, phase});
    }

    void exchange() {
        for (std::uint32_t i = 0; i < hosts_; ++i) {
            const bool up = i + argument_ < hosts_;
            if (up) add(i, static_cast<std::uint32_t>(i + argument_));
            if (i >= argument_) add(i, static_cast<std::uint32_t>(i - argument_));
        }
    }

    void of_digits() {
        const int digits = std::countr_zero(hosts_);
        if (!std::has_single_bit(hosts_) || (kind_.name == "transpose" && digits % 2 != 0)) {
            throw UsageError(fmt::format("the pattern '{}' needs {} hosts; this machine has {}", kind_.name,
                                         kind_.name == "transpose" ? "4^n" : "2^n", hosts_));
        }
        const std::uint32_t mask = hosts_ - 1;
        for (std::uint32_t i = 0; i < hosts_; ++i) {
            const int half = digits / 2;
            const std::uint32_t to = kind_.name == "bit-complement" ? ~i & mask
                                     : kind_.name == "bit-reverse"  ? reversed(i, digits)
                                                                    : (i << half | i >> half) & mask;
            add(i, to);
        }
    }

    const Kind& kind_;
    std::uint64_t argument_;
    std::uint32_t hosts_;
    HostPattern pattern_;
};

class PatternReader {
  public:
    PatternReader(const Platform& platform, std::string file) : platform_(platform), file_(std::move(file)) {}

    void line(std::string_view text) {
        ++line_;
        text = text.substr(0, text.find('#'));
        std::vector<std::string_view> words;
        constexpr std::string_view blank = " \t\r";
        for (std::size_t at = text.find_first_not_of(blank); at < text.size();) {
            const std::size_t end = std::min(text.find_first_of(blank, at), text.size());
            words.push_back(text.substr(at, end - at));
            at = text.find_first_not_of(blank, end);
        }
        if (words.empty()) return;
        if (words.size() < 2 || words.size() > 4) fail("expected 'from to [bytes] [phase]'");
        Flow flow{host(words[0]), host(words[1])};
        if (words.size() > 2) {
            try {
                flow.bytes = parse_bytes(words[2]);
            } catch (const UsageError& error) {
                fail(error.what());
            }
        }
        if (words.size() > 3) {
            const auto phase = number_in(words[3]);
            if (!phase || *phase > 1'000'000) fail("expected a phase from 0 to 1000000");
            flow.phase = static_cast<std::uint32_t>(*phase);
        }
        if (flow.from != flow.to) flows.push_back(flow);
    }

    std::vector<Flow> flows;

  private:
    [[noreturn]] void fail(const std::string& reason) const {
        throw InputError(Error{file_, line_, 0, reason});
    }

    HostId host(std::string_view word) const {
        if (const auto found = platform_.topology().find_host(word)) return *found;
        const auto number = number_in(word);
        if (!number || *number >= platform_.host_count()) {
            fail(fmt::format("the machine has no host '{}'; its {} hosts are {} to {}", word,
                             platform_.host_count(), platform_.topology().host_name({0}),
                             platform_.topology().host_name({platform_.host_count() - 1})));
        }
        return {static_cast<std::uint32_t>(*number)};
    }

    const Platform& platform_;
    std::string file_;
    std::uint64_t line_ = 0;
};

std::string expected_patterns() {
    std::string out;
    for (const Kind& kind : kinds) {
        out += fmt::format("{}{}{}{}", out.empty() ? "" : ", ", kind.name, kind.argument.empty() ? "" : ":",
                           kind.argument);
    }
    return out;
}

} // namespace

HostPattern parse_pattern(const Platform& platform, std::string_view text, const std::string& file) {
    PatternReader reader(platform, file);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        reader.line(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (reader.flows.empty()) throw InputError(Error{file, 0, 0, "no host sends to another one"});
    return {file, std::move(reader.flows)};
}

HostPattern read_pattern(const Platform& platform, const std::string& name_or_file) {
    const std::string_view text = name_or_file;
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view name = text.substr(0, colon);
    const auto* const kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const Kind& each) { return each.name == name; });
    if (kind != kinds.end()) {
        const auto argument = number_in(colon < text.size() ? text.substr(colon + 1) : "1");
        if (!argument || (kind->argument.empty() && colon < text.size())) {
            throw UsageError(fmt::format("'{}' is not {}{}{}", text, name, kind->argument.empty() ? "" : ":",
                                         kind->argument));
        }
        HostPattern pattern = NamedPattern(*kind, *argument, platform.host_count()).make();
        if (pattern.flows.empty()) throw UsageError(fmt::format("in the pattern '{}' nobody sends", text));
        return pattern;
    }
    std::error_code none;
    if (!std::filesystem::exists(name_or_file, none)) {
        throw UsageError(
            fmt::format("'{}' is neither a file nor a pattern ({})", name_or_file, expected_patterns()));
    }
    return parse_pattern(platform, read_whole_file(name_or_file), name_or_file);
}

std::string named_patterns() {
    std::string out;
    for (const Kind& kind : kinds) {
        const std::string how =
            fmt::format("{}{}{}", kind.name, kind.argument.empty() ? "" : ":", kind.argument);
        out += fmt::format("  {:<18} {}\n", how, kind.meaning);
    }
    return out;
}

} // namespace orrery
