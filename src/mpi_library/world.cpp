#include "emulate/program/world.h"

#include "emulate/compute/compute.h"
#include "emulate/program/child.h"
#include "emulate/program/outside.h"
#include "mpi_library/engine.h"

#include <fmt/format.h>

namespace orrery::emulate::world {

namespace {

// The rank has come here from its own code, whose time counts up to now, or from within MPI (a callback).
class Visit {
  public:
    explicit Visit(const void* site) : from_program_(!self().in_call), site_(site) {
        if (from_program_) enter_call({site, 0});
    }
    ~Visit() {
        if (from_program_) leave_call(site_);
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

  private:
    bool from_program_;
    const void* site_; // the function of the C library that the program called
};

} // namespace

Time now() {
    if (child::here) return child::now();
    const Visit visit(__builtin_return_address(0));
    return engine().read_clock();
}
Time time() {
    if (child::here) return child::now();
    engine().pay_clock();
    return engine().now();
}
void sleep(Time duration) {
    if (child::here) return child::sleep(duration);
    const Visit visit(__builtin_return_address(0));
    engine().pay_clock();
    engine().sleep(duration);
}
void wait_forever(const char* call) {
    if (child::here) child::fail(1, fmt::format("its threads wait for each other in {}", call));
    engine().wait_forever(call);
}
void end_rank(int exit_code) {
    if (child::here) child::end(exit_code);
    if (!self().in_call) enter_call({reinterpret_cast<const void*>(&end_rank), 0});
    engine().end_rank(exit_code);
}
void abort(int exit_code, const std::string& words) {
    if (child::here) child::fail(exit_code, words);
    engine().abort(exit_code, words);
}
void forked() {
    child::start_clock(engine().now());
    outside::home = outside::nobody;
    running_compute = nullptr; // what a program says about its time goes unheard
}

} // namespace orrery::emulate::world
