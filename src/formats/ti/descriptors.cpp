#include "formats/ti/descriptors.h"

#include "engine/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace orrery::ti {

namespace {

constexpr std::size_t most_open = 8192;

// Half of what the process may open, so that enough are left for everybody else. If that is not enough, it asks
// for more: to open a file anew for each piece costs more than to read it.
std::size_t allowance(std::size_t files) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 64;
    const rlim_t wanted = std::min<rlim_t>(limit.rlim_max, 2 * std::min(files + 64, most_open));
    if (limit.rlim_cur < wanted) {
        const rlimit more{wanted, limit.rlim_max};
        if (::setrlimit(RLIMIT_NOFILE, &more) == 0) limit.rlim_cur = wanted;
    }
    return std::clamp<std::size_t>(limit.rlim_cur / 2, 4, most_open);
}

} // namespace

Descriptors::Descriptors(std::vector<std::string> paths)
    : paths_(std::move(paths)), place_(paths_.size(), closed), most_(allowance(paths_.size())) {}

Descriptors::~Descriptors() {
    for (const Open& open : open_) ::close(open.descriptor);
}

int Descriptors::descriptor_of(std::size_t file) {
    if (place_[file] != closed) return open_[place_[file]].descriptor;
    const int descriptor = ::open(paths_[file].c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) fail(file, "cannot be opened");
    std::size_t place = open_.size();
    if (place < most_) {
        open_.push_back({file, descriptor});
    } else {
        place = oldest_;
        oldest_ = (oldest_ + 1) % most_;
        ::close(open_[place].descriptor);
        place_[open_[place].file] = closed;
        open_[place] = {file, descriptor};
    }
    place_[file] = static_cast<std::uint16_t>(place);
    return descriptor;
}

std::size_t Descriptors::read(std::size_t file, std::uint64_t offset, char* to, std::size_t room) {
    const int descriptor = descriptor_of(file);
    std::size_t used = 0;
    while (used < room) {
        const ssize_t got = ::pread(descriptor, to + used, room - used, static_cast<off_t>(offset + used));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail(file, "cannot be read");
        if (got == 0) break;
        used += static_cast<std::size_t>(got);
    }
    return used;
}

void Descriptors::fail(std::size_t file, const char* what) const {
    throw InputError(Error{paths_[file], 0, 0, std::string(what) + ": " + std::strerror(errno)});
}

} // namespace orrery::ti
