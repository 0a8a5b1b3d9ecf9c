// Orrery as a library: make or load a workload, simulate it, get a prediction.
//
//     #include <orrery/orrery.h>
//
//     auto workload = orrery::api::Workload::pattern("dissemination", 1024, 8);
//     auto prediction = orrery::api::simulate(workload, "L=2500ns o=1500ns g=1000ns G=6ns/B");
//     std::cout << prediction.seconds() << '\n';
//
// All times are integers in picoseconds (1e-12 s): the same input gives the same numbers, bit for bit.
// Everything here is a value; two simulations may run at once in two threads. Functions throw
// orrery::api::Error. The parameters L, o, g, G, O and S are explained in docs/loggops.md.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define ORRERY_PUBLIC __attribute__((visibility("default")))

namespace orrery::api {

// What went wrong; the numbers are the exit codes of the program `orrery`.
enum class Fault : std::uint8_t {
    simulation = 1, // the simulated application cannot finish: a deadlock, a message that nobody receives
    usage = 2,      // an argument makes no sense, such as an unknown pattern or parameter
    input = 3,      // a file or a workload is faulty; file() and line() say where
};

class ORRERY_PUBLIC Error : public std::runtime_error {
  public:
    Error(Fault fault, const std::string& words, std::string file = {}, std::uint64_t line = 0,
          std::uint64_t column = 0);
    Error(const Error&);
    ~Error() override;

    [[nodiscard]] Fault fault() const;
    [[nodiscard]] const std::string& file() const; // empty if the fault is not in a file
    [[nodiscard]] std::uint64_t line() const;      // counted from 1; 0 if unknown
    [[nodiscard]] std::uint64_t column() const;    // counted from 1; 0 if unknown

  private:
    Fault fault_;
    std::uint64_t line_;
    std::uint64_t column_;
    std::string file_;
};

// Where the CPU time of one rank went.
struct RankTimes {
    std::int64_t finish_ps = 0;   // when its last operation ended
    std::int64_t compute_ps = 0;  // computing
    std::int64_t overhead_ps = 0; // sending and receiving
    std::int64_t noise_ps = 0;    // taken by injected operating-system noise
    std::int64_t waiting_ps = 0;  // waiting for messages
};

struct Prediction {
    std::int64_t time_ps = 0;        // when the last rank finishes
    std::uint32_t critical_rank = 0; // the first rank that finishes then
    std::uint64_t operations = 0;    // sends, receives and computations
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;       // carried by all messages
    double simulation_seconds = 0; // what the simulation itself took
    std::vector<RankTimes> ranks;

    [[nodiscard]] double seconds() const { return static_cast<double>(time_ps) * 1e-12; }
};

// What each rank does: its sends, receives and computations and the order among them. A copy costs nothing.
class ORRERY_PUBLIC Workload {
  public:
    // From a schedule or trace file of any format that `orrery replay` reads. The file is mapped, so it must
    // stay.
    static Workload load(const std::string& path);
    // One of the patterns that `orrery generate` knows, such as "dissemination"; `bytes` is the size of each
    // message.
    static Workload pattern(const std::string& name, std::uint32_t ranks, std::uint64_t bytes);

    [[nodiscard]] std::uint32_t ranks() const;
    [[nodiscard]] std::uint64_t operations() const;

  private:
    friend class Builder;
    friend ORRERY_PUBLIC Prediction simulate(const Workload& workload, const std::string& loggops);
    struct Parts;
    explicit Workload(std::shared_ptr<const Parts> parts);
    std::shared_ptr<const Parts> parts_;
};

inline constexpr std::uint32_t any = 0xFFFF'FFFF; // a receive from any rank, or of any tag

// A workload made by hand, operation by operation. Each call that adds one returns its number within its rank.
class ORRERY_PUBLIC Builder {
  public:
    explicit Builder(std::uint32_t ranks);
    Builder(Builder&&) noexcept;
    Builder& operator=(Builder&&) noexcept;
    ~Builder();

    std::uint32_t send(std::uint32_t rank, std::uint32_t to, std::uint64_t bytes, std::uint32_t tag = 0);
    std::uint32_t recv(std::uint32_t rank, std::uint32_t from, std::uint64_t bytes, std::uint32_t tag = 0);
    std::uint32_t compute(std::uint32_t rank, std::uint64_t picoseconds);
    // On `rank`, operation `after` starts only when `before` has ended. Without this, operations do not wait
    // for each other.
    void require(std::uint32_t rank, std::uint32_t after, std::uint32_t before);

    [[nodiscard]] Workload build() const; // checks it: throws Error for a cycle or a rank out of range

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// Simulates `workload` in the LogGOPS model. `loggops` sets any of its parameters, as `orrery replay --loggops`
// does: "L=2500ns o=1500ns g=4000ns G=6ns/B O=8ns/B S=65535B"; what it leaves out keeps the program's default.
ORRERY_PUBLIC Prediction simulate(const Workload& workload, const std::string& loggops = {});

ORRERY_PUBLIC std::vector<std::string> patterns(); // the names that Workload::pattern knows
ORRERY_PUBLIC std::string version();               // such as "0.1.0"

} // namespace orrery::api
