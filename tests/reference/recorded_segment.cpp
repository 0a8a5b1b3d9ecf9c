#include "reference/recorded_segment.h"

#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>

namespace orrery::reference {

namespace {

// A string of bytes, read from its front.
class Reader {
  public:
    explicit Reader(std::string bytes = {}) : bytes_(std::move(bytes)) {}

    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            if (at_ == bytes_.size() || shift > 63) throw std::runtime_error("a number is cut off");
            const auto byte = static_cast<unsigned char>(bytes_[at_++]);
            value += std::uint64_t{byte % 128U} << shift;
            if (byte < 128) return value;
        }
    }
    std::int64_t signed_varint() {
        const std::uint64_t value = varint();
        return value % 2 == 0 ? static_cast<std::int64_t>(value / 2)
                              : -1 - static_cast<std::int64_t>(value / 2);
    }
    std::uint32_t word() {
        std::uint32_t value = 0;
        std::memcpy(&value, take(4).data(), 4);
        return value;
    }
    std::string take(std::size_t n) {
        if (n > bytes_.size() - at_) throw std::runtime_error("bytes are missing");
        at_ += n;
        return bytes_.substr(at_ - n, n);
    }
    [[nodiscard]] bool done() const { return at_ == bytes_.size(); }

  private:
    std::string bytes_;
    std::size_t at_ = 0;
};

// A column of differences, expanded as a whole. Runs may be long: only as many as anybody could ask for.
class Differences {
  public:
    explicit Differences(Reader in, std::size_t most) {
        std::int64_t before = 0;
        while (!in.done()) {
            const std::int64_t value = in.signed_varint();
            std::uint64_t times = 1;
            if (value == before) times += in.varint();
            if (times > most) throw std::runtime_error("a run is longer than the segment");
            for (; times > 0; --times) all_.push_back(value);
            before = value;
        }
    }
    std::uint64_t next() { return static_cast<std::uint64_t>(all_.at(at_++)); }
    [[nodiscard]] bool done() const { return at_ == all_.size(); }

  private:
    std::vector<std::int64_t> all_;
    std::size_t at_ = 0;
};

enum Name {
    comm,
    peer,
    other,
    tag,
    request,
    element,
    bytes,
    more_bytes,
    volume,
    real,
    list,
    gap,
    duration,
    names
};

struct Shape {
    std::uint64_t kind = 0;
    std::uint64_t operation = 0;
    std::vector<int> fields;
};

// A value, how far it is from the one that it was compared with, and whether that one was as far from its own.
struct Value {
    std::uint64_t value = 0;
    std::int64_t step = 0;
    bool steady = false;
};

struct Done {
    std::optional<std::size_t> shape; // its number, if it has one
    Shape how;
    std::map<int, Value> values;
};

bool fits(std::int64_t step) { return step >= -2147483648LL && step <= 2147483647LL; }

} // namespace

