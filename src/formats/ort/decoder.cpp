#include "formats/ort/decoder.h"

#include "engine/error.h"
#include "formats/ort/layout.h"
#include "formats/ort/shape.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace orrery::recorded {

namespace {

constexpr std::size_t enough_counts = 4096; // in a window
constexpr std::uint64_t longest_list = std::uint64_t{1} << 22;

} // namespace

void fail_in(const BlockPlace& place, const std::string& what) {
    throw InputError(Error{*place.file, 0, 0,
                           fmt::format("block {} of rank {}, at byte {}, is damaged: {}", place.number,
                                       place.rank, place.offset, what)});
}

void SegmentDecoder::fail(const char* what) const { fail_in(place_, what); }

std::uint64_t SegmentDecoder::number(std::size_t column) {
    std::uint64_t value = 0;
    if (!column_[column].number(value)) fail("a column ends too early");
    return value;
}

std::uint64_t SegmentDecoder::difference(std::size_t column) {
    std::uint64_t value = 0;
    if (!column_[column].difference(value)) fail("a column ends too early");
    return value;
}

void SegmentDecoder::begin(std::span<const std::uint8_t> payload, const BlockPlace& place) {
    place_ = place;
    SegmentHead head;
    if (payload.size() < sizeof head) fail("its head is cut off");
    std::memcpy(&head, payload.data(), sizeof head);
    const std::uint8_t* at = payload.data() + sizeof head;
    const std::uint8_t* const end = payload.data() + payload.size();
    const auto next = [&](std::uint64_t most) {
        std::uint64_t value = 0;
        if (!read_varint(at, end, value)) fail("its head is cut off");
        if (value > most) fail("its head holds a number that is too large");
        return value;
    };
    if (head.actions == 0 || head.actions > most_segment_actions) fail("it has no actions, or too many");
    timed_ = next(flag_timed) != 0;
    far_actions_ = static_cast<std::uint32_t>(next(most_distance));
    far_slots_ = static_cast<std::uint32_t>(next(most_field_reach));
    clock_ = timed_ ? unzigzag(next(~std::uint64_t{0})) : 0;
    std::array<std::uint64_t, columns> bytes{};
    for (std::uint64_t& each : bytes) each = next(payload.size());
    for (std::size_t i = 0; i < columns; ++i) {
        if (bytes[i] > static_cast<std::uint64_t>(end - at)) fail("its columns are longer than it is");
        column_[i] = ColumnReader(at, at + bytes[i]);
        at += bytes[i];
    }
    if (at != end) fail("it is longer than its columns");

    at_ = 0;
    left_ = head.actions;
    repeat_ = 0;
    shapes_.clear();
    latest_.clear();
    slot_ = 0;
    const std::uint32_t ring = far_actions_ == 0 ? 0 : std::bit_ceil(far_actions_);
    shape_ring_.resize(ring);
    starts_.resize(ring);
    slots_.resize(far_actions_ == 0 ? 0 : std::bit_ceil(std::max(far_slots_, 1U)));
    lists_.clear();
    shown_.clear();
}

std::uint8_t SegmentDecoder::new_shape() {
    const std::uint64_t kind = number(shape_column);
    const std::uint64_t operation = number(shape_column);
    const std::uint64_t mask = number(shape_column);
    if (kind >= action_kinds) fail("an action of an unknown kind");
    if (operation > 255 || (operation & 63) >= collective_count) fail("an unknown collective operation");
    if (mask >> shape_fields != 0) fail("an action with unknown fields");
    const bool numbered = shapes_.size() < most_shapes;
    Shape& shape = numbered ? shapes_.emplace_back() : passing_;
    shape = {};
    shape.like.kind = static_cast<ActionKind>(kind);
    shape.like.collective = static_cast<Collective>(operation & 63);
    shape.like.nonblocking = (operation & flag_nonblocking) != 0;
    shape.like.commutative = (operation & flag_ordered) == 0;
    for (std::uint8_t i = 0; i < fields; ++i) {
        if (i < shape_fields ? (mask >> i & 1U) != 0 : timed_) shape.field[shape.count++] = i;
    }
    if (!numbered) return unknown;
    shape.first = static_cast<std::uint32_t>(latest_.size());
    latest_.resize(latest_.size() + shape.count);
    return static_cast<std::uint8_t>(shapes_.size() - 1);
}

// Of the next action. `distance_` is 0 if it is not part of a repeat.
std::uint8_t SegmentDecoder::next_shape() {
    if (repeat_ == 0) {
        distance_ = 0;
        const std::uint64_t code = number(shape_column);
        if (code == code_new_shape) return new_shape();
        if (code % 2 != 0) {
            if (code / 2 >= shapes_.size()) fail("an action has a shape that is not there");
            return static_cast<std::uint8_t>(code / 2);
        }
        if (code / 2 > std::min(at_, far_actions_)) fail("a repeat goes back too far");
        distance_ = static_cast<std::uint32_t>(code / 2);
        const std::uint64_t more = number(shape_column);
        if (more >= left_) fail("a repeat is longer than the segment");
        repeat_ = static_cast<std::uint32_t>(more) + 1;
    }
    --repeat_;
    const std::uint8_t shape = shape_ring_[(at_ - distance_) & (shape_ring_.size() - 1)];
    if (shape == unknown) fail("an action repeats one whose shape has no number");
    return shape;
}

