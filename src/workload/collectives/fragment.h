// The part of a rank's program that one collective operation makes up: a piece of graph with a beginning and an
// end.
//
// A collective algorithm is a function that appends one member's sends and receives to a Fragment. It names
// its partners by their rank in the communicator; the fragment turns those into ranks of the whole program, and
// keeps track of which operations wait for none of the others (`starts`) and which none of the others waits for
// (`ends`), so that whoever asked for the collective can tie it into the program.
#pragma once

#include "engine/ids.h"
#include "workload/graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace orrery {

// From a rank in a communicator to a rank of the program. Member i is
//     first + i                                 if there is no list: consecutive ranks
//     list[i % n] + (i / n) * stride + first    with a list of n: members that repeat every n ranks
struct Members {
    std::span<const std::uint32_t> list;
    std::uint32_t stride = 0;
    std::uint32_t first = 0;

    [[nodiscard]] std::uint32_t operator()(std::uint32_t member) const {
        if (list.empty()) return first + member;
        const auto n = static_cast<std::uint32_t>(list.size());
        return list[member % n] + member / n * stride + first;
    }
};

class Fragment {
  public:
    // Forgets what was there and begins a new one behind the operations that `graph` has. The graph must
    // outlive the fragment's use.
    void begin(RankGraph& graph, const Members& members, std::uint32_t rank, std::uint32_t size,
               std::uint32_t tag);

    [[nodiscard]] std::uint32_t rank() const { return rank_; }
    [[nodiscard]] std::uint32_t size() const { return size_; }

    std::uint32_t send(std::uint32_t to, Bytes bytes) { return add(send_op(members_(to), bytes, tag_)); }
    std::uint32_t recv(std::uint32_t from, Bytes bytes) { return add(recv_op(members_(from), bytes, tag_)); }
    // Takes no time: something for many operations to wait for.
    std::uint32_t join() { return add(calc_op(0)); }
    // Both operations are of this fragment.
    void require(std::uint32_t after, std::uint32_t before);

    // After the algorithm has run: in ascending order.
    void close();
    [[nodiscard]] std::span<const std::uint32_t> starts() const { return starts_; }
    [[nodiscard]] std::span<const std::uint32_t> ends() const { return ends_; }

  private:
    std::uint32_t add(const Op& op) {
        links_.push_back(0);
        return graph_->add(op);
    }

    enum Link : std::uint8_t { waits = 1, awaited = 2 };

    RankGraph* graph_ = nullptr;
    Members members_;
    std::uint32_t rank_ = 0;
    std::uint32_t size_ = 1;
    std::uint32_t tag_ = 0;
    std::uint32_t first_ = 0;         // number of the fragment's first operation in the graph
    std::vector<std::uint8_t> links_; // per operation: Link flags
    std::vector<std::uint32_t> starts_;
    std::vector<std::uint32_t> ends_;
};

// No operation: "nothing to wait for yet".
inline constexpr std::uint32_t no_operation = 0xFFFF'FFFF;

} // namespace orrery
