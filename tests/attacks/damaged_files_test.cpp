// Files of every format, damaged at random, read by the program itself: each is taken or refused, with words.
//   ORRERY_ATTACKS=2000 orrery_tests --gtest_filter='*DamagedFiles*'    as in docs/reliability.md
#include "attacks/damage.h"
#include "attacks/ended.h"
#include "machine/machine_file.h"
#include "reference/sanitized.h"

#include <algorithm>
#include <ostream>
#include <sstream>
#include <vector>

namespace orrery::attacks::damaged_files_test {
namespace {

struct Format {
    const char* name;
    const char*
        seeds; // a folder of files in tests/, or those of it with an ending; or what makes one, `orrery ...`
    const char* file;     // the name that a damaged one gets
    const char* commands; // separated by ';'; the file is named in each
};

void PrintTo(const Format& format, std::ostream* out) { *out << format.name; }

const Format formats[] = {
    {"goal", "orrery generate stencil-2d -n 4 --bytes 1000 -o seed.goal", "x.goal",
     "replay x.goal --on odin;convert x.goal y.orr;replay x.goal --on odin --network packet"},
    {"schedule", "orrery generate ring -n 4 --bytes 1000 -o seed.orr", "x.orr",
     "replay x.orr --on odin;info x.orr;convert x.orr y.goal"},
    {"binary_goal", "orrery generate ring -n 4 --bytes 1000 -o seed.bin", "x.bin",
     "replay x.bin --on odin;convert x.bin y.goal"},
    {"ti_text", "orrery convert small.txt seed.txt", "x.txt",
     "replay x.txt --on graphene;replay x.txt --on odin --network packet;info x.txt;map x.txt --on odin"},
    {"oti", "orrery convert small.txt seed.oti", "x.oti", "replay x.oti --on graphene;info x.oti"},
    {"allprof", "data/traces/bcast", "x.0", "replay x.0 --on odin;extrapolate x.0 -n 16 -o y.goal"},
    {"dim", "fuzz/corpus/dim", "x.dim", "replay x.dim --on graphene;info x.dim;replay x.dim --on small.cfg"},
    {"dimemas_cfg", "fuzz/corpus/dimemas_cfg", "x.cfg", "replay small.dim --on x.cfg"},
    {"prv", "fuzz/corpus/prv", "x.prv", "replay x.prv --on graphene;info x.prv"},
    {"machine", "fuzz/corpus/machine_toml", "x.toml",
     "machine check x.toml;generate ring -n 4 --bytes 1000 --on x.toml --network flow;"
     "generate ring -n 4 --bytes 1000 --on x.toml --network packet;"
     "generate ring -n 4 --bytes 1000 --on x.toml --network kpacket"},
    {"simgrid", "fuzz/corpus/simgrid_xml", "x.xml",
     "machine check x.xml;generate ring -n 3 --bytes 1000 --on x.xml --network flow"},
    {"ibnet", "data/fabric/*.ibnet", "x.ibnet", "machine import x.ibnet -o y.toml --force"},
    {"slurm", "fuzz/corpus/slurm_topology", "topology.conf", "machine import topology.conf -o y.toml --force"},
    {"myrinet", "fuzz/corpus/myrinet_map", "x.map", "machine import x.map -o y.toml --force"},
    {"routes", "attacks/seeds/routes", "x.routes",
     "generate ring -n 4 --bytes 1000 --on four.toml --network packet --set routing.policy=file --set "
     "routing.file=x.routes"},
    {"hostfile", "fuzz/corpus/hostfile", "hosts",
     "generate ring -n 4 --bytes 1000 --on odin --network flow --hostfile hosts;"
     "generate ring -n 4 --bytes 1000 --on odin --network flow --map-by file:hosts"},
    {"study", "attacks/seeds/study", "x.toml", "sweep x.toml --dry-run"},
};

class DamagedFiles : public test::ProgramTest, public testing::WithParamInterface<Format> {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        write("four.toml", "[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[topology]\ntype = 'fat-tree'\n"
                           "levels = '2; 2,2; 1,2; 1,2'\n[host]\nprefix = 'n'\n");
        write("small.txt",
              "0 init\n0 compute 1e6\n0 isend 1 7 1000\n0 irecv 1 8 70000\n0 waitall 2\n0 barrier\n"
              "0 allreduce 8 0\n0 finalize\n1 init\n1 compute 2e6\n1 irecv 0 7 1000\n1 isend 0 8 70000\n"
              "1 waitall 2\n1 barrier\n1 allreduce 8 0\n1 finalize\n");
        const std::filesystem::path data(test_data());
        std::filesystem::copy(data / "dimemas/p2p_eager.cfg", folder_ / "small.cfg");
        std::filesystem::copy(data / "dimemas/p2p_eager.dim", folder_ / "small.dim");
        for (const char* const rank : {"1", "2", "3"}) // the other ranks of x.0
            std::filesystem::copy(data / ("traces/bcast/trace_bcast-" + std::string(rank) + ".dat"),
                                  folder_ / ("x." + std::string(rank)));
    }
    [[nodiscard]] static std::vector<std::string> commands() {
        std::vector<std::string> all;
        std::istringstream list(GetParam().commands);
        for (std::string each; std::getline(list, each, ';');) all.push_back(each);
        return all;
    }
    // In the order of their names.
    std::vector<std::string> seeds() {
        const std::string how = GetParam().seeds;
        std::filesystem::path place = std::filesystem::path(test_data()).parent_path() / how;
        if (how.starts_with("orrery ")) {
            place = folder_ / "seeds";
            std::filesystem::create_directory(place);
            const test::Answer made = run(how.substr(7), true);
            EXPECT_EQ(made.code, 0) << made.out;
            for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
                const std::string name = entry.path().filename().string();
                if (name.starts_with("seed.")) std::filesystem::rename(entry.path(), place / name);
            }
        }
        std::string ending;
        if (place.filename().string().starts_with('*')) {
            ending = place.extension().string();
            place = place.parent_path();
        }
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(place)) {
            if (entry.path().string().ends_with(ending)) files.push_back(entry.path());
        }
        std::sort(files.begin(), files.end());
        std::vector<std::string> texts;
        for (const auto& file : files) texts.push_back(read_whole_file(file.string()));
        return texts;
    }
};

