#include "emulate/program/world.h"

#include "emulate/compute/compute.h"
#include "emulate/engine.h"

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
    const Visit visit(__builtin_return_address(0));
    return engine().read_clock();
}
void sleep(Time duration) {
    const Visit visit(__builtin_return_address(0));
    engine().sleep(duration);
}
void wait_forever(const char* call) { engine().wait_forever(call); }
void end_rank(int exit_code) {
    if (!self().in_call) enter_call({reinterpret_cast<const void*>(&end_rank), 0});
    engine().end_rank(exit_code);
}
void abort(int exit_code, const std::string& words) { engine().abort(exit_code, words); }

} // namespace orrery::emulate::world
