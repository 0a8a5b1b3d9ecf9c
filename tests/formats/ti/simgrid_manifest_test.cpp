// The traces that the figures of SimGrid were made with are read whole, with the ranks that the list says.
#include "places.h"
#include "ti_text.h"

#include <map>
#include <nlohmann/json.hpp>

namespace orrery::simgrid_manifest_test {
namespace {

using namespace ti_test;

TEST(TiSimGridTraces, have_the_ranks_of_the_manifest) {
    const auto manifest = nlohmann::json::parse(read_file(test_data() + "/simgrid/manifest.json"));
    std::map<std::string, std::uint32_t> ranks;
    for (const auto& entry : manifest["cases"]) ranks[entry["trace"]] = entry["np"];
    EXPECT_EQ(ranks.size(), 57U);
    for (const auto& [name, number] : ranks) {
        SCOPED_TRACE(name);
        EXPECT_EQ(TiTrace::open(test_data() + "/simgrid/traces/" + name + ".txt").ranks(), number);
    }
}

TEST(TiSimGridTraces, hold_what_they_should) {
    const auto read = [](const std::string& name) {
        return read_all(test_data() + "/simgrid/traces/" + name + ".txt");
    };
    EXPECT_EQ(read("waits")[0],
              (std::vector<std::string>{"isend 1 tag 5 200000 B #0", "isend 1 tag 6 100 B #1",
                                        "isend 1 tag 5 300000 B #2", "compute 1000000", "wait #0", "wait #2",
                                        "wait #1", "sendrecv 1 50000 B, 3 50000 B", "recv any tag 9 1000 B",
                                        "recv any tag 9 1000 B", "barrier"}));
    EXPECT_EQ(read("scatterv_7_40000")[0][1], "scatterv 40000 B [40000 40001 40002 40003 40004 40005 40006]");
    EXPECT_EQ(read("reduce_scatter_8_1000")[5][1],
              "reduce_scatter 8000 B then 1000 [1000 1000 1000 1000 1000 1000 1000 1000]");
}

} // namespace
} // namespace orrery::simgrid_manifest_test