TEST_P(DamagedFiles, AreTakenOrRefused) {
    const std::vector<std::string> texts = seeds();
    ASSERT_FALSE(texts.empty());
    const std::vector<std::string> all = commands();
    Tally tally;
    const std::uint64_t count = attacks(reference::sanitized ? 5 : 15);
    for (std::uint64_t seed = 0; seed < count; ++seed) {
        Chance chance(seed);
        const std::string text = damaged(texts[pick(chance, texts.size())], chance);
        write(GetParam().file, text);
        const std::string& command = all[pick(chance, all.size())];
        const std::string wrong = what_is_wrong_with(folder_.string(), command, tally);
        ASSERT_EQ(wrong, "") << GetParam().name << ", seed " << seed << ": " << command << "\n" << text;
    }
    std::printf("%s: %s\n", GetParam().name, tally.words().c_str());
}

// What is damaged is worth it: undamaged, each command takes at least one of them, so that damage is met behind
// the first check of a reader too.
TEST_P(DamagedFiles, AreTakenUndamaged) {
    const std::vector<std::string> texts = seeds();
    for (const std::string& command : commands()) {
        Tally tally;
        for (const std::string& text : texts) {
            write(GetParam().file, text);
            EXPECT_EQ(what_is_wrong_with(folder_.string(), command, tally), "") << command << "\n" << text;
        }
        EXPECT_GT(tally.codes[0], 0U) << command << ": " << tally.words();
    }
}

INSTANTIATE_TEST_SUITE_P(All, DamagedFiles, testing::ValuesIn(formats),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace orrery::attacks::damaged_files_test
