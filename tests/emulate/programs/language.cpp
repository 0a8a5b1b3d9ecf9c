// C++: objects that are made before main, exceptions across frames that call MPI, virtual functions, locals of
// functions that are made once, thread-local variables: each rank has its own.
#include "check.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

int made = 0;

struct Registry {
    Registry() : words{{"one", 1}, {"two", 2}} { ++made; }
    std::map<std::string, int> words;
};

Registry registry;               // made before main, once for each rank
std::vector<int> numbers(10, 4); // on the heap of each rank
thread_local std::string note = "unwritten";

int& counter() {
    static int count = [] {
        ++made;
        return 100;
    }();
    return count;
}

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square : Shape {
    explicit Square(double side) : side_(side) {}
    double area() const override { return side_ * side_; }
    double side_;
};

// Its destructor runs when an exception passes.
struct Guard {
    explicit Guard(int& left) : left_(left) {}
    ~Guard() { ++left_; }
    int& left_;
};

[[noreturn]] void deep(int depth, int& left) {
    const Guard guard(left);
    int sum = 0;
    MPI_Allreduce(&depth, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); // other ranks run meanwhile
    CHECK(sum == depth * size);
    if (depth == 0) throw std::runtime_error("rank " + std::to_string(rank));
    deep(depth - 1, left);
}

void exceptions() {
    int left = 0;
    try {
        deep(5, left);
        CHECK(false);
    } catch (const std::exception& error) {
        MPI_Barrier(MPI_COMM_WORLD); // within the handler
        CHECK(error.what() == "rank " + std::to_string(rank));
        try {
            throw;
        } catch (const std::runtime_error&) {
            ++left;
        }
    }
    CHECK(left == 7);
    // While the handler of one rank waits, others throw and catch their own.
    for (int turn = 0; turn < 3; ++turn) {
        try {
            throw rank * 10 + turn;
        } catch (const int value) {
            int token = -1;
            MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % size, 0, &token, 1, MPI_INT, (rank + size - 1) % size,
                         0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(token == (rank + size - 1) % size * 10 + turn && value == rank * 10 + turn);
        }
    }
}

void own_objects() {
    registry.words["rank"] = rank;
    numbers.push_back(rank);
    note = "written by " + std::to_string(rank);
    counter() += rank;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(registry.words.at("rank") == rank && registry.words.size() == 3);
    CHECK(numbers.size() == 11 && numbers.back() == rank);
    CHECK(note == "written by " + std::to_string(rank));
    CHECK(counter() == 100 + rank && made == 2);
}

void library() {
    std::vector<std::unique_ptr<Shape>> shapes;
    for (int i = 0; i <= rank; ++i) shapes.push_back(std::make_unique<Square>(i));
    double area = 0;
    for (const auto& each : shapes) area += each->area();
    CHECK(area == rank * (rank + 1) * (2 * rank + 1) / 6.0);
    std::vector<double> all(static_cast<std::size_t>(size));
    MPI_Allgather(&area, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
    CHECK(std::is_sorted(all.begin(), all.end()));
    std::ostringstream text;
    text << std::accumulate(all.begin(), all.end(), 0.0);
    CHECK(!text.str().empty());
    bool flag = rank == 0, any = false;
    MPI_Allreduce(&flag, &any, 1, MPI_CXX_BOOL, MPI_LOR, MPI_COMM_WORLD);
    CHECK(any);
}

} // namespace

int main(int argc, char** argv) {
    begin(&argc, &argv);
    own_objects();
    exceptions();
    library();
    return end();
}