std::vector<RecordedAction> read_recorded_segment(const std::string& payload) {
    Reader in(payload);
    const std::uint32_t actions = in.word();
    in.word(); // requests
    const bool timed = in.varint() == 1;
    in.varint(); // how far repeats reach: of use to those who save memory
    in.varint();
    std::uint64_t clock = timed ? static_cast<std::uint64_t>(in.signed_varint()) : 0;
    std::array<std::size_t, names + 3> sizes{};
    for (std::size_t& size : sizes) size = in.varint();
    Reader shape_codes(in.take(sizes[0]));
    std::vector<Differences> columns;
    for (std::size_t i = 1; i < sizes.size(); ++i)
        columns.emplace_back(Reader(in.take(sizes[i])), std::size_t{1} << 24);
    if (!in.done()) throw std::runtime_error("bytes are left");
    Differences& lengths = columns[names];
    Differences& elements = columns[names + 1];

    std::vector<Shape> shapes;
    std::vector<Done> done;
    std::vector<std::vector<Bytes>> lists; // number 1 first
    std::vector<RecordedAction> out;
    std::uint64_t repeat_left = 0;
    std::size_t distance = 0;
    for (std::uint32_t i = 0; i < actions; ++i) {
        Done now;
        const Done* like = nullptr;
        if (repeat_left == 0) {
            const std::uint64_t code = shape_codes.varint();
            distance = 0;
            if (code == 0) {
                now.how.kind = shape_codes.varint();
                now.how.operation = shape_codes.varint();
                const std::uint64_t mask = shape_codes.varint();
                for (int field = 0; field < names; ++field) {
                    if (field < gap ? (mask >> field) % 2 == 1 : timed) now.how.fields.push_back(field);
                }
                if (shapes.size() < 128) {
                    now.shape = shapes.size();
                    shapes.push_back(now.how);
                }
            } else if (code % 2 == 1) {
                now.shape = code / 2;
                now.how = shapes.at(code / 2);
            } else {
                distance = code / 2;
                repeat_left = shape_codes.varint() + 1;
            }
        }
        if (repeat_left > 0) {
            --repeat_left;
            like = &done.at(done.size() - distance);
            now.shape = like->shape.value();
            now.how = like->how;
        } else if (now.shape) { // the latest action of the same shape
            for (std::size_t k = done.size(); k > 0 && like == nullptr; --k) {
                if (done[k - 1].shape == now.shape) like = &done[k - 1];
            }
        }
        RecordedAction& result = out.emplace_back();
        std::array<std::uint64_t, names> all{};
        for (const int field : now.how.fields) {
            const Value compared = like == nullptr ? Value{} : like->values.at(field);
            const std::uint64_t expected =
                compared.value + (compared.steady ? static_cast<std::uint64_t>(compared.step) : 0);
            Value value;
            value.value = expected + columns[static_cast<std::size_t>(field)].next();
            const auto step = static_cast<std::int64_t>(value.value - compared.value);
            value.step = fits(step) ? step : 0;
            value.steady = fits(step) && step == compared.step;
            now.values[field] = value;
            all[static_cast<std::size_t>(field)] = value.value;
            if (field != list) continue;
            const std::uint64_t number = value.value;
            const bool afresh = number == ~std::uint64_t{0};
            if (number >= 1 && number <= lists.size()) {
                result.counts = lists[number - 1];
                continue;
            }
            std::vector<Bytes> base;
            if (!afresh && number != 0 && compared.value >= 1 && compared.value <= lists.size())
                base = lists[compared.value - 1];
            const std::size_t length = base.size() + lengths.next();
            Bytes before = 0;
            for (std::size_t k = 0; k < length; ++k) {
                before = (length == base.size() ? base[k] : before) + elements.next();
                result.counts.push_back(before);
            }
            if (afresh) lists.clear();
            if (number != 0) lists.push_back(result.counts);
            if (!afresh && number != 0 && number != lists.size()) throw std::runtime_error("no such list");
        }
        Action& action = result.action;
        action.kind = static_cast<ActionKind>(now.how.kind);
        action.collective = static_cast<Collective>(now.how.operation % 64);
        action.nonblocking = now.how.operation / 64 % 2 == 1;
        action.commutative = now.how.operation < 128;
        action.comm = static_cast<std::uint32_t>(all[comm]);
        action.peer = static_cast<std::uint32_t>(all[peer]);
        action.other = static_cast<std::uint32_t>(all[other]);
        action.tag = static_cast<std::uint32_t>(all[tag]);
        action.request = static_cast<std::uint32_t>(all[request]);
        action.element = static_cast<std::uint32_t>(all[element] + 1);
        action.bytes = all[bytes];
        action.more_bytes = all[more_bytes];
        action.volume = static_cast<double>(all[volume]) + std::bit_cast<double>(all[real]);
        if (all[real] != 0) action.volume = std::bit_cast<double>(all[real]);
        result.times.begin = static_cast<std::int64_t>(clock + all[gap]);
        clock += all[gap] + all[duration];
        result.times.end = static_cast<std::int64_t>(clock);
        done.push_back(std::move(now));
    }
    for (const Differences& column : columns) {
        if (!column.done()) throw std::runtime_error("a column holds more than the actions");
    }
    if (!shape_codes.done()) throw std::runtime_error("shapes are left");
    return out;
}

} // namespace orrery::reference
