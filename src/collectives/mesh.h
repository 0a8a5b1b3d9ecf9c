// Ranks as a mesh, as STAR-MPI and SimGrid arrange them: a rank's x runs fastest.
#pragma once

#include <cstdint>
#include <optional>

namespace orrery::coll {

struct Mesh {
    std::uint32_t x = 1;
    std::uint32_t y = 1;
    std::uint32_t z = 1;
};

// x >= y >= 2, as square as the number allows. Nothing for primes and below 4.
inline std::optional<Mesh> mesh_2d(std::uint32_t size) {
    std::uint32_t y = 1;
    while ((y + 1) * (y + 1) <= size) ++y;
    for (; y <= size / 2; ++y) {
        if (size % y == 0) return y > size / y ? Mesh{y, size / y, 1} : Mesh{size / y, y, 1};
    }
    return std::nullopt;
}

// x = y, as near to a cube as the number allows from above.
inline std::optional<Mesh> mesh_3d(std::uint32_t size) {
    std::uint32_t x = 1;
    while ((x + 1) * (x + 1) * (x + 1) <= size) ++x;
    for (; x <= size / 3; ++x) {
        if (size % (x * x) == 0) return Mesh{x, x, size / (x * x)};
    }
    return std::nullopt;
}

} // namespace orrery::coll