void SegmentDecoder::set_field(Field field, std::uint64_t value, Action& action) const {
    const auto small = static_cast<std::uint32_t>(value);
    switch (field) {
    case Field::bytes: action.bytes = value; return;
    case Field::more_bytes: action.more_bytes = value; return;
    case Field::volume:
        if (value >= static_cast<std::uint64_t>(largest_whole)) fail("a volume is out of range");
        action.volume = static_cast<double>(value);
        return;
    case Field::real:
        action.volume = std::bit_cast<double>(value);
        if (!(action.volume >= 0) || !std::isfinite(action.volume))
            fail("a volume is not a number, or negative");
        return;
    default: break;
    }
    if (widened(small) != value) fail("a number is too large");
    switch (field) {
    case Field::comm: action.comm = small; return;
    case Field::peer: action.peer = small; return;
    case Field::other: action.other = small; return;
    case Field::tag: action.tag = small; return;
    case Field::request: action.request = small; return;
    default: action.element = small + 1U; return;
    }
}

void SegmentDecoder::read_list(std::uint64_t like, std::vector<Bytes>& out) {
    const bool known = like >= 1 && like <= lists_.known();
    const std::span<const Bytes> base = known ? lists_.list(like) : std::span<const Bytes>{};
    const std::uint64_t length = base.size() + difference(length_column);
    if (length == 0 || length > longest_list) fail("a list has no elements, or too many");
    const bool alike = length == base.size();
    Bytes before = 0;
    for (std::uint64_t i = 0; i < length; ++i) {
        before = (alike ? base[i] : before) + difference(element_column);
        out.push_back(before);
    }
}

void SegmentDecoder::take_list(std::uint64_t number, std::uint64_t like, Action& action, Window& out) {
    action.first_count = static_cast<std::uint32_t>(out.counts.size());
    if (number == list_passing) {
        read_list(0, out.counts);
        action.counts = static_cast<std::uint32_t>(out.counts.size() - action.first_count);
        return;
    }
    if (number == list_afresh || number == lists_.known() + std::uint64_t{1}) {
        scratch_.clear();
        read_list(number == list_afresh ? 0 : like, scratch_);
        if (number == list_afresh) {
            lists_.clear();
            shown_.clear();
        }
        if (!lists_.has_room(scratch_.size())) fail("too many lists are to be remembered");
        lists_.add(scratch_);
        shown_.emplace_back();
        number = lists_.known();
    }
    if (number > lists_.known()) fail("an action has a list that is not there");
    const std::span<const Bytes> list = lists_.list(number);
    Shown& shown = shown_[number - 1];
    if (shown.window != window_) {
        shown = {window_, action.first_count};
        out.counts.insert(out.counts.end(), list.begin(), list.end());
    }
    action.first_count = shown.first;
    action.counts = static_cast<std::uint32_t>(list.size());
}

void SegmentDecoder::remember(std::uint8_t shape, std::uint32_t count) {
    if (!shape_ring_.empty()) {
        shape_ring_[at_ & (shape_ring_.size() - 1)] = shape;
        starts_[at_ & (starts_.size() - 1)] = slot_;
    }
    slot_ += count;
    ++at_;
}

void SegmentDecoder::decode(std::size_t most, const ti::ActionLimits& limits, std::uint64_t& line,
                            bool with_times, Window& out) {
    ++window_;
    for (; most > 0 && left_ > 0 && out.counts.size() <= enough_counts; --most) {
        const std::uint8_t shape_number = next_shape();
        const Shape& shape = shape_number == unknown ? passing_ : shapes_[shape_number];
        Action& action = out.actions.emplace_back(shape.like);
        std::uint32_t start = 0;
        if (distance_ != 0) {
            start = starts_[(at_ - distance_) & (starts_.size() - 1)];
            if (slot_ - start > far_slots_) fail("a repeat goes back too far");
        }
        std::array<std::uint64_t, 2> times{};
        for (std::uint32_t i = 0; i < shape.count; ++i) {
            const auto field = static_cast<Field>(shape.field[i]);
            const Slot like = distance_ != 0            ? slots_[(start + i) & (slots_.size() - 1)]
                              : shape_number == unknown ? Slot{}
                                                        : latest_[shape.first + i];
            const std::uint64_t value =
                like.expected() + difference(first_field_column + static_cast<std::size_t>(field));
            if (field == Field::list) {
                take_list(value, like.value, action, out);
            } else if (field >= Field::gap) {
                times[static_cast<std::size_t>(field) - static_cast<std::size_t>(Field::gap)] = value;
            } else {
                set_field(field, value, action);
            }
            const Slot next = like.then(value);
            if (!slots_.empty()) slots_[(slot_ + i) & (slots_.size() - 1)] = next;
            if (shape_number != unknown) latest_[shape.first + i] = next;
        }
        remember(shape_number, shape.count);
        --left_;
        action.line = ++line;
        if (timed_) {
            const std::uint64_t begun = clock_ + times[0];
            clock_ = begun + times[1];
            if (with_times)
                out.times.push_back({static_cast<std::int64_t>(begun), static_cast<std::int64_t>(clock_)});
        }
        if (const char* fault =
                ti::fault_of(action, {out.counts.data() + action.first_count, action.counts}, limits))
            fail(fault);
    }
    if (left_ > 0) return;
    if (!std::all_of(column_.begin(), column_.end(), [](const ColumnReader& each) { return each.finished(); }))
        fail("its columns hold more than its actions");
}

} // namespace orrery::recorded
