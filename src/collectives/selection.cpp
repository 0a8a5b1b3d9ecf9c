#include "collectives/selection.h"

#include "collectives/selectors.h"
#include "engine/error.h"
#include "engine/units.h"

#include <algorithm>

namespace orrery {

namespace {

constexpr std::array<std::string_view, 8> names{"openmpi",    "mpich",         "smpi-default", "smpi-ompi",
                                                "smpi-mpich", "smpi-mvapich2", "smpi-impi",    "loggopsim"};

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out.append(out.empty() ? "" : ", ").append(word);
    return out;
}

template <typename Range> std::string did_you_mean(std::string_view word, const Range& candidates) {
    const std::string near = nearest_word(word, candidates);
    return near.empty() ? "" : "; did you mean '" + near + "'?";
}

std::string there_are(const std::string& meant, const std::vector<std::string>& words) {
    return (meant.empty() ? "." : meant) + " There are: " + joined(words);
}

Collective parse_operation(std::string_view name) {
    if (const auto found = find_collective(name)) return *found;
    std::vector<std::string_view> all;
    for (std::size_t i = 0; i < collective_count; ++i) all.push_back(name_of(static_cast<Collective>(i)));
    throw UsageError(
        std::string("there is no collective '").append(name).append("'").append(did_you_mean(name, all)));
}

const Algorithm* parse_algorithm(Collective operation, std::string_view name) {
    if (const Algorithm* const found = find_algorithm(operation, name)) return found;
    std::vector<std::string> own;
    for (const Algorithm& each : algorithms(operation)) own.emplace_back(each.name);
    throw UsageError(std::string(name_of(operation))
                         .append(" has no algorithm '")
                         .append(name)
                         .append("'")
                         .append(there_are(did_you_mean(name, algorithm_names(operation)), own)));
}

// "segment=64KiB" or "fanout=4"
void set_tuning(CollectiveTuning& tuning, std::string_view word) {
    constexpr std::array<std::string_view, 2> keys{"segment", "fanout"};
    const std::size_t sign = word.find('=');
    const std::string_view key = word.substr(0, sign);
    if (sign == std::string_view::npos || std::find(keys.begin(), keys.end(), key) == keys.end()) {
        throw UsageError(std::string("the tuning of a collective is segment=BYTES or fanout=NUMBER, not '")
                             .append(word)
                             .append("'")
                             .append(did_you_mean(key, keys)));
    }
    const std::string_view value = word.substr(sign + 1);
    if (key == "segment") {
        tuning.segment = parse_bytes(value);
        return;
    }
    const std::uint64_t fanout = parse_count(value);
    if (fanout == 0 || fanout > 1'000'000) throw UsageError("a fanout is between 1 and 1,000,000");
    tuning.fanout = static_cast<std::uint32_t>(fanout);
}

} // namespace

std::string words_of(const Choice& choice) {
    std::string words(choice.algorithm->name);
    const CollectiveTuning& tuning = choice.tuning;
    if (tuning.segment != 0 && tuning.segment != ~Bytes{0}) // none, or explicitly none
        words += ":segment=" + std::to_string(tuning.segment) + "B";
    if (tuning.fanout != 0) words += ":fanout=" + std::to_string(tuning.fanout);
    return words;
}

std::string_view name_of(Selector selector) { return names[static_cast<std::size_t>(selector)]; }
std::span<const std::string_view> selector_names() { return names; }

Selector parse_selector(std::string_view name) {
    const auto* const found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<Selector>(found - names.begin());
    const bool operation = find_collective(name.substr(0, name.find(':'))).has_value();
    const std::string meant =
        operation ? "; an operation and its algorithm are written allreduce=ring." : did_you_mean(name, names);
    throw UsageError(std::string("there is no selector '")
                         .append(name)
                         .append("'")
                         .append(there_are(meant, {names.begin(), names.end()})));
}

Choice select(Selector selector, const CollectiveCall& call) {
    switch (selector) {
    case Selector::openmpi: return coll::select_openmpi(call);
    case Selector::mpich: return coll::select_mpich(call);
    case Selector::smpi_default: return coll::select_simgrid_default(call);
    case Selector::smpi_ompi: return coll::select_simgrid_ompi(call);
    case Selector::smpi_mpich: return coll::select_simgrid_mpich(call);
    case Selector::smpi_mvapich2: return coll::select_simgrid_mvapich2(call);
    case Selector::smpi_impi: return coll::select_simgrid_impi(call);
    case Selector::loggopsim: return coll::select_loggopsim(call);
    }
    return {};
}

