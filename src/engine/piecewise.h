// Functions of a message's size that are given by pieces.
#pragma once

#include "engine/ids.h"

#include <utility>
#include <vector>

namespace orrery {

// value(size) = base + per_byte * size of the last piece that begins below `size`. `begins below` is strict, as
// in SMPI: a piece with threshold 1024 holds from 1025 bytes on.
class Piecewise {
  public:
    struct Piece {
        Bytes above = 0; // holds for sizes > above
        double base = 0;
        double per_byte = 0;
        bool operator==(const Piece&) const = default;
    };
    Piecewise() = default;
    explicit Piecewise(std::vector<Piece> sorted) : pieces_(std::move(sorted)) {}

    bool operator==(const Piecewise&) const = default;
    [[nodiscard]] bool empty() const { return pieces_.empty(); }
    [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
    // Of the piece that holds for `size`; null below all of them.
    [[nodiscard]] const Piece* piece(Bytes size) const {
        const Piece* found = nullptr;
        for (const Piece& each : pieces_) { // few: a dozen at most
            if (each.above >= size) break;
            found = &each;
        }
        return found;
    }

  private:
    std::vector<Piece> pieces_;
};

} // namespace orrery
