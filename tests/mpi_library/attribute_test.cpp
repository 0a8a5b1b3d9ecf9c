#include "mpi_library/attribute.h"

#include "functions.h"
#include "mpi_library/attribute_functions.h"
#include "mpi_library/datatype/life.h"

#include <gtest/gtest.h>

#include <vector>

namespace orrery::emulate::mpi::attribute_test {
namespace {

std::vector<int> deleted; // values, in the order of the calls
int delete_returns = MPI_SUCCESS;

int copy_plus_one(MPI_Datatype, int, void* extra, void* in, void* out, int* flag) {
    *static_cast<std::intptr_t*>(out) =
        reinterpret_cast<std::intptr_t>(in) + reinterpret_cast<std::intptr_t>(extra);
    *flag = 1;
    return MPI_SUCCESS;
}
int failing_copy(MPI_Datatype, int, void*, void*, void*, int*) { return MPI_ERR_OTHER; }
int note_deletion(MPI_Datatype, int, void* value, void*) {
    if (delete_returns == MPI_SUCCESS)
        deleted.push_back(static_cast<int>(reinterpret_cast<std::intptr_t>(value)));
    return delete_returns;
}
void* number(std::intptr_t value) { return reinterpret_cast<void*>(value); }

class Attributes : public testing::Test {
  protected:
    void SetUp() override {
        deleted.clear();
        delete_returns = MPI_SUCCESS;
        Type_contiguous(2, MPI_INT, &type);
        Type_create_keyval(copy_plus_one, note_deletion, &key, number(1));
    }
    void TearDown() override {
        if (type != MPI_DATATYPE_NULL) Type_free(&type);
        if (key != MPI_KEYVAL_INVALID) Type_free_keyval(&key);
    }
    std::intptr_t value(MPI_Datatype of, int which) {
        void* got = nullptr;
        int flag = 0;
        Type_get_attr(of, which, static_cast<void*>(&got), &flag);
        return flag != 0 ? reinterpret_cast<std::intptr_t>(got) : -1;
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int key = MPI_KEYVAL_INVALID;
};

TEST_F(Attributes, AreSetReplacedAndDeleted) {
    EXPECT_EQ(value(type, key), -1);
    Type_set_attr(type, key, number(5));
    EXPECT_EQ(value(type, key), 5);
    Type_set_attr(type, key, number(6));
    EXPECT_EQ(deleted, std::vector<int>({5}));
    Type_delete_attr(type, key);
    EXPECT_EQ(deleted, std::vector<int>({5, 6}));
    EXPECT_EQ(value(type, key), -1);
    EXPECT_THROW(Type_delete_attr(type, key), Failure);
}

TEST_F(Attributes, AreCopiedWithTheObjectAndDeletedLastFirst) {
    int second = 0;
    Type_create_keyval(nullptr, note_deletion, &second, nullptr);
    Type_set_attr(type, key, number(5));
    Type_set_attr(type, second, number(8));
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    Type_dup(type, &copy);
    EXPECT_EQ(value(copy, key), 6);
    EXPECT_EQ(value(copy, second), -1);
    Type_free(&type);
    EXPECT_EQ(deleted, std::vector<int>({8, 5}));
    Type_free(&copy);
    EXPECT_EQ(deleted, std::vector<int>({8, 5, 6}));
    Type_free_keyval(&second);
}

TEST_F(Attributes, AFreedKeyLivesAsLongAsItsAttributes) {
    Type_set_attr(type, key, number(5));
    const int old = key;
    Type_free_keyval(&key);
    EXPECT_EQ(key, MPI_KEYVAL_INVALID);
    EXPECT_EQ(value(type, old), 5);
    Type_free(&type);
    EXPECT_EQ(deleted, std::vector<int>({5}));
    Type_contiguous(1, MPI_INT, &type);
    EXPECT_THROW(value(type, old), Failure);
}

TEST_F(Attributes, ErrorsOfCallbacksStopTheCall) {
    Type_set_attr(type, key, number(5));
    delete_returns = MPI_ERR_OTHER;
    EXPECT_THROW(Type_set_attr(type, key, number(6)), Failure);
    EXPECT_THROW(Type_delete_attr(type, key), Failure);
    EXPECT_EQ(value(type, key), 5);
    EXPECT_THROW(Type_free(&type), Failure);
    EXPECT_NE(type, MPI_DATATYPE_NULL);
    delete_returns = MPI_SUCCESS;
    int failing = 0;
    Type_create_keyval(failing_copy, nullptr, &failing, nullptr);
    Type_set_attr(type, failing, number(1));
    MPI_Datatype copy = MPI_INT;
    EXPECT_THROW(Type_dup(type, &copy), Failure);
    EXPECT_EQ(copy, MPI_DATATYPE_NULL);
    Type_free_keyval(&failing);
}

TEST_F(Attributes, KeysAreOfOneKindOfObject) {
    int win_key = 0;
    Win_create_keyval(nullptr, nullptr, &win_key, nullptr);
    EXPECT_THROW(Type_set_attr(type, win_key, nullptr), Failure);
    EXPECT_THROW(Type_free_keyval(&win_key), Failure);
    EXPECT_THROW(Type_set_attr(type, MPI_KEYVAL_INVALID, nullptr), Failure);
    EXPECT_THROW(Type_set_attr(type, MPI_TAG_UB, nullptr), Failure);
    Win_free_keyval(&win_key);
}

TEST_F(Attributes, PredefinedTypesHaveThemToo) {
    Type_set_attr(MPI_INT, key, number(3));
    EXPECT_EQ(value(MPI_INT, key), 3);
    Type_delete_attr(MPI_INT, key);
    EXPECT_EQ(deleted, std::vector<int>({3}));
}

TEST_F(Attributes, CSeesTheAddressOfAFortranInteger) {
    std::int64_t seen = 0;
    set_attribute(Kind::datatype, type, key, AttributeLanguage::fortran_integer, 77);
    ASSERT_TRUE(get_attribute(Kind::datatype, type, key, AttributeLanguage::fortran_address, seen));
    EXPECT_EQ(seen, 77);
    EXPECT_EQ(*reinterpret_cast<int*>(value(type, key)), 77);
    Type_delete_attr(type, key); // the function of C gets the address as well
    set_attribute(Kind::datatype, type, key, AttributeLanguage::fortran_address, std::int64_t{1} << 40);
    EXPECT_EQ(*reinterpret_cast<MPI_Aint*>(value(type, key)), std::int64_t{1} << 40);
}

void fortran_copy(int*, int*, MPI_Aint* extra, MPI_Aint* in, MPI_Aint* out, int* flag, int* error) {
    *out = *in * *extra;
    *flag = 1;
    *error = MPI_SUCCESS;
}

TEST_F(Attributes, FortranCallbacksGetAddresses) {
    const int fortran_key = create_keyval({Kind::datatype, AttributeLanguage::fortran_address,
                                           reinterpret_cast<void (*)()>(fortran_copy), nullptr, 10});
    set_attribute(Kind::datatype, type, fortran_key, AttributeLanguage::fortran_address, 4);
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    Type_dup(type, &copy);
    std::int64_t seen = 0;
    ASSERT_TRUE(get_attribute(Kind::datatype, copy, fortran_key, AttributeLanguage::fortran_address, seen));
    EXPECT_EQ(seen, 40);
    Type_free(&copy);
    free_keyval(Kind::datatype, fortran_key);
}

} // namespace
} // namespace orrery::emulate::mpi::attribute_test
