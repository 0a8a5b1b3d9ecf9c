// What a collective call moves on one rank: the application's buffers as algorithms want them.
//
// Algorithms name data by pieces of buffers without gaps (collectives/step.h). Where the application's data lie
// like that already they are used in place; otherwise they are packed before and unpacked after.
#pragma once

#include "collectives/step.h"
#include "engine/ids.h"

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace orrery::emulate {

namespace mpi {
class Datatype;
class Op;
} // namespace mpi

class CollectiveData {
  public:
    struct Block {
        void* address = nullptr;
        std::int64_t count = 0;
        const mpi::Datatype* type = nullptr;
    };

    // In the order of the blocks. `copied`: the blocks are needed after the application may have changed them
    // (in place).
    void send_from(std::vector<Block> blocks, bool copied = false);
    // `filled`: they hold data already (a broadcast).
    void receive_into(std::vector<Block> blocks, bool filled = false);
    // Of a reduction.
    void combine_by(const mpi::Op& op, int datatype);

    // `bytes` bytes of a buffer; temporaries and buffers that the application did not give grow as needed.
    [[nodiscard]] std::byte* at(const Piece& piece);
    void perform(const Step& step); // copy, reduce, reduce_after
    void finish();                  // the call is over on this rank

    bool owned = false; // deleted when it is over (a nonblocking call)
    std::uint32_t rank = 0;
    std::uint16_t call = 0;       // the function of MPI (mpi::FunctionId)
    std::function<void()> at_end; // of a nonblocking call: what remains to be done

  private:
    struct Buffer {
        std::byte* memory = nullptr; // the application's; null: `own`
        std::vector<std::byte> own;
    };
    Buffer& buffer(std::uint8_t number);

    boost::container::small_vector<Buffer, 3> buffers_; // few calls have more
    std::vector<Block> received_;                       // to be unpacked at the end
    const mpi::Op* op_ = nullptr;
    int datatype_ = 0;
};

} // namespace orrery::emulate
