// `orrery doctor` tells the truth about this build and this machine.
#include "places.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace orrery::doctor_test {

namespace {

struct Answer {
    std::string text;
    int status = -1;
};

Answer doctor(const std::string& arguments) {
    Answer answer;
    FILE* pipe = popen((orrery_program() + " doctor " + arguments + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return answer;
    std::array<char, 4096> buffer{};
    for (std::size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        answer.text.append(buffer.data(), got);
    answer.status = pclose(pipe);
    return answer;
}

TEST(Doctor, JsonDescribesThisBuildAndMachine) {
    const Answer answer = doctor("--json");
    ASSERT_EQ(answer.status, 0);
    const auto json = nlohmann::json::parse(answer.text);

    EXPECT_EQ(json["version"], built_version());
    EXPECT_EQ(json["build"]["type"], build_type());
    EXPECT_EQ(json["build"]["sanitizers"], built_sanitizers());
#ifdef NDEBUG
    EXPECT_EQ(json["build"]["assertions"], false);
#else
    EXPECT_EQ(json["build"]["assertions"], true);
#endif
    const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    EXPECT_LE(json["machine"]["memory_bytes"], pages * page);
    EXPECT_GT(json["machine"]["memory_bytes"], 0U);
    EXPECT_GE(json["machine"]["memory_bytes"], json["machine"]["available_bytes"]);
    EXPECT_LE(json["machine"]["cores"], sysconf(_SC_NPROCESSORS_CONF));
    EXPECT_GE(json["machine"]["cores"], 1);
    EXPECT_EQ(json["limits"]["ranks"], 0x7FFF'FFFF);
}

TEST(Doctor, EveryPartSaysWhetherAndWhy) {
    const auto json = nlohmann::json::parse(doctor("--json").text);
    const std::string text = doctor("").text;
    ASSERT_FALSE(json["parts"].empty());
    for (const auto& part : json["parts"]) {
        const std::string name = part["name"];
        const std::string why = part["why"];
        EXPECT_FALSE(why.empty()) << name;
        const std::size_t at = text.find(name);
        ASSERT_NE(at, std::string::npos) << name;
        const std::string line =
            text.substr(text.rfind('\n', at) + 1, text.find('\n', at) - text.rfind('\n', at) - 1);
        EXPECT_NE(line.find(part["has"] ? "  has " : "  lacks "), std::string::npos) << line;
        EXPECT_NE(line.find(why), std::string::npos) << line;
    }
}

TEST(Doctor, UnknownOptionIsWrongUsage) { EXPECT_EQ(WEXITSTATUS(doctor("--jsn").status), 2); }

} // namespace

} // namespace orrery::doctor_test
