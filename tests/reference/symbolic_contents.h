// What lies in a buffer: pieces of the ranks' inputs and their combinations.
#pragma once

#include "engine/ids.h"

#include <bitset>
#include <cstdint>
#include <map>
#include <vector>

namespace orrery::test {

inline constexpr std::size_t most_ranks = 256;

// Bytes offset, offset + 1, ... of the inputs of these ranks, combined.
struct Value {
    std::bitset<most_ranks> ranks; // none: undefined
    Bytes offset = 0;
    bool operator==(const Value&) const = default;
};

struct Run {
    Bytes length = 0;
    Value value;
    bool operator==(const Run&) const = default;
};
using Runs = std::vector<Run>;

class Contents {
  public:
    void write(Bytes at, const Runs& runs);
    [[nodiscard]] Runs read(Bytes at, Bytes length) const;

  private:
    void cut(Bytes at); // afterwards no run crosses `at`

    std::map<Bytes, Run> runs_; // by offset; gaps are undefined
};

// Adjacent runs that go on from one another become one.
Runs tidy(Runs runs);

} // namespace orrery::test
