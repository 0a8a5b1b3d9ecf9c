// A mapped file that is cut off or rewritten while it is read.
#include "workload/mapped_file.h"

#include "engine/error.h"
#include "engine/output_file.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace orrery::mapped_file_test {
namespace {

namespace fs = std::filesystem;

class MappedFileTest : public testing::Test {
  protected:
    void SetUp() override { std::ofstream(path_) << std::string(bytes, 'x'); }
    void TearDown() override { fs::remove(path_); }
    static int sum(const MappedFile& file) {
        return std::accumulate(file.bytes().begin(), file.bytes().end(), 0,
                               [](int so_far, std::byte each) { return so_far + std::to_integer<int>(each); });
    }
    // SIGSEGV.
    static void fault() {
        auto* const page =
            static_cast<volatile char*>(::mmap(nullptr, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        *page = 1;
    }
    static constexpr std::size_t bytes = 100'000;
    std::string path_ = testing::TempDir() + "mapped_" + std::to_string(::getpid());
};

TEST_F(MappedFileTest, OneThatBecameShorterIsNamed) {
    EXPECT_EXIT(
        {
            const MappedFile file(path_);
            fs::resize_file(path_, 5000);
            std::exit(sum(file) == 0 ? 1 : 0);
        },
        testing::ExitedWithCode(3), path_ + ": the file became shorter while it was read");
}

TEST_F(MappedFileTest, AFaultAfterItWasRewrittenNamesIt) {
    EXPECT_EXIT(
        {
            const MappedFile file(path_);
            std::ofstream(path_, std::ios::in) << "changed";
            fault(); // where a changed number leads
        },
        testing::ExitedWithCode(3), path_ + ": the file was changed while it was read");
}

TEST_F(MappedFileTest, AnyOtherFaultStaysWhatItIs) {
    EXPECT_EXIT(
        {
            const MappedFile file(path_);
            fault();
        },
        [](int status) { return !WIFEXITED(status) || WEXITSTATUS(status) != 3; }, "");
}

TEST_F(MappedFileTest, NoResultIsWrittenFromOneThatWasRewritten) {
    const std::string result = path_ + ".result";
    {
        const MappedFile file(path_);
        EXPECT_NO_THROW(refuse_changed_inputs());
        std::ofstream(path_, std::ios::in) << "changed";
        EXPECT_THROW(refuse_changed_inputs(), InputError);
        EXPECT_THROW(write_file(result, "x"), InputError);
    }
    EXPECT_FALSE(fs::exists(result));
    EXPECT_NO_THROW(refuse_changed_inputs()); // others are not concerned
}

// One thread ends its run and asks for changes; another one opens and closes its own inputs meanwhile.
TEST_F(MappedFileTest, SeveralThreadsOpenCloseAndAsk) {
    constexpr int rounds = 500;
    std::atomic<bool> over = false;
    std::vector<std::thread> openers;
    for (int thread = 0; thread < 3; ++thread) {
        openers.emplace_back([&] {
            for (int i = 0; i < rounds; ++i) EXPECT_EQ(MappedFile(path_).bytes().size(), bytes);
        });
    }
    std::thread asking([&] {
        while (!over) EXPECT_NO_THROW(refuse_changed_inputs());
    });
    for (std::thread& each : openers) each.join();
    over = true;
    asking.join();
}

TEST_F(MappedFileTest, OneThatWasReplacedIsStillTheOldOne) {
    const MappedFile file(path_);
    const int before = sum(file);
    write_file(path_, "new");
    EXPECT_EQ(sum(file), before);
    EXPECT_NO_THROW(refuse_changed_inputs());
}

} // namespace
} // namespace orrery::mapped_file_test
