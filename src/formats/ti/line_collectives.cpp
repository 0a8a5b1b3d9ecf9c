// Collective operations. In each, CollectiveCall::bytes and the counts are what collectives/call.h says.
#include "formats/ti/line_parser.h"

#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace orrery::ti {

void LineParser::read_numbers() {
    numbers_.clear();
    while (number_follows()) numbers_.push_back(real("a number"));
    finish();
}

void LineParser::expect_numbers(std::size_t least, std::size_t most) const {
    if (numbers_.size() >= least && numbers_.size() <= most) return;
    fail_at(name_, fmt::format(
                       "{} arguments; expected {}: {}{}", numbers_.size(),
                       least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most), usage(),
                       word_->collective == Collective::reduce_scatter
                           ? " (SimGrid's tracer loses the size of MPI_Reduce_scatter_block: write it as "
                             "reducescatterblock <count> <instructions> [datatype])"
                           : ""));
}

std::uint64_t LineParser::count_at(std::size_t index) const {
    const double value = numbers_[index];
    if (value < 0)
        fail_at(name_, fmt::format("argument {} of {} is negative: {}", index + 1, word_->name, value));
    constexpr std::uint64_t most_elements = max_op_size / 64;
    if (value > static_cast<double>(most_elements))
        fail_at(name_, fmt::format("argument {} of {} is too large: {}", index + 1, word_->name, value));
    return static_cast<std::uint64_t>(value);
}

double LineParser::volume_at(std::size_t index) const {
    const double value = numbers_[index];
    if (value < 0) fail_at(name_, fmt::format("a negative number of instructions: {}", value));
    return value;
}

// What is no rank and no type because it is too large stays so.
std::int64_t LineParser::whole_at(std::size_t index) const {
    constexpr std::int64_t most = std::int64_t{1} << 53U;
    const double value = numbers_[index];
    if (value > static_cast<double>(-most) && value < static_cast<double>(most))
        return static_cast<std::int64_t>(value);
    return value < 0 ? -most : most;
}

std::uint32_t LineParser::root_at(std::size_t index, const RankContext& rank) const {
    if (index >= numbers_.size()) return 0;
    return peer(whole_at(index), rank, "the root");
}

std::uint32_t LineParser::type_at(std::size_t index, const RankContext& rank) const {
    if (index >= numbers_.size()) return rank.default_bytes;
    return type_bytes(whole_at(index), name_);
}

void LineParser::put_counts(Action& action, std::size_t first, std::size_t n, std::uint32_t bytes_each,
                            Window& out) const {
    if (action.counts == 0) action.first_count = static_cast<std::uint32_t>(out.counts.size());
    std::uint64_t elements = 0;
    for (std::size_t i = first; i < first + n; ++i) {
        out.counts.push_back(count_at(i) * bytes_each);
        elements += count_at(i);
    }
    if (bytes_each == 0 && elements > 0) tally_->note(Oddity::null_datatype);
    action.counts += static_cast<std::uint32_t>(n);
}

void LineParser::collective(RankContext& rank, Window& out) {
    read_numbers();
    Action action;
    action.kind = ActionKind::collective;
    action.collective = word_->collective;
    action.nonblocking = word_->nonblocking;
    action.comm = comm_;
    action.line = number();
    (void)comm_size(rank); // it must be there
    switch (action.collective) {
    case Collective::gatherv:
    case Collective::scatterv:
    case Collective::allgatherv:
    case Collective::alltoallv:
    case Collective::alltoallw:
    case Collective::reduce_scatter: counted_collective(rank, action, out); break;
    case Collective::neighbor_allgatherv:
        expect_numbers(1, numbers_.size());
        action.bytes = count_at(0);
        put_counts(action, 1, numbers_.size() - 1, 1, out);
        break;
    case Collective::neighbor_alltoallv:
    case Collective::neighbor_alltoallw: put_counts(action, 0, numbers_.size(), 1, out); break;
    default: fixed_collective(rank, action); break;
    }
    // Data of the null datatype have elements of no size: those of a reduction are taken as single bytes.
    if (action.element == 0) action.element = 1;
    if (element_ != 0) action.element = element_;
    action.commutative = !ordered_;
    if (action.nonblocking) action.request = rank.requests.add(no_message);
    out.actions.push_back(action);
}

