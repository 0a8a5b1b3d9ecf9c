#include "formats/ti/line_input.h"

#include "formats/ti/descriptors.h"
#include "formats/ti/line_reader.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace orrery::ti {

namespace {

constexpr std::size_t glance = 16384; // bytes that ahead() gives

std::uint64_t count_lines(const char* text, std::size_t bytes) {
    return static_cast<std::uint64_t>(std::count(text, text + bytes, '\n'));
}

// Plain files. Nothing is kept of a rank but where it stands: a piece is read by one system call into a buffer
// that all ranks share.
class FileLines : public LineInput {
  public:
    FileLines(std::vector<std::string> paths, std::uint32_t ranks, const MergedIndex* index)
        : files_(std::move(paths)), index_(index), places_(ranks), piece_(piece_bytes(ranks)),
          buffer_(piece_ + 1) {
        for (std::uint32_t rank = 0; rank < ranks && index_ != nullptr; ++rank) enter(rank, 0);
    }

    Lines next(std::uint32_t rank) override {
        Place& place = places_[rank];
        if (index_ != nullptr && place.offset >= place.end) {
            if (place.extent + 1 >= index_->of(rank).size()) return {};
            enter(rank, place.extent + 1);
        }
        std::size_t got = read(rank, place);
        if (got == 0) return {};
        const std::size_t whole = whole_lines(got, rank, place);
        start_ = place.offset;
        const char* const begin = buffer_.data();
        const Lines lines{begin, begin + whole, place.line, count_lines(begin, whole), whole > got};
        place.line += lines.count;
        place.offset += std::min(whole, got);
        return lines;
    }

    void put_back(std::uint32_t rank, const char* from, std::uint64_t line) override {
        places_[rank].offset = start_ + static_cast<std::uint64_t>(from - buffer_.data());
        places_[rank].line = line;
    }

    std::string_view ahead(std::uint32_t rank, const char* from) override {
        const std::uint64_t offset = start_ + static_cast<std::uint64_t>(from - buffer_.data());
        glance_.resize(glance);
        return {glance_.data(), files_.read(file_of(rank), offset, glance_.data(), glance)};
    }

  private:
    struct Place {
        std::uint64_t offset = 0;
        std::uint64_t line = 1;
        std::uint64_t end = 0;    // of the extent
        std::uint32_t extent = 0; // which of the rank's
    };

    [[nodiscard]] std::size_t file_of(std::uint32_t rank) const { return files_.size() == 1 ? 0 : rank; }

    void enter(std::uint32_t rank, std::uint32_t extent) {
        const Extent& part = index_->of(rank)[extent];
        places_[rank] = {part.offset, part.line, part.offset + part.bytes, extent};
    }

    std::size_t room(const Place& place) const {
        return index_ == nullptr ? buffer_.size() - 1
                                 : static_cast<std::size_t>(
                                       std::min<std::uint64_t>(buffer_.size() - 1, place.end - place.offset));
    }
    std::size_t read(std::uint32_t rank, const Place& place) {
        return files_.read(file_of(rank), place.offset, buffer_.data(), room(place));
    }

    // Of the `got` bytes in the buffer, those of whole lines. One more if the last line of the file has no
    // '\n'.
    std::size_t whole_lines(std::size_t& got, std::uint32_t rank, const Place& place) {
        while (true) {
            if (const void* const last = ::memrchr(buffer_.data(), '\n', got))
                return static_cast<std::size_t>(static_cast<const char*>(last) - buffer_.data()) + 1;
            if (got < room(place) ||
                (index_ != nullptr && place.offset + got >= place.end)) { // the end of the file
                buffer_[got] = '\n';
                return got + 1;
            }
            if (got > longest_line) refuse_long_line(files_.path(file_of(rank)), place.line);
            buffer_.resize(2 * buffer_.size());
            got = read(rank, place);
        }
    }

