#include "machine/toml_text.h"

#include "engine/error.h"
#include "machine/machine_file.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace orrery::toml_text_test {
namespace {

std::string error_of(const std::string& text) {
    try {
        (void)parse_toml(text, "x.toml");
        return {};
    } catch (const InputError& error) {
        return error.what();
    }
}

std::string dotted(std::size_t parts, const std::string& part) {
    std::string key = part;
    for (std::size_t i = 1; i < parts; ++i) key += "." + part;
    return key;
}

// Each part is a table within a table; thousands of them took the whole stack.
TEST(TomlText, KeysOfManyPartsAreRefused) {
    EXPECT_EQ(error_of("a = 1\n" + dotted(20'000, "a") + " = 1\n"), "x.toml:2: a key of more than 32 parts");
    EXPECT_EQ(error_of("[" + dotted(20'000, "'a.b'") + "]\n"), "x.toml:1: a key of more than 32 parts");
    EXPECT_EQ(error_of("x = {" + dotted(20'000, "\"a\"") + " = 1}\n"), "x.toml:1: a key of more than 32 parts");
    EXPECT_EQ(error_of(dotted(32, "a") + " = 1\n"), "");
}

TEST(TomlText, DotsElsewhereDoNotCount) {
    const std::string dots(100, '.');
    EXPECT_EQ(error_of("# " + dots + "\na = '" + dots + "'\nb = \"\\\"" + dots + "\"\n"), "");
    EXPECT_EQ(error_of("a = \"\"\"\n" + dots + "\"\"\"\nb = \'\'\'" + dots + "\n\'\'\'\n"), "");
    std::string list = "a = [0.5";
    for (int i = 0; i < 100; ++i) list += ", 0.5";
    EXPECT_EQ(error_of(list + "]\n"), "");
}

TEST(TomlText, WhatIsWrongHasItsPlace) {
    EXPECT_EQ(error_of("a = 1\nb = = 2\n").find("x.toml:2:"), 0U);
    EXPECT_EQ(error_of("a = 'open\n").find("x.toml:1:"), 0U);
}

// Forty files, each of which includes the next one twice, are read 2^40 times.
TEST(MachineIncludes, ABombIsRefused) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(testing::TempDir()) / ("includes_" + std::to_string(::getpid()));
    fs::create_directories(folder);
    const auto file = [&](int number) { return (folder / ("i" + std::to_string(number) + ".toml")).string(); };
    for (int i = 0; i < 40; ++i)
        std::ofstream(file(i)) << "include = ['i" << i + 1 << ".toml', 'i" << i + 1 << ".toml']\n";
    std::ofstream(file(40)) << "[link]\nlatency = '1 us'\n";
    try {
        (void)read_machine_file(file(0));
        ADD_FAILURE() << "read";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("more than 1000 files are included"), std::string::npos)
            << error.what();
    }
    EXPECT_NO_THROW((void)read_machine_file(file(35))); // twice over is fine
    fs::remove_all(folder);
}

} // namespace
} // namespace orrery::toml_text_test
