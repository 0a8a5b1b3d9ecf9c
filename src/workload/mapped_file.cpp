#include "workload/mapped_file.h"

#include "engine/error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orrery {

MappedFile::MappedFile(const std::string& path) {
    const auto fail = [&path](const std::string& what) { throw InputError(Error{path, 0, 0, what}); };
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) fail(std::string("cannot be opened: ") + std::strerror(errno));
    struct stat info {};
    if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
        ::close(descriptor);
        fail("is not a regular file, which this format needs");
    }
    length_ = static_cast<std::size_t>(info.st_size);
    void* const mapping =
        length_ == 0 ? nullptr : ::mmap(nullptr, length_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapping == MAP_FAILED) {
        const int reason = errno;
        ::close(descriptor);
        fail(std::string("cannot be mapped: ") + std::strerror(reason));
    }
    data_ = static_cast<const std::byte*>(mapping);
    watch_.emplace(path, descriptor, data_, length_);
}

void MappedFile::expect(Access access) const {
    if (data_ == nullptr) return;
    const int advice = access == Access::front_to_back    ? MADV_SEQUENTIAL
                       : access == Access::here_and_there ? MADV_RANDOM
                                                          : MADV_NORMAL;
    (void)::madvise(const_cast<std::byte*>(data_), length_, advice);
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), length_);
}

ReadBehind::ReadBehind(std::span<const std::byte> bytes, std::uint64_t from) : bytes_(bytes), done_(from) {}

void ReadBehind::drop(std::uint64_t offset) {
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const std::uint64_t from = (done_ + page - 1) / page * page;
    const std::uint64_t to = offset / page * page;
    if (from < to) ::madvise(const_cast<std::byte*>(bytes_.data()) + from, to - from, MADV_DONTNEED);
    done_ = to;
}

} // namespace orrery
