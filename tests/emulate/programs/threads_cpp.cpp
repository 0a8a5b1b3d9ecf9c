// Threads of C++ in a rank: they take turns, and may call MPI.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mpi.h>
#include <mutex>
#include <queue>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

int wrong = 0;

void check(bool right, int line) {
    if (!right && wrong++ < 5) std::printf("line %d: not so\n", line);
}
#define CHECK(condition) check(condition, __LINE__)

class Queue {
  public:
    void put(int value) {
        {
            const std::lock_guard lock(mutex_);
            values_.push(value);
        }
        filled_.notify_one();
    }
    int take() {
        std::unique_lock lock(mutex_);
        filled_.wait(lock, [this] { return !values_.empty(); });
        const int value = values_.front();
        values_.pop();
        return value;
    }
    bool stays_empty(std::chrono::milliseconds patience) {
        std::unique_lock lock(mutex_);
        return !filled_.wait_for(lock, patience, [this] { return !values_.empty(); });
    }

  private:
    std::mutex mutex_;
    std::condition_variable filled_;
    std::queue<int> values_;
};

thread_local std::vector<int> seen;

} // namespace

int main(int argc, char** argv) {
    int provided = 0, rank = 0, size = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(provided == MPI_THREAD_SERIALIZED);

    // One thread talks to the neighbours, the others compute.
    Queue work, results;
    std::vector<std::thread> workers;
    for (int i = 0; i < 4; ++i) {
        workers.emplace_back([&] {
            for (int value = work.take(); value >= 0; value = work.take()) {
                seen.push_back(value);
                results.put(value * value);
            }
            CHECK(seen.size() <= 20);
        });
    }
    std::thread talker([&] {
        int total = 0;
        for (int i = 0; i < 20; ++i) {
            int value = rank + i, got = -1;
            MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % size, i, &got, 1, MPI_INT, (rank + size - 1) % size,
                         i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            work.put(got);
        }
        for (int i = 0; i < 20; ++i) total += results.take();
        int expected = 0;
        for (int i = 0; i < 20; ++i)
            expected += ((rank + size - 1) % size + i) * ((rank + size - 1) % size + i);
        CHECK(total == expected);
    });
    talker.join();
    CHECK(seen.empty());
    for (std::size_t i = 0; i < workers.size(); ++i) work.put(-1);
    for (std::thread& each : workers) each.join();
    CHECK(results.stays_empty(std::chrono::milliseconds(1)));

    std::future<int> later = std::async(std::launch::async, [&] {
        int sum = 0;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        return sum;
    });
    CHECK(later.get() == size * (size - 1) / 2);
    std::future<int> thrown = std::async(std::launch::async, []() -> int { throw std::runtime_error("no"); });
    bool caught = false;
    try {
        (void)thrown.get();
    } catch (const std::runtime_error&) {
        caught = true;
    }
    CHECK(caught);

    int all = 0;
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0) std::printf("No Errors\n");
    MPI_Finalize();
    return all != 0 ? 1 : 0;
}
