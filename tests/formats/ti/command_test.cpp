// `orrery convert` and `orrery info` with traces, from the outside.
#include "places.h"
#include "ti_text.h"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

namespace orrery::command_test {
namespace {

using namespace ti_test;

struct Answer {
    std::string text;
    int status = -1;
};

Answer orrery(const std::string& arguments) {
    Answer answer;
    FILE* pipe = popen((orrery_program() + " " + arguments + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return answer;
    std::array<char, 4096> buffer{};
    for (std::size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        answer.text.append(buffer.data(), got);
    answer.status = WEXITSTATUS(pclose(pipe));
    return answer;
}

const std::string waits = test_data() + "/simgrid/traces/waits.txt";

TEST(TiCommand, converts_both_ways) {
    const Folder folder;
    Answer answer = orrery("convert " + waits + " " + folder / "w.oti");
    EXPECT_EQ(answer.status, 0) << answer.text;
    EXPECT_NE(
        answer.text.find(
            "37 actions, 4 ranks: time-independent trace in text, one file with all ranks -> binary (.oti)"),
        std::string::npos)
        << answer.text;
    EXPECT_EQ(orrery("convert " + folder / "w.oti" + " " + folder / "w.txt").status, 0);
    EXPECT_EQ(orrery("convert " + folder / "w.oti" + " " + folder / "files/").status, 0);
    EXPECT_EQ(orrery("convert " + folder / "files" + " " + folder / "again" + " --to oti").status, 0);
    for (const std::string& path : {folder / "w.oti", folder / "w.txt", folder / "files", folder / "again"})
        EXPECT_EQ(read_all(path), read_all(waits)) << path;
}

TEST(TiCommand, says_why_it_cannot_convert) {
    const Folder folder;
    Answer answer = orrery("convert " + waits + " " + folder / "w.goal");
    EXPECT_EQ(answer.status, 2);
    EXPECT_NE(answer.text.find("say how fast they go with --speed"), std::string::npos) << answer.text;
    answer = orrery("convert " + waits + " " + folder / "w.txt --to old-ti");
    EXPECT_EQ(answer.status, 3);
    EXPECT_NE(answer.text.find("has no words in the older grammar"), std::string::npos) << answer.text;
    EXPECT_FALSE(std::filesystem::exists(folder / "w.txt"));
    answer = orrery("convert " + folder.write("a.goal", "num_ranks 1\nrank 0 {\n}\n") + " " + folder / "a.oti");
    EXPECT_EQ(answer.status, 2);
    EXPECT_NE(answer.text.find("is not a time-independent trace"), std::string::npos) << answer.text;
}

TEST(TiCommand, tells_what_is_in_a_trace) {
    const Answer words = orrery("info " + waits);
    EXPECT_EQ(words.status, 0);
    EXPECT_NE(words.text.find("actions        37, at most 12 in a rank"), std::string::npos) << words.text;
    const Answer answer = orrery("info --json " + waits);
    ASSERT_EQ(answer.status, 0);
    const auto json = nlohmann::json::parse(answer.text);
    EXPECT_EQ(json["ranks"], 4);
    EXPECT_EQ(json["actions_by_kind"]["isend"], 5);
    EXPECT_EQ(json["collectives"]["barrier"], 4);
}

TEST(TiCommand, tells_of_one_sided_operations) {
    const Folder folder;
    const std::string trace = folder.write(
        "t.txt", "0 win_fence\n0 rma 1 100 0\n0 rma 1 5 7\n0 win_fence\n1 win_fence\n1 win_fence\n");
    const Answer words = orrery("info " + trace);
    EXPECT_EQ(words.status, 0);
    EXPECT_NE(words.text.find("2 rma, 4 window\n"), std::string::npos) << words.text;
    EXPECT_NE(words.text.find("one-sided      2 operations, "), std::string::npos) << words.text;
    const Answer answer = orrery("info --json " + trace);
    ASSERT_EQ(answer.status, 0);
    const auto json = nlohmann::json::parse(answer.text);
    EXPECT_EQ(json["one_sided_operations"], 2);
    EXPECT_EQ(json["one_sided_bytes"], 112);
    EXPECT_EQ(json["messages"], 0);
    EXPECT_EQ(json["matrix"]["messages"], 3);
}

} // namespace
} // namespace orrery::command_test
