// Runs a program with many ranks without MPI: a scheduler of one queue, for the tests of contexts and programs.
//
//     runner [-n RANKS] [--privatize segments|copy|none] [--stack BYTES] [--no-guard] [--tag-output] [--stats]
//     PROGRAM ...
//
// The program finds runner_rank(), runner_size() and runner_yield(); a rank that yields or sleeps lets the
// others go on. The exit code is the largest of the ranks'.
#include "emulate/context/context.h"
#include "emulate/program/faults.h"
#include "emulate/program/libc_state.h"
#include "emulate/program/program.h"
#include "emulate/program/world.h"
#include "engine/error.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <queue>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace orrery::emulate {

struct ComputeState {};
struct mpi::ProcessState {};
Rank* current = nullptr;
Rank::Rank() = default;
Rank::~Rank() = default;

namespace {

struct Event {
    Time at;
    std::uint64_t number;
    Rank* rank;
    bool operator>(const Event& other) const { return at != other.at ? at > other.at : number > other.number; }
};
struct Scheduler {
    Context context;
    Time now;
    std::uint64_t number = 0;
    std::uint32_t size = 0;
    int worst = 0;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> ready;
    void add(Rank& rank, Time at) { ready.push({at, number++, &rank}); }
};
Scheduler scheduler;

void leave() { Context::swap(self().context, scheduler.context); }

int runner_rank() { return static_cast<int>(self().index); }
int runner_size() { return static_cast<int>(scheduler.size); }
void runner_yield() { world::sleep(Time::zero()); }
int* runner_where(int rank, int* address);

std::vector<Rank>* all_ranks = nullptr;

void entry(void* rank) { Program::active->run(*static_cast<Rank*>(rank)); }

} // namespace

namespace world {
Time now() { return scheduler.now; }
Time time() { return scheduler.now; }
void sleep(Time duration) {
    scheduler.add(self(), scheduler.now + duration);
    leave();
}
void wait_forever(const char* call) { abort(1, std::string("waits forever in ") + call); }
void end_rank(int exit_code) {
    self().ended = true;
    scheduler.worst = std::max(scheduler.worst, exit_code);
    for (;;) leave();
}
void forked() {}
void abort(int exit_code, const std::string& words) {
    std::fflush(stdout);
    const std::string line = words + "\n";
    if (write(STDERR_FILENO, line.data(), line.size()) < 0) _exit(99);
    _exit(exit_code == 134 ? 1 : exit_code);
}
} // namespace world

namespace {

int* runner_where(int rank, int* address) {
    return static_cast<int*>(Program::active->where((*all_ranks)[static_cast<std::size_t>(rank)], address));
}

int run(int argc, char** argv) {
    ProgramOptions options;
    std::size_t stack = Stacks::usual;
    auto guards = Stacks::Guards::when_possible;
    bool stats = false;
    std::vector<std::string> replaced;
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; ++i) {
        const std::string option = argv[i];
        if (option == "-n") options.ranks = static_cast<std::uint32_t>(std::stoul(argv[++i]));
        if (option == "--privatize") options.mechanism = privatise_from(argv[++i]);
        if (option == "--stack") stack = std::stoul(argv[++i]);
        if (option == "--no-guard") guards = Stacks::Guards::never;
        if (option == "--tag-output") options.tag_output = true;
        if (option == "--stats") stats = true;
        if (option == "--replace") replaced.emplace_back(argv[++i]);
    }
    if (i >= argc) throw UsageError("no program");
    options.path = argv[i];
    options.arguments.assign(argv + i + 1, argv + argc);
    const Symbol symbols[] = {
        {"runner_rank", reinterpret_cast<void*>(&runner_rank)},
        {"runner_size", reinterpret_cast<void*>(&runner_size)},
        {"runner_yield", reinterpret_cast<void*>(&runner_yield)},
        {"runner_where", reinterpret_cast<void*>(&runner_where)},
    };
    options.mpi = symbols;
    const auto start = std::chrono::steady_clock::now();
    scheduler.size = options.ranks;
    const Stacks stacks(options.ranks, stack, guards);
    std::vector<Rank> ranks(options.ranks);
    all_ranks = &ranks;
    {
        Program program(options);
        std::vector<Symbol> interposed; // by runner_rank: any function will do
        for (const std::string& name : replaced)
            interposed.push_back({name.c_str(), reinterpret_cast<void*>(&runner_rank)});
        program.add_interposition(interposed);
        watch_faults(&stacks);
        for (std::uint32_t r = 0; r < options.ranks; ++r) {
            ranks[r].index = r;
            Stack own = stacks[r];
            program.instantiate(ranks[r], own);
            ranks[r].context = Context(own, entry, &ranks[r]);
            scheduler.add(ranks[r], Time::zero());
        }
        const auto ready = std::chrono::steady_clock::now();
        while (!scheduler.ready.empty()) {
            const Event next = scheduler.ready.top();
            scheduler.ready.pop();
            scheduler.now = next.at;
            current = next.rank;
            program.restore(*current);
            Context::swap(scheduler.context, current->context);
            current = nullptr;
        }
        program.restore_streams();
        if (stats) {
            rusage use{};
            getrusage(RUSAGE_SELF, &use);
            const std::chrono::duration<double> load = ready - start;
            const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
            std::fprintf(stderr, "ranks %u: loaded in %.3f s, all in %.3f s, %ld MB, guarded %d\n",
                         options.ranks, load.count(), all.count(), use.ru_maxrss / 1024,
                         stacks.guarded() ? 1 : 0);
        }
        watch_faults(nullptr);
        ranks.clear();
    }
    return scheduler.worst;
}

} // namespace
} // namespace orrery::emulate

int main(int argc, char** argv) {
    try {
        return orrery::emulate::run(argc, argv);
    } catch (const orrery::UsageError& error) {
        std::fprintf(stderr, "runner: %s\n", error.what());
        return 2;
    } catch (const orrery::InputError& error) {
        std::fprintf(stderr, "runner: %s\n", error.what());
        return 3;
    }
}
