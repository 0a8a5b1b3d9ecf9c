// A Paraver trace (.prv, .prv.gz), read from front to back: its header, then record after record.
#pragma once

#include "formats/dimemas/dim_file.h"
#include "formats/ti/byte_stream.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::dimemas {

struct PrvHeader {
    double unit = 1e-9;                 // seconds
    std::vector<std::uint32_t> threads; // of each task of the application
    std::vector<DimCommunicator> communicators;
    // Threads are counted through all tasks.
    std::vector<std::uint32_t> first_thread; // of each task; behind them the number of all
};

// Times are in the unit of the header. Threads are counted through all tasks.
struct PrvRecord {
    enum class Kind : std::uint8_t { state, events, message } kind = Kind::state;
    std::uint32_t thread = 0;
    std::int64_t time = 0; // of a message: when its send was called
    std::int64_t end = 0;  // of a state
    std::uint64_t state = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> events; // types and values
    std::uint32_t to_thread = 0;
    std::int64_t receive_called = 0;
    std::int64_t received = 0;
    Bytes bytes = 0;
    std::int64_t tag = 0;
};

class PrvFile {
  public:
    // Reads the header. Throws InputError.
    explicit PrvFile(const std::string& path);

    [[nodiscard]] const PrvHeader& header() const { return header_; }
    bool next(PrvRecord& record); // false at the end
    [[noreturn]] void fail(const std::string& reason) const;

  private:
    bool next_line(std::string_view& line);
    void read_header(std::string_view line);
    void read_communicator(std::string_view line);
    void read_message(std::span<const std::int64_t> fields, PrvRecord& record);
    [[nodiscard]] std::uint32_t thread_of(std::int64_t application, std::int64_t task,
                                          std::int64_t thread) const;

    std::string path_;
    std::unique_ptr<ti::ByteStream> stream_;
    std::string buffer_;
    std::size_t at_ = 0;
    bool ended_ = false;
    std::uint64_t line_ = 0;
    std::string kept_; // the first line behind the communicators
    bool holds_ = false;
    std::vector<std::int64_t> fields_;
    PrvHeader header_;
};

bool looks_like_prv(const std::string& path);

} // namespace orrery::dimemas
