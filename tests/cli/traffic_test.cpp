// `orrery traffic` as a script would run it.
#include "cli/program_test.h"

#include <nlohmann/json.hpp>

namespace orrery::test::traffic_test {

namespace {

class TrafficProgram : public ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        write("m.toml", "[host]\nspeed = \"1 Gf\"\n[link]\nbandwidth = \"8 GB/s\"\nlatency = \"10 ns\"\n"
                        "[topology]\ntype = \"torus\"\ndimensions = \"4,4\"\n[packet]\nsegment = \"512 B\"\n");
    }
};

TEST_F(TrafficProgram, GivesTheSameCurveWhateverTheNumberOfJobs) {
    const std::string command = "traffic --on m.toml --load 0.2,0.5,1 --messages 40 --json";
    const Answer one = run(command + " --jobs 1");
    ASSERT_EQ(one.code, 0);
    EXPECT_EQ(one.out, run(command + " --jobs 3").out);
    const nlohmann::json json = nlohmann::json::parse(one.out);
    EXPECT_EQ(json["points"].size(), 3U);
    EXPECT_GT(json["saturation_load"], 0.6);
    EXPECT_NEAR(json["points"][0]["accepted"].get<double>(), 0.2, 0.03);
    EXPECT_LT(json["zero_load_latency_ps"], json["points"][0]["mean_latency_ps"]);
}

TEST_F(TrafficProgram, WritesTableAndPicture) {
    const Answer answer =
        run("traffic --on m.toml --load 0.1..0.3 --messages 20 --no-search --csv t.csv --plot t.svg");
    ASSERT_EQ(answer.code, 0);
    EXPECT_NE(answer.out.find("uniform traffic"), std::string::npos);
    EXPECT_EQ(answer.out.find("saturation"), std::string::npos);
    EXPECT_GT(std::filesystem::file_size(folder_ / "t.svg"), 1000U);
    std::ifstream csv(folder_ / "t.csv");
    std::string line;
    int lines = 0;
    while (std::getline(csv, line)) ++lines;
    EXPECT_EQ(lines, 4);
}

TEST_F(TrafficProgram, RunsOverOtherNetworks) {
    for (const char* const network : {"flow", "kpacket"}) {
        EXPECT_EQ(
            run(std::string("traffic --on m.toml --load 0.3 --messages 20 --no-search --network ") + network)
                .code,
            0)
            << network;
    }
}

TEST_F(TrafficProgram, ExplainsWrongUsage) {
    for (const char* const arguments :
         {"--load 0.5", "--on m.toml --load 0", "--on m.toml --load 1.5", "--on m.toml --pattern unifrom",
          "--on m.toml --pattern group", "--on m.toml --bytes 0", "--on m.toml --arrivals late",
          "--on m.toml --duration 5", "--on m.toml --messages 0"}) {
        EXPECT_EQ(run(std::string("traffic ") + arguments).code, 2) << arguments;
    }
    EXPECT_EQ(run("traffic --on nowhere.toml").code, 3);
}

} // namespace

} // namespace orrery::test::traffic_test
