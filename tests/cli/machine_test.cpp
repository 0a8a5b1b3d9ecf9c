// `orrery machine` as a script sees it.
#include "places.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace orrery::machine_test {

namespace {

namespace fs = std::filesystem;

struct Answer {
    std::string out;
    int code = -1;
};

class MachineVerb : public testing::Test {
  protected:
    void SetUp() override { fs::create_directories(folder_); }
    void TearDown() override { fs::remove_all(folder_); }

    Answer run(const std::string& arguments) const {
        const std::string command =
            "cd " + folder_.string() + " && " + orrery_program() + " machine " + arguments + " 2>&1";
        Answer answer;
        FILE* pipe = popen(command.c_str(), "r");
        if (pipe == nullptr) return answer;
        std::array<char, 4096> buffer{};
        for (std::size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
            answer.out.append(buffer.data(), got);
        }
        const int status = pclose(pipe);
        answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return answer;
    }
    bool says(const std::string& arguments, const std::string& words, int code) const {
        const Answer answer = run(arguments);
        if (answer.code != code || answer.out.find(words) == std::string::npos) {
            ADD_FAILURE() << arguments << " ended with " << answer.code << ":\n" << answer.out;
            return false;
        }
        return true;
    }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
    }

    fs::path folder_ = fs::path(testing::TempDir()) / ("machine_" + std::to_string(getpid()));
};

TEST_F(MachineVerb, ListsTheBuiltInOnes) {
    const auto json = nlohmann::json::parse(run("list --json").out);
    EXPECT_EQ(json.size(), 12U);
    EXPECT_EQ(json[0]["name"], "big-red");
    EXPECT_EQ(json[0]["hosts"], 768);
}

TEST_F(MachineVerb, ShowsValuesWithTheirOrigin) {
    const Answer answer = run("show graphene --set network.latency=30us --json");
    ASSERT_EQ(answer.code, 0) << answer.out;
    const auto json = nlohmann::json::parse(answer.out);
    EXPECT_EQ(json["platform"]["hosts"], 144);
    EXPECT_EQ(json["platform"]["cores"], 576);
    EXPECT_EQ(json["platform"]["routes"][2]["latency_ps"], 84'000'000);
    std::map<std::string, std::string> origins;
    for (const auto& row : json["values"]) origins[row["key"]] = row["origin"];
    EXPECT_EQ(origins["link.latency"], "--set");
    EXPECT_EQ(origins["loopback.bandwidth"], "default");
    EXPECT_TRUE(origins["link.bandwidth"].starts_with("machines/graphene.toml:"));
    says("show graphene", "bisection  2.5 GB/s", 0);
    says("show graphen", "did you mean 'graphene'?", 2);
}

TEST_F(MachineVerb, ChecksReachability) {
    says("check fugaku-like --pairs 1000", "1,000 routes checked", 0);
    says("check odin", "16,256 routes checked, which are all", 0);
    write("broken.toml",
          "[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[topology]\ntype = 'graph'\n"
          "[[hosts]]\nnames = 'a, b'\nswitch = 's'\n[[hosts]]\nnames = 'c'\n[[switches]]\nnames = 's'\n");
    says("check broken.toml", "broken.toml:6: there is no route from a to c (line 9)", 3);
    write("broken.xml", "<?xml version='1.0'?>\n<platform version='4.1'>\n<zone id='z' routing='Full'>\n"
                        "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/></zone></platform>\n");
    says("check broken.xml", "broken.xml:3: zone 'z' has no route from a to b", 3);
}

TEST_F(MachineVerb, ShowsRoutes) {
    const auto json = nlohmann::json::parse(run("route stampede n0 n6399 --json").out);
    EXPECT_EQ(json["links"].size(), 4U);
    EXPECT_EQ(json["latency_ps"], 20'800'000);
    says("route odin n0 n5", "n0 up", 0);
    says("route odin n0 m5", "the machine has no host 'm5'", 2);
}

} // namespace

} // namespace orrery::machine_test
