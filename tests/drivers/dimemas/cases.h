// The cases under tests/data/dimemas, whose answers by Dimemas itself are known.
#pragma once

#include "drivers/dimemas/simulate.h"
#include "places.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace orrery::test {

struct DimemasCase {
    std::string name;
    dimemas::DimFile trace;
    dimemas::Configuration machine;
};

inline std::vector<DimemasCase> dimemas_cases() {
    const std::string folder = test_data() + "/dimemas/";
    std::ifstream expected(folder + "expected.txt");
    std::vector<DimemasCase> cases;
    for (std::string line; std::getline(expected, line);) {
        if (line.empty() || line[0] == '#') continue;
        const std::string name = line.substr(0, line.find(' '));
        cases.push_back({name, dimemas::DimFile::open(folder + name + ".dim"),
                         dimemas::read_configuration(folder + name + ".cfg")});
    }
    return cases;
}

} // namespace orrery::test
