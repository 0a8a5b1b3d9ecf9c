// A compact schedule that is run where it lies, without expanding it, must end or be refused.
#include "drivers/graph/schedule_driver.h"
#include "drivers/graph/simulate.h"
#include "formats/load_machine.h"
#include "mended_schedule.h"
#include "small_world.h"

using namespace orrery;

namespace {

constexpr std::uint32_t most_ranks = 64;
constexpr std::uint64_t most_operations = 5000;

// The first byte says what runs it.
void run(const Schedule& schedule, std::uint8_t how) {
    if (schedule.ranks() > most_ranks || schedule.operations() > most_operations) return;
    if (schedule.header().cpus > 64 || schedule.header().nics > 64) return;
    if (how % 3 == 0) {
        const Machine machine =
            machine_from_text("[host]\nspeed = '1Gf'\n[link]\nbandwidth = '1 GB/s'\nlatency = '1us'\n"
                              "[topology]\ntype = 'crossbar'\nhosts = 8\n",
                              "fuzz.toml");
        FlowNetwork network(*machine.platform, {});
        std::vector<HostId> hosts;
        for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) hosts.push_back({rank % 8});
        fuzzing::check_prediction(replay(schedule, *machine.platform, hosts, network, {}).base);
    } else {
        SimulationOptions options;
        options.loggops.rendezvous = how % 3 == 1 ? Rendezvous::sender_waits : Rendezvous::handshake;
        fuzzing::check_prediction(simulate(schedule, options));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::without_huge_pages();
    if (size == 0) return 0;
    const fuzzing::MendedBytes mended(data + 1, size - 1);
    try {
        run(Schedule::from_memory(mended.bytes(), "fuzz"), data[0]);
    } catch (const InputError&) {
    } catch (const SimulationError&) {
    }
    return 0;
}
