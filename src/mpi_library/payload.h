// The data of messages: where they come from and where they go.
//
// A message is known to the messenger by the numbers of two payloads, that of its send and that of its receive.
// Bytes move once: when the send finds its receive posted, straight into the receive's buffer; otherwise when
// the message has arrived. Only an eager message that comes before its receive is copied in between, because
// its sender may go on.
#pragma once

#include "collectives/step.h"
#include "engine/ids.h"
#include "engine/pool.h"
#include "mpi_library/datatype/datatype.h"
#include "protocol/messenger.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace orrery::emulate {

class CollectiveData;

inline constexpr std::uint32_t no_payload = 0xFFFF'FFFF; // of messages that carry nothing

// One cache line: what of several thousand messages is touched at each of their steps.
struct alignas(64) Payload {
    void* address = nullptr; // of the application
    std::int64_t count = 0;  // elements there
    mpi::TypeRef type;       // none: bytes
    // Of a collective instead: a piece of its buffers, found when it is needed; `count` is its offset then.
    CollectiveData* collective = nullptr;
    std::unique_ptr<std::byte[]> kept; // of an eager send: packed, in a block of PayloadPool
    Bytes bytes = 0;                   // sent; of a receive: what there is room for, then what came
    std::uint32_t rank = 0;            // whose memory it is
    std::uint32_t source = 0;          // of a receive: who sent it
    std::uint32_t tag = 0;             // of a receive: with which tag
    std::uint8_t buffer = 0;           // of a collective: which one
    std::uint8_t basic = 0;            // the one basic type of its elements (mpi::Signature); 0: not known
    std::uint16_t call : 13 = 0;       // the function of MPI that it was made for (mpi::FunctionId)
    bool moved : 1 = false;            // of a send: the receive has its bytes already
    bool truncated : 1 = false;        // of a receive
    bool orphan : 1 = false;           // of a receive: nobody wants to know any more

    [[nodiscard]] Piece piece() const { return piece(bytes); }
    [[nodiscard]] Piece piece(Bytes length) const { return {buffer, static_cast<Bytes>(count), length}; }
};
static_assert(sizeof(Payload) == 64);

class PayloadPool final : public Payloads {
  public:
    std::uint32_t add(Payload&& payload) { return all_.add(std::move(payload)); }
    Payload& operator[](std::uint32_t number) { return all_[number]; }
    const Payload& operator[](std::uint32_t number) const { return all_[number]; }
    void remove(std::uint32_t number);
    // Memory for what is kept of a payload of so many bytes; not filled.
    [[nodiscard]] std::unique_ptr<std::byte[]> block(Bytes bytes);

    // Says where a rank's bytes are now, if not where it knows them to be.
    using Where = void* (*)(std::uint32_t rank, void* address);
    void find_by(Where finder) { where_ = finder; }
    [[nodiscard]] void* memory_of(std::uint32_t rank, void* address) const {
        return where_ == nullptr ? address : where_(rank, address);
    }

    // Messages whose elements are of another type than those of the receive: how many, and the first in words.
    struct Mismatches {
        std::uint64_t count = 0;
        std::string first;
    };
    [[nodiscard]] const Mismatches& mismatches() const { return mismatches_; }

    void sent(const Request& send, const Request* recv) override;
    void deliver(const Request& send, const Request& recv) override;
    void prefetch(const Request& send) const override {
        if (send.line < all_.size()) __builtin_prefetch(&all_[send.line], 1);
    }

  private:
    [[nodiscard]] void* address(const Payload& payload) const {
        return memory_of(payload.rank, payload.address);
    }
    [[nodiscard]] std::byte* piece(const Payload& payload, Bytes bytes) const; // of a collective
    void move(const Payload& from, Payload& to, Bytes bytes) const;

    void note_mismatch(const Payload& from, const Payload& to);

    Where where_ = nullptr;
    Mismatches mismatches_;
    Pool<Payload> all_;
    // Blocks of payloads up to this size are used again: most messages are short, and each would cost an
    // allocation.
    static constexpr Bytes small_block = 64;
    std::vector<std::unique_ptr<std::byte[]>> spare_;
};

} // namespace orrery::emulate
