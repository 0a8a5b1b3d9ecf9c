#include "formats/ti/byte_stream.h"

#include "engine/error.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>
#include <zlib.h>
#include <zstd.h>

namespace orrery::ti {

namespace {

class File {
  public:
    explicit File(const std::string& path)
        : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (descriptor_ < 0) fail(std::string("cannot be opened: ") + std::strerror(errno));
        struct stat info {};
        if (::fstat(descriptor_, &info) == 0 && S_ISDIR(info.st_mode)) {
            ::close(descriptor_);
            fail("is a directory; expected a file");
        }
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    File(File&& other) noexcept
        : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
    ~File() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }

    std::size_t read(char* to, std::size_t room) {
        ssize_t got = 0;
        do got = ::read(descriptor_, to, room);
        while (got < 0 && errno == EINTR);
        if (got < 0) fail(std::string("cannot be read: ") + std::strerror(errno));
        return static_cast<std::size_t>(got);
    }
    [[noreturn]] void fail(const std::string& reason) const { throw InputError(Error{path_, 0, 0, reason}); }

  private:
    std::string path_;
    int descriptor_;
};

constexpr std::size_t packed_room = 16384;

class PlainStream : public ByteStream {
  public:
    PlainStream(File file, std::string_view begun) : file_(std::move(file)), begun_(begun) {}
    std::size_t read(char* to, std::size_t room) override {
        if (at_ == begun_.size()) return file_.read(to, room);
        const std::size_t n = std::min(room, begun_.size() - at_);
        std::memcpy(to, begun_.data() + at_, n);
        at_ += n;
        return n;
    }

  private:
    File file_;
    std::string begun_; // what was read to look at it
    std::size_t at_ = 0;
};

// One or more members, as gzip and pigz write them.
class GzipStream : public ByteStream {
  public:
    GzipStream(File file, std::string_view begun) : file_(std::move(file)), packed_(packed_room) {
        std::memcpy(packed_.data(), begun.data(), begun.size());
        state_.next_in = packed_.data();
        state_.avail_in = static_cast<uInt>(begun.size());
        if (::inflateInit2(&state_, 15 + 16) != Z_OK) file_.fail("cannot be unpacked: no memory for zlib");
    }
    ~GzipStream() override { ::inflateEnd(&state_); }
    GzipStream(const GzipStream&) = delete;
    GzipStream& operator=(const GzipStream&) = delete;

    std::size_t read(char* to, std::size_t room) override {
        state_.next_out = reinterpret_cast<Bytef*>(to);
        state_.avail_out = static_cast<uInt>(std::min<std::size_t>(room, 1U << 30));
        const uInt wanted = state_.avail_out;
        while (state_.avail_out == wanted) {
            if (state_.avail_in == 0) {
                const std::size_t got = file_.read(reinterpret_cast<char*>(packed_.data()), packed_.size());
                if (got == 0) {
                    if (between_members_) return 0;
                    file_.fail("the gzip data end too early: the file has been cut off");
                }
                state_.next_in = packed_.data();
                state_.avail_in = static_cast<uInt>(got);
            }
            if (between_members_) {
                if (*state_.next_in == 0) { // padding
                    ++state_.next_in;
                    --state_.avail_in;
                    continue;
                }
                ::inflateReset(&state_);
                between_members_ = false;
            }
            const int result = ::inflate(&state_, Z_NO_FLUSH);
            if (result == Z_STREAM_END) {
                between_members_ = true;
            } else if (result != Z_OK && result != Z_BUF_ERROR) {
                file_.fail(std::string("cannot be unpacked (gzip): ") + (state_.msg ? state_.msg : "damaged"));
            }
        }
        return wanted - state_.avail_out;
    }

  private:
    File file_;
    std::vector<Bytef> packed_;
    z_stream state_{};
    bool between_members_ = false;
};

class ZstdStream : public ByteStream {
  public:
    ZstdStream(File file, std::string_view begun)
        : file_(std::move(file)), packed_(begun), state_(::ZSTD_createDStream()) {
        if (state_ == nullptr) file_.fail("cannot be unpacked: no memory for zstd");
        packed_.resize(std::max(packed_.size(), packed_room));
        input_ = {packed_.data(), begun.size(), 0};
    }
    ~ZstdStream() override { ::ZSTD_freeDStream(state_); }
    ZstdStream(const ZstdStream&) = delete;
    ZstdStream& operator=(const ZstdStream&) = delete;

    std::size_t read(char* to, std::size_t room) override {
        ZSTD_outBuffer output{to, room, 0};
        while (output.pos == 0) {
            if (input_.pos == input_.size && !more_to_flush_) {
                input_ = {packed_.data(), file_.read(packed_.data(), packed_.size()), 0};
                if (input_.size == 0) {
                    if (frame_done_) return 0;
                    file_.fail("the zstd data end too early: the file has been cut off");
                }
            }
            const std::size_t result = ::ZSTD_decompressStream(state_, &output, &input_);
            if (::ZSTD_isError(result))
                file_.fail(std::string("cannot be unpacked (zstd): ") + ::ZSTD_getErrorName(result));
            frame_done_ = result == 0;
            more_to_flush_ = output.pos == output.size;
        }
        return output.pos;
    }

  private:
    File file_;
    std::string packed_;
    ZSTD_DStream* state_;
    ZSTD_inBuffer input_{};
    bool frame_done_ = false;
    bool more_to_flush_ = false;
};

} // namespace

Packing packing_of(std::string_view first_bytes) {
    if (first_bytes.starts_with("\x1F\x8B")) return Packing::gzip;
    if (first_bytes.starts_with("\x28\xB5\x2F\xFD")) return Packing::zstd;
    return Packing::plain;
}

std::unique_ptr<ByteStream> ByteStream::open(const std::string& path) {
    File file(path);
    std::array<char, 4> begun{};
    std::size_t used = 0;
    while (used < begun.size()) {
        const std::size_t got = file.read(begun.data() + used, begun.size() - used);
        if (got == 0) break;
        used += got;
    }
    const std::string_view first(begun.data(), used);
    switch (packing_of(first)) {
    case Packing::gzip: return std::make_unique<GzipStream>(std::move(file), first);
    case Packing::zstd: return std::make_unique<ZstdStream>(std::move(file), first);
    case Packing::plain: break;
    }
    return std::make_unique<PlainStream>(std::move(file), first);
}

std::string first_bytes(const std::string& path, std::size_t most) {
    const std::unique_ptr<ByteStream> stream = ByteStream::open(path);
    std::string bytes(most, '\0');
    std::size_t used = 0;
    while (used < most) {
        const std::size_t got = stream->read(bytes.data() + used, most - used);
        if (got == 0) break;
        used += got;
    }
    bytes.resize(used);
    return bytes;
}

Packing packing_of_file(const std::string& path) {
    File file(path);
    std::array<char, 4> begun{};
    return packing_of({begun.data(), file.read(begun.data(), begun.size())});
}

} // namespace orrery::ti
