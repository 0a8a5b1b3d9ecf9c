// Why ranks cannot go on: who waits for whom, and where in the traces or the program.
#include "protocol/rank_engine.h"

#include "engine/error.h"
#include "engine/plural.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

namespace {

std::string tag_words(std::uint32_t tag) { return tag == any_tag ? "any tag" : fmt::format("tag {}", tag); }

} // namespace

// "rank 3 in recv at trace.txt:17, for a message from rank 4 with tag 0"; appends the ranks that it waits for.
std::string RankEngine::blocked_on(std::uint32_t rank, std::span<const RequestId> pending,
                                   std::vector<std::uint32_t>& waits_for) const {
    std::string words = fmt::format("rank {} in {}", rank, present_call(rank));
    int named = 0;
    for (const RequestId id : pending) {
        const Request& request = messenger_.request(id);
        if (request.waiter == nobody) continue;
        if (request.kind == Request::Kind::activity) { // its own messages are among the pending ones
            words += ", for a nonblocking collective or one-sided operation to end";
            continue;
        }
        if (request.peer != any_source) waits_for.push_back(request.peer);
        if (++named > 3) continue;
        words +=
            request.kind == Request::Kind::recv
                ? fmt::format(", for a message from {} with {}",
                              request.peer == any_source ? std::string("any rank")
                                                         : fmt::format("rank {}", request.peer),
                              request.context % 2 == 1 ? std::string("the collective") : tag_words(request.tag))
                : fmt::format(", for rank {} to receive {} bytes with {}", request.peer, request.bytes,
                              request.context % 2 == 1 ? std::string("the collective")
                                                       : tag_words(request.tag));
    }
    if (named > 3) words += fmt::format(", and {} more", named - 3);
    std::uint32_t other = nobody;
    words += windows_.waits_for(rank, other);
    if (other != nobody) waits_for.push_back(other);
    return words;
}

void RankEngine::explain_deadlock() {
    std::string words;
    if (unfinished_ > 0) {
        std::vector<std::uint32_t> next(ranks_.size(), nobody);
        const std::vector<std::vector<RequestId>> pending = messenger_.pending();
        std::uint32_t start = nobody;
        for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
            if (ranks_[rank].finished) continue;
            if (start == nobody) start = rank;
            std::vector<std::uint32_t> waits_for;
            (void)blocked_on(rank, pending[rank], waits_for);
            for (const std::uint32_t other : waits_for) {
                next[rank] = other;
                if (!ranks_[other].finished)
                    break; // a rank that can still be asked to move is the better reason
            }
        }
        // Follow the first of them until somebody turns up again, or has nobody to wait for.
        std::vector<std::uint32_t> chain;
        std::uint32_t at = start;
        while (at != nobody && !ranks_[at].finished &&
               std::find(chain.begin(), chain.end(), at) == chain.end()) {
            chain.push_back(at);
            at = next[at];
        }
        const auto again = std::find(chain.begin(), chain.end(), at);
        const bool cycle = again != chain.end();
        if (cycle) chain.erase(chain.begin(), again);
        const std::string stuck = plural(cycle ? chain.size() : unfinished_, "rank");
        words = !cycle              ? fmt::format("deadlock: {} can never end:", stuck)
                : chain.size() == 1 ? fmt::format("deadlock: {} waits for itself:", stuck)
                                    : fmt::format("deadlock: {} wait for each other in a cycle:", stuck);
        constexpr std::size_t most = 8;
        for (std::size_t i = 0; i < std::min(chain.size(), most); ++i) {
            std::vector<std::uint32_t> waits_for;
            words += "\n  " + blocked_on(chain[i], pending[chain[i]], waits_for);
        }
        if (chain.size() > most) words += fmt::format("\n  and {} more", chain.size() - most);
        if (!cycle && at != nobody && ranks_[at].finished) words += fmt::format("\n  rank {} has ended", at);
    }
    const std::vector<RequestId> lost = messenger_.unreceived();
    if (!lost.empty()) {
        words += fmt::format("{}{} message{} never received:", words.empty() ? "" : "\n", lost.size(),
                             lost.size() == 1 ? " is" : "s are");
        for (std::size_t i = 0; i < std::min<std::size_t>(lost.size(), 5); ++i) {
            const Request& request = messenger_.request(lost[i]);
            const std::string sent = place(request.rank, request.line);
            words += fmt::format(
                "\n  {} from rank {} to rank {} with {}{}", plural(request.bytes, "byte"), request.rank,
                request.peer, request.context % 2 == 1 ? std::string("a collective") : tag_words(request.tag),
                sent.empty() ? "" : ", sent at " + sent);
        }
        if (lost.size() > 5) words += fmt::format("\n  and {} more", lost.size() - 5);
    }
    throw SimulationError(words);
}

} // namespace orrery
