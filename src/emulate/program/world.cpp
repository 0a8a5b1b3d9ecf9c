#include "emulate/program/world.h"

#include "emulate/engine.h"

namespace orrery::emulate::world {

Time now() { return engine().now(); }
void sleep(Time duration) { engine().sleep(duration); }
void end_rank(int exit_code) { engine().end_rank(exit_code); }
void abort(int exit_code, const std::string& words) { engine().abort(exit_code, words); }

} // namespace orrery::emulate::world