void LineParser::fixed_collective(const RankContext& rank, Action& action) const {
    const auto rooted = [&](std::size_t index) { action.peer = root_at(index, rank); };
    switch (action.collective) {
    case Collective::barrier: expect_numbers(0, 0); return;
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall:
        expect_numbers(1, 1);
        action.bytes = count_at(0);
        return;
    case Collective::bcast: // count [root [type]]
        expect_numbers(1, 3);
        rooted(1);
        action.bytes = bytes(count_at(0), type_at(2, rank));
        return;
    case Collective::reduce: // count instructions [root [type]]
        expect_numbers(2, 4);
        rooted(2);
        action.element = type_at(3, rank);
        break;
    case Collective::allgather:
    case Collective::alltoall: // sent received [type [type]]
        expect_numbers(2, 4);
        (void)count_at(1);
        (void)type_at(3, rank);
        action.bytes = bytes(count_at(0), type_at(2, rank));
        return;
    case Collective::gather:
    case Collective::scatter: { // sent received [root [type [type]]]
        expect_numbers(2, 5);
        rooted(2);
        // MPI ignores what a rank other than the root says of the root's side, and at the root the rank's own
        // part may be left out (MPI_IN_PLACE): the side that all ranks agree on counts, and if it is empty the
        // other.
        const Bytes sent = count_at(0) * type_at(3, rank);
        const Bytes received = count_at(1) * type_at(4, rank);
        const bool at_root = comm_ == world && action.peer == rank.rank;
        const bool sender_knows = (action.collective == Collective::gather) != at_root;
        action.bytes = sender_knows ? sent : received;
        if (action.bytes == 0 && at_root) action.bytes = sender_knows ? received : sent;
        if (count_at(0) + count_at(1) > 0 && sent + received == 0) tally_->note(Oddity::null_datatype);
        return;
    }
    default: // allreduce, scan, exscan, reduce_scatter_block: count instructions [type]
        expect_numbers(2, 3);
        action.element = type_at(2, rank);
        break;
    }
    action.bytes = bytes(count_at(0), action.element);
    action.volume = volume_at(1);
}

// On all ranks the arguments at the end of the line may be left out. On another communicator they must be
// there, for its size follows from how many numbers there are.
void LineParser::counted_collective(const RankContext& rank, Action& action, Window& out) {
    const std::size_t numbers = numbers_.size();
    const bool on_world = comm_ == world;
    const bool rooted = action.collective == Collective::gatherv || action.collective == Collective::scatterv;
    const auto size = [&](std::size_t others, std::size_t optional, std::size_t lists) {
        if (on_world) {
            expect_numbers(lists * ranks_ + others, lists * ranks_ + others + optional);
            return std::size_t{ranks_};
        }
        const std::size_t known = comm_size(rank);
        const std::size_t fixed = others + optional;
        if (rooted && numbers == fixed) return std::size_t{0}; // not the root: nothing to say of the others
        const std::size_t found = numbers > fixed ? (numbers - fixed) / lists : 0;
        if (found == 0 || found * lists + fixed != numbers || (known != 0 && found != known)) {
            fail_at(name_,
                    fmt::format("{} arguments; expected all of {} (on a communicator none may be left out)",
                                numbers, usage()));
        }
        return found;
    };
    const auto any_count = [&](std::size_t first, std::size_t n) {
        for (std::size_t i = first; i < first + n; ++i) {
            if (numbers_[i] != 0) return true;
        }
        return false;
    };
    // Only the root knows all counts.
    const auto root_counts = [&](std::size_t first, std::size_t n, std::uint32_t each) {
        const bool here = on_world ? action.peer == rank.rank : any_count(first, n);
        if (here) put_counts(action, first, n, each, out);
    };
    switch (action.collective) {
    case Collective::gatherv: { // sent received.. [root [type [type]]]
        const std::size_t n = size(1, 3, 1);
        action.peer = root_at(n + 1, rank);
        action.bytes = bytes(count_at(0), type_at(n + 2, rank));
        root_counts(1, n, type_at(n + 3, rank));
        return;
    }
    case Collective::scatterv: { // sent.. received [root [type [type]]]
        const std::size_t n = size(1, 3, 1);
        action.peer = root_at(n + 1, rank);
        action.bytes = bytes(count_at(n), type_at(n + 3, rank));
        root_counts(0, n, type_at(n + 2, rank));
        return;
    }
    case Collective::allgatherv: { // sent received.. [type type] [displacement..]
        std::size_t n = ranks_;
        std::size_t first_type = n + 1;
        if (!on_world) {
            n = size(1, 2, 1);
            first_type = n + 1;
        } else if (numbers > n + 3) { // displacements are there: with the types before them, or without
            if (numbers != 2 * n + 1 && numbers != 2 * n + 3) expect_numbers(2 * n + 1, 2 * n + 3);
            if (numbers == 2 * n + 1) first_type = numbers;
        } else {
            expect_numbers(n + 1, n + 3);
        }
        action.bytes = bytes(count_at(0), type_at(first_type, rank));
        put_counts(action, 1, n, type_at(first_type + 1, rank), out);
        return;
    }
    case Collective::reduce_scatter: { // received.. instructions [type]
        const std::size_t n = size(1, 1, 1);
        action.element = type_at(n + 1, rank);
        action.volume = volume_at(n);
        put_counts(action, 0, n, action.element, out);
        action.bytes = std::accumulate(out.counts.begin() + action.first_count, out.counts.end(), Bytes{0});
        return;
    }
    default: { // alltoallv, alltoallw: size sent.. size received.. [type [type]]
        const std::size_t n = size(2, 2, 2);
        (void)count_at(0);
        (void)count_at(n + 1);
        put_counts(action, 1, n, type_at(2 * n + 2, rank), out);
        put_counts(action, n + 2, n, type_at(2 * n + 3, rank), out);
        return;
    }
    }
}

} // namespace orrery::ti
