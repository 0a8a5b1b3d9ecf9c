#include "trace/settings.h"

#include <gtest/gtest.h>
#include <map>

namespace orrery::trace::settings_test {
namespace {

std::map<std::string, std::string> variables;

const char* lookup(const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
}

Settings read(std::map<std::string, std::string> given) {
    variables = std::move(given);
    return settings_from(lookup);
}

TEST(TraceSettings, WithoutADirectoryNothingIsDone) {
    EXPECT_TRUE(read({}).directory.empty());
    EXPECT_TRUE(read({{"ORRERY_TRACE_TIMED", "nonsense"}}).error.empty());
}

TEST(TraceSettings, DefaultsAndAllOfThem) {
    const Settings usual = read({{"ORRERY_TRACE_DIR", "here"}});
    EXPECT_EQ(usual.directory, "here");
    EXPECT_EQ(usual.buffer, 262144U);
    EXPECT_EQ(usual.gather, 0U);
    EXPECT_FALSE(usual.timed);
    EXPECT_FALSE(usual.clock_only);
    const Settings all = read({{"ORRERY_TRACE_DIR", "d"},
                               {"ORRERY_TRACE_RUN", "00c0ffee00000001"},
                               {"ORRERY_TRACE_COUNTER", "cpu-time"},
                               {"ORRERY_TRACE_TIMED", "1"},
                               {"ORRERY_TRACE_GATHER", "8"},
                               {"ORRERY_TRACE_MODE", "clock"},
                               {"ORRERY_TRACE_BUFFER", "4096"}});
    EXPECT_EQ(all.error, "");
    EXPECT_EQ(all.run, 0x00c0ffee00000001U);
    EXPECT_EQ(all.counter, CounterChoice::cpu_time);
    EXPECT_TRUE(all.timed);
    EXPECT_TRUE(all.clock_only);
    EXPECT_EQ(all.gather, 8U);
    EXPECT_EQ(all.buffer, 4096U);
}

TEST(TraceSettings, WhatDoesNotFitIsNamed) {
    const std::pair<const char*, const char*> wrong[] = {
        {"ORRERY_TRACE_RUN", "xyz"},       {"ORRERY_TRACE_RUN", "11112222333344445"},
        {"ORRERY_TRACE_COUNTER", "flops"}, {"ORRERY_TRACE_TIMED", "yes"},
        {"ORRERY_TRACE_GATHER", "-1"},     {"ORRERY_TRACE_GATHER", "4096"},
        {"ORRERY_TRACE_MODE", "both"},     {"ORRERY_TRACE_BUFFER", "1"},
        {"ORRERY_TRACE_BUFFER", "256K"}};
    for (const auto& [name, value] : wrong) {
        const Settings settings = read({{"ORRERY_TRACE_DIR", "d"}, {name, value}});
        EXPECT_NE(settings.error.find(std::string(name) + "=" + value + ": expected "), std::string::npos)
            << settings.error;
    }
}

} // namespace
} // namespace orrery::trace::settings_test
