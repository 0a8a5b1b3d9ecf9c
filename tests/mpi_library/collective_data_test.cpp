#include "mpi_library/collective_data.h"

#include "mpi_library/datatype/datatype.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <mpi.h>

namespace orrery::emulate::collective_data_test {
namespace {

using Block = CollectiveData::Block;

std::array<int, 8> counted() { return {0, 1, 2, 3, 4, 5, 6, 7}; }
int value_at(CollectiveData& data, std::uint8_t buffer, Bytes offset) {
    int value = 0;
    std::memcpy(&value, data.at({buffer, offset, sizeof value}), sizeof value);
    return value;
}

// Blocks one behind the other, some of them empty, are not copied: a piece lies in the application's memory.
TEST(EmulateCollectiveData, BlocksWithoutGapsAreUsedInPlace) {
    const mpi::Datatype* const type = &mpi::datatype(MPI_INT);
    std::array<int, 8> sent = counted();
    std::array<int, 8> received{};
    CollectiveData data;
    data.send_from({{nullptr, 0, type}, {&sent[1], 2, type}, {&sent[7], 0, type}, {&sent[3], 3, type}});
    data.receive_into({{&received[0], 1, type}, {&received[1], 4, type}});
    EXPECT_EQ(data.at({send_buffer, 8, 4}), reinterpret_cast<std::byte*>(&sent[3]));
    EXPECT_EQ(data.at({receive_buffer, 0, 4}), reinterpret_cast<std::byte*>(&received[0]));
    Step copy;
    copy.kind = Step::Kind::copy;
    copy.from = {send_buffer, 0, 20};
    copy.to = {receive_buffer, 0, 20};
    data.perform(copy);
    data.finish();
    EXPECT_EQ(received, (std::array<int, 8>{1, 2, 3, 4, 5, 0, 0, 0}));
}

// With a gap, in another order or if they may change meanwhile, they are packed first and unpacked at the end.
TEST(EmulateCollectiveData, OthersArePackedAndUnpacked) {
    const mpi::Datatype* const type = &mpi::datatype(MPI_INT);
    std::array<int, 8> sent = counted();
    std::array<int, 8> received{};
    CollectiveData data;
    data.send_from({{&sent[4], 2, type}, {&sent[1], 1, type}});
    data.receive_into({{&received[6], 1, type}, {&received[0], 2, type}});
    sent = {};
    EXPECT_EQ(value_at(data, send_buffer, 0), 4);
    EXPECT_EQ(value_at(data, send_buffer, 8), 1);
    Step copy;
    copy.kind = Step::Kind::copy;
    copy.from = {send_buffer, 0, 12};
    copy.to = {receive_buffer, 0, 12};
    data.perform(copy);
    EXPECT_EQ(received, (std::array<int, 8>{}));
    data.finish();
    EXPECT_EQ(received, (std::array<int, 8>{5, 1, 0, 0, 0, 0, 4, 0}));

    CollectiveData kept;
    sent = counted();
    kept.send_from({{&sent[2], 2, type}}, true);
    sent = {};
    EXPECT_EQ(value_at(kept, send_buffer, 4), 3);
}

} // namespace
} // namespace orrery::emulate::collective_data_test
