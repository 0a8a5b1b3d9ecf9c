#include "emulate/program/elf_image.h"
#include "emulate/program/run_program.h"
#include "engine/error.h"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace orrery::emulate::elf_image_test {
namespace {

std::vector<std::byte> bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::vector<std::byte> bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

std::vector<std::byte> program() { return bytes_of(program_tests::build("gcc", "globals.c", "globals_elf")); }

std::string refused(std::vector<std::byte> bytes) {
    try {
        (void)parse_elf(bytes, "app");
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(ElfImageParser, ReadsAProgram) {
    const auto bytes = program();
    const ElfImage image = parse_elf(bytes, "app");
    ASSERT_EQ(image.segments.size(), 2U); // code and data: two mappings
    EXPECT_FALSE(image.segments[0].writable);
    EXPECT_TRUE(image.segments[0].executable);
    EXPECT_TRUE(image.segments[1].writable);
    ASSERT_NE(image.find("zeroed"), nullptr);
    EXPECT_EQ(image.find("zeroed")->bytes, 4000U);
    ASSERT_NE(image.find("main"), nullptr);
    EXPECT_EQ(image.at(image.find("main")->value)->name, "main");
    EXPECT_EQ(image.find("puts"), nullptr); // only referred to
    ASSERT_TRUE(image.tls);
    EXPECT_GE(image.tls->bytes, 16U);
    EXPECT_TRUE(image.unwind_header);
    EXPECT_FALSE(image.relocations.empty());
    EXPECT_GT(image.constant_to, image.writable_from);
    EXPECT_LE(image.constant_to, image.find("initialised")->value);
    EXPECT_NE(std::find(image.needed.begin(), image.needed.end(), "libc.so.6"), image.needed.end());
}

TEST(ElfImageParser, OtherFilesAreRefused) {
    EXPECT_NE(refused({}).find("not a program"), std::string::npos);
    const auto whole = program();
    EXPECT_NE(refused({whole.begin(), whole.begin() + 20}).find("damaged or cut off"), std::string::npos);
    EXPECT_NE(refused(std::vector<std::byte>(100)).find("not a program"), std::string::npos);
    auto bytes = program();
    auto header = [&](auto change) {
        auto other = bytes;
        Elf64_Ehdr h;
        std::memcpy(&h, other.data(), sizeof h);
        change(h);
        std::memcpy(other.data(), &h, sizeof h);
        return refused(other);
    };
    EXPECT_NE(header([](Elf64_Ehdr& h) { h.e_machine = EM_AARCH64; }).find("another kind of machine"),
              std::string::npos);
    EXPECT_NE(header([](Elf64_Ehdr& h) { h.e_type = ET_EXEC; }).find("not position-independent"),
              std::string::npos);
    EXPECT_NE(header([](Elf64_Ehdr& h) { h.e_phoff = ~std::uint64_t{0}; }).find("behind the end"),
              std::string::npos);
    EXPECT_NE(header([](Elf64_Ehdr& h) { h.e_phnum = 0; }).find("without segments"), std::string::npos);
}

TEST(ElfImageParser, CutAnywhereItIsReadOrRefused) {
    const auto bytes = program();
    int refusals = 0;
    for (std::size_t size = 0; size < bytes.size(); size += 97)
        if (!refused({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}).empty()) ++refusals;
    EXPECT_GT(refusals, 10);
}

TEST(ElfImageParser, DamagedAnywhereItIsReadOrRefused) {
    const auto bytes = program();
    std::mt19937_64 random(1);
    int refusals = 0;
    for (int i = 0; i < 3000; ++i) {
        auto other = bytes;
        for (int k = 0; k < 4; ++k) other[random() % 4096 % other.size()] = static_cast<std::byte>(random());
        if (!refused(std::move(other)).empty()) ++refusals;
    }
    EXPECT_GT(refusals, 100);
}

} // namespace
} // namespace orrery::emulate::elf_image_test
