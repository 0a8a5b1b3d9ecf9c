#include "mpi_library/info.h"

#include "functions.h"
#include "mpi_library/code_of.h"
#include "mpi_library/errors.h"
#include "mpi_library/local_state.h"

#include <gtest/gtest.h>

#include <string>

namespace orrery::emulate::mpi::info_test {
namespace {

class InfoObjects : public testing::Test {
  protected:
    void SetUp() override { Info_create(&made); }
    void TearDown() override { Info_free(&made); }
    std::string value(const char* key, int room = MPI_MAX_INFO_VAL) {
        char text[MPI_MAX_INFO_VAL + 1] = "";
        int flag = 0;
        Info_get(made, key, room, text, &flag);
        return flag != 0 ? text : "(none)";
    }
    MPI_Info made = MPI_INFO_NULL;
};

TEST_F(InfoObjects, KeepTheOrderOfSetting) {
    Info_set(made, "zebra", "1");
    Info_set(made, "ant", "2");
    Info_set(made, "zebra", "3");
    int keys = 0;
    Info_get_nkeys(made, &keys);
    EXPECT_EQ(keys, 2);
    char key[MPI_MAX_INFO_KEY + 1];
    Info_get_nthkey(made, 0, key);
    EXPECT_STREQ(key, "zebra");
    Info_get_nthkey(made, 1, key);
    EXPECT_STREQ(key, "ant");
    EXPECT_EQ(value("zebra"), "3");
    EXPECT_EQ(code_of([&] { Info_get_nthkey(made, 2, key); }), MPI_ERR_ARG);
}

TEST_F(InfoObjects, ValuesAreCutToTheRoomGiven) {
    Info_set(made, "key", "abcdef");
    EXPECT_EQ(value("key", 3), "abc");
    EXPECT_EQ(value("other"), "(none)");
    int length = 0, flag = 0;
    Info_get_valuelen(made, "key", &length, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(length, 6);
}

TEST_F(InfoObjects, ACopyIsItsOwn) {
    Info_set(made, "key", "one");
    MPI_Info copy = MPI_INFO_NULL;
    Info_dup(made, &copy);
    Info_set(made, "key", "two");
    EXPECT_EQ(*info(copy).find("key"), "one");
    Info_free(&copy);
    EXPECT_EQ(copy, MPI_INFO_NULL);
}

TEST_F(InfoObjects, WrongUseHasItsErrorClass) {
    const std::string long_key(MPI_MAX_INFO_KEY + 1, 'k'), long_value(MPI_MAX_INFO_VAL + 1, 'v');
    EXPECT_EQ(code_of([&] { Info_set(made, long_key.c_str(), "v"); }), MPI_ERR_INFO_KEY);
    EXPECT_EQ(code_of([&] { Info_set(made, "", "v"); }), MPI_ERR_INFO_KEY);
    EXPECT_EQ(code_of([&] { Info_set(made, "k", long_value.c_str()); }), MPI_ERR_INFO_VALUE);
    EXPECT_EQ(code_of([&] { Info_delete(made, "k"); }), MPI_ERR_INFO_NOKEY);
    EXPECT_EQ(code_of([&] { Info_set(MPI_INFO_NULL, "k", "v"); }), MPI_ERR_INFO);
    EXPECT_EQ(code_of([&] { Info_set(MPI_INFO_ENV, "k", "v"); }), MPI_ERR_INFO);
    local_state().environment.set("maxprocs", "4");
    int keys = 0;
    Info_get_nkeys(MPI_INFO_ENV, &keys);
    EXPECT_EQ(keys, 1);
    local_state().environment = {};
}

} // namespace
} // namespace orrery::emulate::mpi::info_test