std::string reason_of(Selector selector, const CollectiveCall& call) {
    switch (selector) {
    case Selector::openmpi: return coll::openmpi_reason(call);
    case Selector::mpich: return coll::mpich_reason(call);
    case Selector::smpi_default: return "smpi_default_selector.cpp of SimGrid";
    case Selector::smpi_ompi: return coll::openmpi_reason(call) + ", with the algorithms of SimGrid";
    case Selector::smpi_mpich: return "smpi_mpich_selector.cpp of SimGrid";
    case Selector::smpi_mvapich2: return "smpi_mvapich2_selector.cpp of SimGrid, tables for Stampede";
    case Selector::smpi_impi: return "smpi_intel_mpi_selector.cpp of SimGrid";
    case Selector::loggopsim: return coll::loggopsim_reason(call);
    }
    return {};
}

Choice select_nonblocking(Selector selector, const CollectiveCall& call) {
    switch (selector) {
    case Selector::openmpi: return coll::select_openmpi_nonblocking(call);
    case Selector::mpich: return coll::select_mpich_nonblocking(call);
    case Selector::loggopsim: return coll::select_loggopsim(call);
    default: return coll::select_simgrid_nonblocking(call);
    }
}

std::string reason_of_nonblocking(Selector selector, const CollectiveCall& call) {
    switch (selector) {
    case Selector::openmpi: return "coll/libnbc of Open MPI";
    case Selector::mpich: return "maint/tuning/coll/mpir/generic.json of MPICH: nonblocking";
    case Selector::loggopsim: return coll::loggopsim_reason(call);
    default: return "smpi_nbc_impl.cpp of SimGrid";
    }
}

Bytes selection_bytes(const CollectiveCall& call) { return coll::bytes_decided_by(call); }

void CollectivePolicy::set(std::string_view word) {
    const std::size_t sign = word.find('=');
    if (sign == std::string_view::npos) {
        selector_ = parse_selector(word);
        return;
    }
    const Collective operation = parse_operation(word.substr(0, sign));
    std::string_view rest = word.substr(sign + 1);
    if (std::find(names.begin(), names.end(), rest) != names.end()) {
        selectors_[static_cast<std::size_t>(operation)] = parse_selector(rest);
        forced_[static_cast<std::size_t>(operation)] = {};
        return;
    }
    // "simgrid:NTSL:segment=8KiB": the name goes up to the first ':' that begins a tuning, or to the end.
    std::size_t end = std::min(rest.find(':'), rest.size());
    while (end < rest.size() &&
           rest.substr(end + 1, rest.find(':', end + 1) - end - 1).find('=') == std::string::npos) {
        end = std::min(rest.find(':', end + 1), rest.size());
    }
    Choice choice{parse_algorithm(operation, rest.substr(0, end)), {}};
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (!rest.empty()) {
        const std::size_t next = std::min(rest.find(':'), rest.size());
        set_tuning(choice.tuning, rest.substr(0, next));
        rest.remove_prefix(std::min(next + 1, rest.size()));
    }
    forced_[static_cast<std::size_t>(operation)] = choice;
}

CollectivePolicy CollectivePolicy::parse(std::string_view words) {
    CollectivePolicy policy;
    while (!words.empty()) {
        const std::size_t end = std::min(words.find_first_of(", "), words.size());
        if (end > 0) policy.set(words.substr(0, end));
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return policy;
}

Choice CollectivePolicy::choose(const CollectiveCall& call) const {
    const Choice& forced = forced_[static_cast<std::size_t>(call.operation)];
    return forced.algorithm != nullptr ? forced : select(selector_of(call.operation), call);
}

Choice CollectivePolicy::choose_nonblocking(const CollectiveCall& call) const {
    const Choice& forced = forced_[static_cast<std::size_t>(call.operation)];
    return forced.algorithm != nullptr ? forced : select_nonblocking(selector_of(call.operation), call);
}

std::string CollectivePolicy::reason(const CollectiveCall& call, bool nonblocking) const {
    const Choice& forced = forced_[static_cast<std::size_t>(call.operation)];
    if (forced.algorithm != nullptr)
        return std::string("forced: ").append(name_of(call.operation)).append("=").append(words_of(forced));
    const Selector selector = selector_of(call.operation);
    return nonblocking ? reason_of_nonblocking(selector, call) : reason_of(selector, call);
}

const Algorithm* CollectivePolicy::without_data() const {
    for (std::size_t i = 0; i < collective_count; ++i) {
        const auto operation = static_cast<Collective>(i);
        const Algorithm* algorithm = forced_[i].algorithm;
        // Of the selectors, only this one takes such algorithms; which one does not depend on the call.
        if (algorithm == nullptr && selector_of(operation) == Selector::loggopsim) {
            CollectiveCall call;
            call.operation = operation;
            algorithm = coll::select_loggopsim(call).algorithm;
        }
        if (algorithm != nullptr && !algorithm->moves_data) return algorithm;
    }
    return nullptr;
}

} // namespace orrery
