// Memory stays bounded, whatever the length of a trace and the number of its files.
#include "engine/memory.h"
#include "ti_text.h"

#include <functional>
#include <sys/wait.h>
#include <unistd.h>

namespace orrery::memory_test {
namespace {

using namespace ti_test;

// How much memory `work` takes at most, measured in a process of its own.
std::uint64_t peak_of(const std::function<void()>& work) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const std::uint64_t before = peak_rss_bytes();
        work();
        const std::uint64_t grown = peak_rss_bytes() - before;
        const bool written = ::write(ends[1], &grown, sizeof grown) == sizeof grown;
        ::_exit(written ? 0 : 1);
    }
    std::uint64_t grown = ~std::uint64_t{0};
    EXPECT_EQ(::read(ends[0], &grown, sizeof grown), static_cast<ssize_t>(sizeof grown));
    ::close(ends[0]);
    ::close(ends[1]);
    ::waitpid(child, nullptr, 0);
    return grown;
}

std::uint64_t count(const std::string& path) {
    const TiTrace trace = TiTrace::open(path);
    const auto source = trace.source();
    std::uint64_t actions = 0;
    for (bool more = true; more;) {
        more = false;
        for (std::uint32_t rank = 0; rank < source->ranks(); ++rank) {
            const std::size_t got = source->next(RankId{rank}).size();
            actions += got;
            more = more || got > 0;
        }
    }
    return actions;
}

TEST(SlowTiMemory, ten_million_actions) {
    const Folder folder;
    {
        std::ofstream file(folder / "mixed.txt");
        std::string text;
        for (int i = 0; i < 625'000; ++i) { // 16 ranks in turn, the worst order
            for (int rank = 0; rank < 16; ++rank) text += fmt::format("{} compute {}\n", rank, 1000 + i);
            if (text.size() < 1'000'000) continue;
            file << text;
            text.clear();
        }
        file << text;
    }
    EXPECT_LT(peak_of([&] { EXPECT_EQ(count(folder / "mixed.txt"), 10'000'000U); }), 40U << 20);
    EXPECT_LT(peak_of([&] {
                  const TiTrace trace = TiTrace::open(folder / "mixed.txt");
                  write_oti(*trace.source(), folder / "t.oti");
              }),
              40U << 20);
    EXPECT_LT(peak_of([&] { EXPECT_EQ(count(folder / "t.oti"), 10'000'000U); }), 40U << 20);
    const TiTrace trace = TiTrace::open(folder / "t.oti");
    write_ti_text(*trace.source(), folder / "files/");
    EXPECT_LT(peak_of([&] { EXPECT_EQ(count(folder / "files"), 10'000'000U); }), 20U << 20);
}

TEST(SlowTiMemory, ten_thousand_files) {
    const Folder folder;
    constexpr std::uint32_t ranks = 10'000;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        std::string text;
        for (int i = 0; i < 25; ++i) {
            text +=
                fmt::format("{0} irecv {1} 0 8192 6\n{0} isend {2} 0 8192 6\n{0} compute {3}\n{0} waitall\n",
                            rank, (rank + 1) % ranks, (rank + ranks - 1) % ranks, 1'000'000 + i);
        }
        folder.write(fmt::format("rank-{}.txt", rank), text);
    }
    // 2 kB for each rank, the names of the files included, and 20 MB for all.
    EXPECT_LT(peak_of([&] { EXPECT_EQ(count(folder.path()), 1'000'000U); }), 2048U * ranks + (20U << 20));
}

} // namespace
} // namespace orrery::memory_test
