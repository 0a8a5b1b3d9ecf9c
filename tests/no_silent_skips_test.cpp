// ./check installs all that the tests need, so there no test may be skipped for want of it: one that is fails.
// What a computer or its kernel cannot do is another matter; such a reason begins with "this computer". Builds
// with sanitizers have no tracing libraries, and leave tests of them out.
#include "reference/sanitized.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace orrery::no_silent_skips_test {
namespace {

bool may_be_skipped(std::string_view reason) {
    const bool all_is_installed = std::getenv("ORRERY_CHECK_INSTALLED_ALL") != nullptr && !reference::sanitized;
    return !all_is_installed || reason.find("this computer") != std::string_view::npos;
}

class NoSilentSkips : public testing::EmptyTestEventListener {
    void OnTestEnd(const testing::TestInfo& test) override {
        if (!test.result()->Skipped()) return;
        for (int i = 0; i < test.result()->total_part_count(); ++i) {
            const testing::TestPartResult& part = test.result()->GetTestPartResult(i);
            if (part.skipped() && !may_be_skipped(part.message())) {
                ADD_FAILURE() << test.test_suite_name() << "." << test.name()
                              << " is skipped although ./check installs all it needs: " << part.message();
            }
        }
    }
};

// Before main(), which is that of GoogleTest.
[[maybe_unused]] const bool listening = [] {
    testing::UnitTest::GetInstance()->listeners().Append(new NoSilentSkips);
    return true;
}();

} // namespace
} // namespace orrery::no_silent_skips_test
