#include "cli/existing_files.h"

#include "engine/error.h"

#include <filesystem>
#include <fmt/format.h>

namespace orrery::cli {

void refuse_existing(const std::string& path, bool force) {
    std::error_code none;
    if (force || path.empty() || !std::filesystem::is_regular_file(path, none)) return;
    throw UsageError(fmt::format("{} is there already; --force replaces it", path));
}

} // namespace orrery::cli
