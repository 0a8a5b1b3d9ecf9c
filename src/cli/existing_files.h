// What is replaced and what is kept, the same in every verb: a single output that the user names (a timeline, a
// table, a picture, a schedule) is replaced, as by any Unix tool. What was measured, recorded or imported is
// kept unless --force is given.
#pragma once

#include <string>

namespace orrery::cli {

// Throws UsageError if there is such a file and `force` is false. An empty path is none.
void refuse_existing(const std::string& path, bool force);

} // namespace orrery::cli
