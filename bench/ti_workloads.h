// The workloads of the replay benchmarks, as actions made up on the fly: any number of ranks and iterations.
#pragma once

#include "engine/error.h"
#include "workload/action.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace orrery::bench {

struct TiWorkload {
    std::string name; // ring, stencil, lu, compute or alltoall
    std::uint32_t ranks = 64;
    std::uint64_t iterations = 1000;
    Bytes bytes = 0;           // of a message; 0: 8 KiB, of lu 1240
    double instructions = 1e6; // of a computation
    double skew = 0; // computations differ by up to this part, by rank and iteration, always the same way
};

class TiWorkloadSource : public ActionSource {
  public:
    explicit TiWorkloadSource(TiWorkload workload) : what_(std::move(workload)), state_(what_.ranks) {
        if (what_.bytes == 0) what_.bytes = what_.name == "lu" ? 1240 : 8192;
        bool known = false;
        for (const char* name : {"ring", "stencil", "lu", "compute", "alltoall"})
            known = known || what_.name == name;
        if (!known) throw UsageError("the workload is one of ring, stencil, lu, compute and alltoall");
        width_ = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(what_.ranks)));
        while (what_.ranks % width_ != 0) --width_; // the grid that is nearest to a square
    }
    [[nodiscard]] std::uint32_t ranks() const override { return what_.ranks; }
    std::span<const Action> next(RankId rank) override {
        State& state = state_[rank.index()];
        state.window.clear();
        while (state.window.size() < 32 && state.iteration < what_.iterations) iterate(rank.value, state);
        return state.window;
    }
    [[nodiscard]] std::span<const Bytes> counts(RankId, const Action&) const override { return {}; }
    [[nodiscard]] std::string file(RankId) const override { return "workload " + what_.name; }

  private:
    struct State {
        std::uint64_t iteration = 0;
        std::vector<Action> window;
    };

    double volume(std::uint32_t rank, std::uint64_t iteration) const {
        std::uint64_t x = (iteration << 32 | rank) + 0x9E37'79B9'7F4A'7C15u;
        x = (x ^ x >> 30) * 0xBF58'476D'1CE4'E5B9u;
        x = (x ^ x >> 27) * 0x94D0'49BB'1331'11EBu;
        const double part =
            static_cast<double>(static_cast<std::int64_t>(x ^ x >> 31) >> 11) / 4503599627370496.0;
        return std::round(what_.instructions * (1 + what_.skew * part));
    }
    void compute(std::uint32_t rank, State& state) const {
        state.window.emplace_back().volume = volume(rank, state.iteration);
    }
    void message(ActionKind kind, std::uint32_t peer, State& state, std::uint32_t tag = 0,
                 std::uint32_t request = 0) const {
        Action& action = state.window.emplace_back();
        action.kind = kind;
        action.peer = peer;
        action.tag = tag;
        action.request = request;
        action.bytes = what_.bytes;
    }
    static void wait(ActionKind kind, State& state) { state.window.emplace_back().kind = kind; }
    void collective(Collective operation, Bytes bytes, State& state) const {
        Action& action = state.window.emplace_back();
        action.kind = ActionKind::collective;
        action.collective = operation;
        action.bytes = bytes;
        action.element = 1;
    }

    void iterate(std::uint32_t rank, State& state) {
        if (what_.name == "ring") {
            compute(rank, state);
            message(ActionKind::irecv, (rank + what_.ranks - 1) % what_.ranks, state);
            message(ActionKind::send, (rank + 1) % what_.ranks, state);
            wait(ActionKind::wait, state);
        } else if (what_.name == "stencil") {
            stencil(rank, state);
        } else if (what_.name == "lu") {
            sweep(rank, state);
        } else if (what_.name == "alltoall") {
            compute(rank, state);
            collective(Collective::alltoall, what_.bytes, state);
        } else {
            compute(rank, state);
        }
        ++state.iteration;
    }

    void stencil(std::uint32_t rank, State& state) {
        const std::uint32_t height = what_.ranks / width_;
        const std::uint32_t x = rank % width_;
        const std::uint32_t y = rank / width_;
        // West, east, north, south; a message to the west is taken by the neighbour from its east.
        const std::uint32_t neighbours[4] = {
            y * width_ + (x + width_ - 1) % width_, y * width_ + (x + 1) % width_,
            (y + height - 1) % height * width_ + x, (y + 1) % height * width_ + x};
        for (std::uint32_t i = 0; i < 4; ++i) message(ActionKind::irecv, neighbours[i], state, i ^ 1U, i);
        for (std::uint32_t i = 0; i < 4; ++i) message(ActionKind::isend, neighbours[i], state, i, 4 + i);
        wait(ActionKind::wait_all, state);
        compute(rank, state);
        if (state.iteration % 10 == 9) collective(Collective::allreduce, 8, state);
    }

    // A wavefront over a grid of ranks, forth and back in turn, as the sweeps of NPB LU.
    void sweep(std::uint32_t rank, State& state) {
        const std::uint32_t height = what_.ranks / width_;
        const std::uint32_t x = rank % width_;
        const std::uint32_t y = rank / width_;
        const bool forth = state.iteration % 2 == 0;
        const bool west = x > 0;
        const bool east = x + 1 < width_;
        const bool north = y > 0;
        const bool south = y + 1 < height;
        if (forth ? north : south) message(ActionKind::recv, forth ? rank - width_ : rank + width_, state);
        if (forth ? west : east) message(ActionKind::recv, forth ? rank - 1 : rank + 1, state);
        compute(rank, state);
        if (forth ? south : north) message(ActionKind::send, forth ? rank + width_ : rank - width_, state);
        if (forth ? east : west) message(ActionKind::send, forth ? rank + 1 : rank - 1, state);
    }

    TiWorkload what_;
    std::uint32_t width_ = 1;
    std::vector<State> state_;
};

} // namespace orrery::bench
