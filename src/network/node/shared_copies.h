// Copies of messages that are under way in one host and share something: its memory, or the caches of its
// cores.
//
// All of them have the same share at any moment (CopyLimits::share), so one number is enough: what each copy
// has moved since the last time there was none. A copy is done when that number reaches the one it is given at
// its start. Cost: a heap operation per copy, however many there are.
#pragma once

#include "engine/time.h"
#include "network/network.h"
#include "network/node/node_parameters.h"

#include <vector>

namespace orrery {

class SharedCopies {
  public:
    explicit SharedCopies(const CopyLimits& limits) : limits_(limits) {}

    // It moves that many bytes.
    void start(TransferId transfer, double bytes, Time now);
    // When the next copy is done; Time::max() if there is none.
    [[nodiscard]] Time due() const { return due_; }
    // Appends what is done at `now`, which is due(), in the order of the starts.
    void advance(Time now, std::vector<TransferId>& done);
    // Bytes that were moved by the copies that are done.
    [[nodiscard]] double moved() const { return total_; }

  private:
    struct Copy {
        double done_at; // when each copy has moved this much
        std::uint64_t order;
        double bytes;
        TransferId transfer;

        bool operator>(const Copy& other) const {
            return done_at != other.done_at ? done_at > other.done_at : order > other.order;
        }
    };
    void plan();

    CopyLimits limits_;
    std::vector<Copy> copies_; // heap, the first to be done in front
    double moved_ = 0;         // by each copy, at since_
    Time since_;
    Time due_ = Time::max();
    std::uint64_t started_ = 0;
    double total_ = 0;
};

} // namespace orrery
