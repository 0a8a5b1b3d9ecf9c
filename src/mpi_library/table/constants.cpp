#include "mpi_library/table/constants.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace orrery::mpi_api {

namespace {

bool begins_with(const std::string& text, const std::string& begin) { return text.rfind(begin, 0) == 0; }

bool is_only_in_c(const std::string& name, const std::string& value) {
    return !begins_with(name, "MPI_") || begins_with(name, "MPI_T_") || begins_with(name, "MPI_F_") ||
           value.empty() || value.find("*)") != std::string::npos || value.find("()") != std::string::npos;
}

// number, (number) or ((type)number); false: none of these.
bool parse_value(std::string value, Constant& constant) {
    std::string inner;
    for (const char c : value) inner += c == '(' || c == ')' ? ' ' : c;
    std::istringstream words(inner);
    std::string first;
    std::string second;
    words >> first >> second;
    if (!second.empty()) {
        constant.type = first;
        first = second;
    }
    std::size_t used = 0;
    try {
        constant.value = std::stoll(first, &used, 0);
    } catch (const std::logic_error&) {
        return false;
    }
    return used == first.size();
}

} // namespace

std::vector<Constant> read_constants(const std::string& header) {
    std::vector<Constant> all;
    std::istringstream lines(header);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string define;
        Constant constant;
        std::string value;
        words >> define >> constant.name >> value;
        if (define != "#define" || is_only_in_c(constant.name, value)) continue;
        if (!parse_value(value, constant)) {
            const auto same =
                std::find_if(all.begin(), all.end(), [&](const Constant& each) { return each.name == value; });
            if (same == all.end()) throw std::runtime_error("mpi.h: " + constant.name + " is not a number");
            constant.type = same->type;
            constant.value = same->value;
        }
        if (begins_with(constant.name, "MPI_MAX_")) --constant.value;
        all.push_back(constant);
    }
    return all;
}

} // namespace orrery::mpi_api
