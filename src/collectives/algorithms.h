// The library of collective algorithms: what there is, by operation and name.
#pragma once

#include "collectives/call.h"
#include "collectives/step.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct Algorithm {
    std::string_view name; // "recursive_doubling"
    Collective operation = Collective::barrier;
    // Its names in other programs, as "program:name" with blanks between them: "openmpi:basic_linear
    // simgrid:flattree".
    std::string_view aliases;
    std::string_view summary; // one line
    // In the terms of Hockney: p ranks, n bytes (CollectiveCall::bytes), α per message, β per byte sent, γ per
    // byte reduced, s bytes per segment, k the fanout; lg is the logarithm to base 2, rounded up.
    std::string_view cost;
    // The coroutine takes the call by value: what its spans show must live as long as the steps.
    Steps (*run)(CollectiveCall, CollectiveTuning) = nullptr;
    // Does it do what its name says for this call? If not (not a power of two, not commutative, ...) `run`
    // works all the same, by what the library does then.
    bool (*applies)(const CollectiveCall&) = nullptr;
    // False: the messages of a program that moves too little or combines operands twice. For predicting that
    // program; refused where data really move.
    bool moves_data = true;
};

std::span<const Algorithm> algorithms(Collective operation);

// By its name, by an alias ("simgrid:NTSL"), or by an alias without the program if that is unambiguous by order
// of the list ("NTSL"). Null if there is none.
const Algorithm* find_algorithm(Collective operation, std::string_view name);

// "allreduce"; '-' and '_' are the same here. Nothing if there is none of that name.
std::optional<Collective> find_collective(std::string_view name);

// The programs that have it, from its aliases: {"openmpi", "simgrid"}.
std::vector<std::string_view> programs_of(const Algorithm& algorithm);

// All names an algorithm of this operation can be asked for by, for "did you mean".
std::vector<std::string> algorithm_names(Collective operation);

} // namespace orrery
