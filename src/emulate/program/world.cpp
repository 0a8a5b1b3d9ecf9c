#include "emulate/program/world.h"

#include "emulate/compute/compute.h"
#include "emulate/engine.h"

namespace orrery::emulate::world {

namespace {

// The rank has come here from its own code, whose time counts up to now, or from within MPI (a callback).
class Visit {
  public:
    Visit() : from_program_(!self().in_call) {
        if (from_program_) enter_call();
    }
    ~Visit() {
        if (from_program_) leave_call();
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

  private:
    bool from_program_;
};

} // namespace

Time now() {
    const Visit visit;
    return engine().read_clock();
}
void sleep(Time duration) {
    const Visit visit;
    engine().sleep(duration);
}
void wait_forever(const char* call) { engine().wait_forever(call); }
void end_rank(int exit_code) {
    if (!self().in_call) enter_call();
    engine().end_rank(exit_code);
}
void abort(int exit_code, const std::string& words) { engine().abort(exit_code, words); }

} // namespace orrery::emulate::world
