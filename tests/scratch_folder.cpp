// The files that tests make lie in a folder of their own, which goes when they are over.
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace orrery::test {
namespace {

class ScratchFolder : public testing::Environment {
  public:
    void SetUp() override {
        std::string name = (std::filesystem::temp_directory_path() / "orrery-tests-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        path_ = name;
        setenv("TMPDIR", name.c_str(), 1);              // std::filesystem, programs that tests start
        setenv("TEST_TMPDIR", (name + "/").c_str(), 1); // testing::TempDir()
    }
    void TearDown() override {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

  private:
    std::filesystem::path path_;
};

[[maybe_unused]] testing::Environment* const scratch_folder =
    testing::AddGlobalTestEnvironment(new ScratchFolder);

} // namespace
} // namespace orrery::test
