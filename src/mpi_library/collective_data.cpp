#include "mpi_library/collective_data.h"

#include "mpi_library/datatype/transfer.h"
#include "mpi_library/delivery.h"
#include "mpi_library/op.h"

#include <utility>

namespace orrery::emulate {

namespace {

Bytes size_of(const CollectiveData::Block& block) {
    return static_cast<Bytes>(block.count) * static_cast<Bytes>(block.type->size());
}

Bytes size_of(const std::vector<CollectiveData::Block>& blocks) {
    Bytes all = 0;
    for (const auto& block : blocks) all += size_of(block);
    return all;
}

// Where the blocks lie one behind the other without gaps, as those of MPI_Alltoallv mostly do: the first byte.
// Null: they do not, or there is nothing in them.
std::byte* in_place(const std::vector<CollectiveData::Block>& blocks) {
    std::byte* first = nullptr;
    std::byte* next = nullptr;
    for (const auto& block : blocks) {
        const Bytes bytes = size_of(block);
        if (bytes == 0) continue;
        auto* const at = static_cast<std::byte*>(block.address);
        if (!block.type->dense() || (first != nullptr && at != next)) return nullptr;
        if (first == nullptr) first = at;
        next = at + bytes;
    }
    return first;
}

void pack_all(const std::vector<CollectiveData::Block>& blocks, std::byte* out) {
    for (const auto& block : blocks) {
        const Bytes bytes = size_of(block);
        if (bytes > 0) mpi::pack(*block.type, block.address, block.count, 0, bytes, out);
        out += bytes;
    }
}

} // namespace

CollectiveData::Buffer& CollectiveData::buffer(std::uint8_t number) {
    if (number >= buffers_.size()) buffers_.resize(std::size_t{number} + 1);
    return buffers_[number];
}

void CollectiveData::send_from(std::vector<Block> blocks, bool copied) {
    Buffer& sent = buffer(send_buffer);
    if (!copied) sent.memory = in_place(blocks);
    if (sent.memory != nullptr) return;
    sent.own.resize(size_of(blocks));
    pack_all(blocks, sent.own.data());
}

void CollectiveData::receive_into(std::vector<Block> blocks, bool filled) {
    Buffer& received = buffer(receive_buffer);
    received.memory = in_place(blocks);
    if (received.memory != nullptr) return;
    received.own.resize(size_of(blocks));
    if (filled) pack_all(blocks, received.own.data());
    received_ = std::move(blocks);
}

void CollectiveData::combine_by(const mpi::Op& op, int datatype) {
    op_ = &op;
    datatype_ = datatype;
}

std::byte* CollectiveData::at(const Piece& piece) {
    Buffer& found = buffer(piece.buffer);
    if (found.memory != nullptr) return found.memory + piece.offset;
    if (found.own.size() < piece.offset + piece.bytes) found.own.resize(piece.offset + piece.bytes);
    return found.own.data() + piece.offset;
}

void CollectiveData::perform(const Step& step) {
    if (step.from.bytes == 0) return;
    delivery.within = this;
    (void)at(step.from); // both grow first: growing moves a buffer
    std::byte* const to = at({step.to.buffer, step.to.offset, step.from.bytes});
    const std::byte* const from = at(step.from);
    if (step.kind == Step::Kind::copy) {
        if (from != to) mpi::copy_bytes(to, from, step.from.bytes);
    } else {
        mpi::reduce_packed(*op_, datatype_, from, to, step.from.bytes, step.kind == Step::Kind::reduce);
    }
    delivery.within = nullptr;
}

void CollectiveData::finish() {
    delivery.within = this;
    const std::byte* in = received_.empty() ? nullptr : buffer(receive_buffer).own.data();
    for (const Block& block : received_) {
        const Bytes bytes = size_of(block);
        if (bytes > 0) mpi::unpack(*block.type, block.address, block.count, 0, bytes, in);
        in += bytes;
    }
    delivery.within = nullptr;
    if (at_end) at_end();
}

} // namespace orrery::emulate