    Descriptors files_;
    const MergedIndex* index_;
    std::vector<Place> places_;
    std::size_t piece_;
    std::vector<char> buffer_; // one byte more than is read
    std::uint64_t start_ = 0;  // where the buffer's first byte is in the file
    std::vector<char> glance_;
};

// Compressed files: each keeps its own buffer and the state of its unpacking.
class PackedLines : public LineInput {
  public:
    explicit PackedLines(const std::vector<std::string>& paths)
        : piece_(piece_bytes(static_cast<std::uint32_t>(paths.size()))) {
        for (const std::string& path : paths) {
            Reader& reader = readers_.emplace_back();
            reader.path = path;
            reader.stream = ByteStream::open(path);
        }
    }

    Lines next(std::uint32_t rank) override {
        Reader& reader = readers_[rank];
        std::size_t whole = reader.whole_lines(piece_);
        if (whole == 0) {
            reader.fill();
            whole = reader.whole_lines(piece_);
        }
        const char* const begin = reader.text.data() + reader.at;
        const Lines lines{begin, begin + whole, reader.line, count_lines(begin, whole), reader.cut_off};
        reader.line += lines.count;
        reader.at += whole;
        return lines;
    }
    void put_back(std::uint32_t rank, const char* from, std::uint64_t line) override {
        readers_[rank].at = static_cast<std::size_t>(from - readers_[rank].text.data());
        readers_[rank].line = line;
    }
    std::string_view ahead(std::uint32_t rank, const char* from) override {
        const Reader& reader = readers_[rank];
        return {from, static_cast<std::size_t>(reader.text.data() + reader.used - from)};
    }

  private:
    struct Reader {
        std::string path;
        std::unique_ptr<ByteStream> stream;
        std::vector<char> text = std::vector<char>(std::size_t{32} << 10);
        std::size_t at = 0;   // what comes next
        std::size_t used = 0; // of `text`
        std::uint64_t line = 1;
        bool cut_off = false;

        // Bytes of whole lines from `at` on, about `most` of them.
        [[nodiscard]] std::size_t whole_lines(std::size_t most) const {
            const char* const from = text.data() + at;
            const std::size_t there = used - at;
            const void* last = ::memrchr(from, '\n', std::min(most, there));
            if (last == nullptr) last = std::memchr(from, '\n', there);
            return last == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(last) - from) + 1;
        }

        // Until there is a whole line, or nothing is left.
        void fill() {
            std::memmove(text.data(), text.data() + at, used - at);
            used -= at;
            at = 0;
            while (stream && std::memchr(text.data(), '\n', used) == nullptr) {
                if (used + 1 >= text.size()) {
                    if (used > longest_line) refuse_long_line(path, line);
                    text.resize(2 * text.size());
                }
                const std::size_t got = stream->read(text.data() + used, text.size() - 1 - used);
                used += got;
                if (got > 0) continue;
                stream.reset();
                if (used > 0) text[used++] = '\n';
                cut_off = used > 0;
            }
        }
    };
    std::vector<Reader> readers_;
    std::size_t piece_;
};

} // namespace

std::size_t piece_bytes(std::uint32_t ranks) {
    // A line of 20 bytes becomes an action of 72.
    constexpr std::size_t all_ranks = std::size_t{4} << 20;
    return std::clamp<std::size_t>(all_ranks / ranks, 256, 4096);
}

std::unique_ptr<LineInput> read_rank_files(const std::vector<std::string>& paths) {
    return std::make_unique<FileLines>(paths, static_cast<std::uint32_t>(paths.size()), nullptr);
}
std::unique_ptr<LineInput> read_packed_files(const std::vector<std::string>& paths) {
    return std::make_unique<PackedLines>(paths);
}
std::unique_ptr<LineInput> read_merged_file(const std::string& path, const MergedIndex& index) {
    return std::make_unique<FileLines>(std::vector{path}, index.ranks, &index);
}
std::unique_ptr<LineInput> read_shared_file(const std::string& path, std::uint32_t ranks) {
    return std::make_unique<FileLines>(std::vector{path}, ranks, nullptr);
}

} // namespace orrery::ti
