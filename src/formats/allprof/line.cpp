#include "formats/allprof/line.h"

#include "engine/error.h"
#include "workload/op.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace orrery::allprof {

namespace {

template <typename Number> bool read_number(std::string_view text, Number& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc{} && end == text.data() + text.size();
}

// In messages, long fields are cut and what cannot be printed is replaced.
std::string shown(std::string_view text) {
    std::string out(text.substr(0, 40));
    for (char& c : out) {
        if (c < ' ' || c > '~') c = '?';
    }
    return text.size() <= 40 ? out : out.substr(0, 37) + "...";
}

bool read_time(std::string_view text, TimeStamp& out) {
    const std::size_t point = text.find('.');
    std::uint64_t us = 0;
    if (!read_number(text.substr(0, point), us) || us > std::uint64_t{1} << 62) return false;
    out = {static_cast<std::int64_t>(us), 0};
    if (point == std::string_view::npos) return true;
    const std::string_view decimals = text.substr(point + 1);
    std::int32_t digit_worth = 100'000;
    bool round_up = false;
    for (std::size_t i = 0; i < decimals.size(); ++i) {
        if (decimals[i] < '0' || decimals[i] > '9') return false;
        if (i == 6) round_up = decimals[i] >= '5';
        if (i < 6) out.ps += digit_worth * (decimals[i] - '0');
        digit_worth /= 10;
    }
    if (round_up && ++out.ps == 1'000'000) out = {out.us + 1, 0};
    return true;
}

} // namespace

bool elapsed(TimeStamp from, TimeStamp to, Time& out) {
    constexpr std::int64_t limit = (std::int64_t{1} << 62) / 1'000'000 - 1;
    const std::int64_t us = to.us - from.us;
    if (us > limit || us < -limit) return false;
    out = Time::ps(us * 1'000'000 + (to.ps - from.ps));
    return true;
}

void Line::parse(const std::string& file, std::uint64_t number, std::string_view text) {
    file_ = &file;
    number_ = number;
    text_ = text;
    fields_.clear();
    for (std::size_t begin = 0;;) {
        const std::size_t colon = text.find(':', begin);
        fields_.push_back(text.substr(begin, colon == std::string_view::npos ? colon : colon - begin));
        if (colon == std::string_view::npos) break;
        begin = colon + 1;
    }
    if (text.find("# backtrace [") != std::string_view::npos || text.find(":0x") != std::string_view::npos) {
        fail_call("this line was written by liballprof2, which leaves out the sizes of datatypes and the ranks "
                  "in communicators; trace with liballprof (version 1)");
    }
    if (!text.starts_with("MPI_")) {
        fail_call(fmt::format("'{}': expected a call such as MPI_Send:start:...:end", shown(text)));
    }
    if (fields_.size() < 3) fail_call(fmt::format("'{}': expected MPI_Function:start:...:end", shown(text)));
}

void Line::expect_arguments(std::size_t count) const {
    if (arguments() == count) return;
    fail_call(fmt::format("{} has {} arguments here, expected {}", name(), arguments(), count));
}

TimeStamp Line::time(std::size_t field) const {
    TimeStamp stamp;
    if (!read_time(fields_[field], stamp)) {
        fail_at(fields_[field], fmt::format("'{}': expected the {} time of the call in microseconds",
                                            shown(fields_[field]), field == 1 ? "start" : "end"));
    }
    return stamp;
}

std::int64_t Line::integer(std::size_t argument) const {
    const std::string_view field = fields_[argument + 2];
    std::int64_t value = 0;
    if (!read_number(field, value)) {
        fail_at(field,
                fmt::format("argument {} of {}: '{}' is not a number", argument + 1, name(), shown(field)));
    }
    return value;
}

std::uint64_t Line::address(std::size_t argument) const {
    const std::string_view field = fields_[argument + 2];
    std::uint64_t value = 0;
    if (read_number(field, value)) return value;
    return static_cast<std::uint64_t>(integer(argument)); // a handle of MPICH in Fortran may be negative
}

std::uint64_t Line::datatype_size(std::size_t argument) const {
    const std::string_view field = fields_[argument + 2];
    const std::size_t first = field.find(',');
    const std::size_t second = first == std::string_view::npos ? first : field.find(',', first + 1);
    std::uint64_t size = 0;
    if (second == std::string_view::npos || !read_number(field.substr(first + 1, second - first - 1), size)) {
        fail_at(field, fmt::format("argument {} of {}: '{}' is not a datatype (id,size,extent)", argument + 1,
                                   name(), shown(field)));
    }
    return size;
}

CommunicatorField Line::communicator(std::size_t argument) const {
    const std::string_view field = fields_[argument + 2];
    const std::size_t first = field.find(',');
    const std::size_t second = first == std::string_view::npos ? first : field.find(',', first + 1);
    CommunicatorField comm;
    std::int64_t negative = 0;
    bool good = second != std::string_view::npos &&
                read_number(field.substr(first + 1, second - first - 1), comm.rank) &&
                read_number(field.substr(second + 1), comm.size);
    if (good && !read_number(field.substr(0, first), comm.handle)) {
        good = read_number(field.substr(0, first), negative);
        comm.handle = static_cast<std::uint64_t>(negative);
    }
    if (!good) {
        fail_at(field, fmt::format("argument {} of {}: '{}' is not a communicator (handle,rank,size)",
                                   argument + 1, name(), shown(field)));
    }
    if (comm.rank >= comm.size) {
        fail_at(field, fmt::format("rank {} in a communicator of {} ranks", comm.rank, comm.size));
    }
    return comm;
}

void Line::counts(std::size_t argument, std::size_t count, std::vector<std::uint64_t>& out) const {
    const std::string_view field = fields_[argument + 2];
    out.clear();
    for (std::size_t begin = 0; begin <= field.size();) {
        const std::size_t comma = std::min(field.find(',', begin), field.size());
        std::uint64_t value = 0;
        if (!read_number(field.substr(begin, comma - begin), value)) {
            fail_at(field.substr(begin), fmt::format("argument {} of {}: '{}' is not a count", argument + 1,
                                                     name(), shown(field.substr(begin, comma - begin))));
        }
        out.push_back(value);
        begin = comma + 1;
    }
    if (out.size() != count) {
        fail_at(field, fmt::format("argument {} of {}: {} counts for a communicator of {} ranks", argument + 1,
                                   name(), out.size(), count));
    }
}

std::uint64_t Line::bytes(std::size_t count_argument, std::size_t datatype_argument) const {
    const std::int64_t count = integer(count_argument);
    if (count < 0) fail(count_argument, fmt::format("a negative count, {}", count));
    const std::uint64_t size = datatype_size(datatype_argument);
    if (size != 0 && static_cast<std::uint64_t>(count) > max_op_size / size) {
        fail(count_argument, fmt::format("{} elements of {} bytes are too many", count, size));
    }
    return static_cast<std::uint64_t>(count) * size;
}

void Line::fail_call(const std::string& reason) const { fail_at(text_, reason); }

void Line::fail(std::size_t argument, const std::string& reason) const {
    fail_at(fields_[argument + 2], reason);
}

void Line::fail_at(std::string_view where, const std::string& reason) const {
    throw InputError(
        Error{*file_, number_, static_cast<std::uint64_t>(where.data() - text_.data()) + 1, reason});
}

} // namespace orrery::allprof
