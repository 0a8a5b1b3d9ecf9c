#include "emulate/program/program.h"
#include "engine/error.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orrery::emulate {

namespace {

// The entries of a search path, with $ORIGIN put in place.
std::vector<std::string> directories(const std::string& search_path, const std::string& origin) {
    std::vector<std::string> all;
    for (std::size_t from = 0; from < search_path.size();) {
        const std::size_t stop = std::min(search_path.find(':', from), search_path.size());
        std::string one = search_path.substr(from, stop - from);
        for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"})
            if (const auto at = one.find(word); at != std::string::npos) one.replace(at, word.size(), origin);
        if (!one.empty()) all.push_back(std::move(one));
        from = stop + 1;
    }
    return all;
}

} // namespace

ProgramFile::ProgramFile(const std::string& path)
    : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    const auto fail = [&](const std::string& reason) {
        if (descriptor_ >= 0) close(descriptor_);
        throw InputError(Error{path, 0, 0, reason});
    };
    if (descriptor_ < 0) fail(fmt::format("cannot open the program: {}", std::strerror(errno)));
    struct stat facts {};
    if (fstat(descriptor_, &facts) != 0 || !S_ISREG(facts.st_mode)) fail("not a regular file");
    if (facts.st_size == 0) fail("not a program (an empty file)");
    const auto size = static_cast<std::size_t>(facts.st_size);
    void* at = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor_, 0);
    if (at == MAP_FAILED) fail(fmt::format("cannot map the program: {}", std::strerror(errno)));
    bytes_ = {static_cast<const std::byte*>(at), size};
    try {
        image_ = parse_elf(bytes_, path_);
    } catch (...) {
        munmap(at, size);
        close(descriptor_);
        throw;
    }
}

ProgramFile::~ProgramFile() {
    munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    close(descriptor_);
}

void ProgramFile::load_libraries() const {
    const std::string origin = std::filesystem::absolute(path_).parent_path().string();
    const auto search = directories(image_.search_path, origin);
    for (const std::string& name : image_.needed) {
        if (name.starts_with("liborrery_mpi.so") || name.starts_with("ld-linux")) continue;
        void* handle = nullptr;
        for (std::size_t i = 0; handle == nullptr && i < search.size() && name.find('/') == std::string::npos;
             ++i)
            if (const std::string full = search[i] + "/" + name; std::filesystem::exists(full))
                handle = dlopen(full.c_str(), RTLD_NOW | RTLD_GLOBAL);
        if (handle == nullptr) handle = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
        if (handle == nullptr)
            throw InputError(Error{path_, 0, 0, fmt::format("cannot load a library it needs: {}", dlerror())});
    }
}

} // namespace orrery::emulate
