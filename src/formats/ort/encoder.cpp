#include "formats/ort/encoder.h"

#include "formats/ort/column_writer.h"
#include "formats/ort/layout.h"
#include "formats/ort/list_table.h"
#include "formats/ort/loop_finder.h"
#include "formats/ort/shape.h"

#include <algorithm>
#include <cassert>
#include <limits>

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

namespace orrery::recorded {

namespace {

constexpr std::uint32_t slot_ring = 8192; // fields of earlier actions that a repeat may refer to
static_assert(slot_ring <= most_field_reach && LoopFinder::reach <= most_distance);

struct Shape {
    ShapeKey key = 0;
    std::uint8_t count = 0; // of its fields
    std::array<std::uint8_t, fields> field{};
    std::array<Slot, fields> latest{}; // of its latest action
};

} // namespace

struct SegmentEncoder::State {
    explicit State(bool with_times) : timed(with_times), slots(slot_ring), starts(LoopFinder::reach) {
        for (std::size_t i = 0; i < 2 * action_kinds; ++i)
            usual[i] = usual_fields(static_cast<ActionKind>(i / 2), Collective::barrier, i % 2 != 0);
        for (std::size_t i = 0; i < usual_collective.size(); ++i) {
            usual_collective[i] =
                usual_fields(ActionKind::collective, static_cast<Collective>(i / 2), i % 2 != 0);
        }
        shapes.reserve(most_shapes);
        loops.clear();
    }

    bool timed;
    std::array<std::uint32_t, 64> usual{}; // by kind: blocking, nonblocking
    std::array<std::uint32_t, 64> usual_collective{};
    static_assert(action_kinds <= 32);

    std::array<ColumnWriter, columns> column;
    std::size_t written = 0; // bytes in all of them
    std::vector<Shape> shapes;
    std::array<std::uint8_t, 512> shape_cells{}; // number of a shape plus one, by the hash of its key
    Shape passing;                               // one that gets no number
    bool shape_is_new = false;
    LoopFinder loops;
    std::vector<Slot> slots;           // of the latest actions: a ring
    std::vector<std::uint32_t> starts; // of each of them in it: a ring, too
    std::uint32_t slot = 0;            // of the next action

    std::uint32_t distance = 0; // of the repeat that is going on; 0: none
    std::uint32_t repeated = 0;
    std::uint32_t far_actions = 0; // the farthest that a repeat refers to
    std::uint32_t far_slots = 0;

    ListTable lists;
    std::array<std::uint16_t, 2048> list_cells{}; // number of a list by its hash: the latest of its cell
    static_assert(most_lists <= 0xFFFF);

    std::int64_t clock_before = 0; // of the segment
    std::int64_t clock = 0;        // when the latest action ended
    std::uint32_t requests = 0;

    ShapeKey values_of(const Action& action, std::span<const Bytes> counts, const ActionTimes& times,
                       FieldValues& values);
    std::uint8_t shape_of(ShapeKey key);
    void fill(Shape& shape, ShapeKey key) const;
    void put_shape(std::uint8_t number, ShapeKey key, std::uint32_t loop);
    void end_repeat();
    std::uint64_t list_number(std::span<const Bytes> counts, std::uint64_t like);
    void put_list(std::span<const Bytes> counts, std::span<const Bytes> like);
    void clear();
};

ShapeKey SegmentEncoder::State::values_of(const Action& action, std::span<const Bytes> counts,
                                          const ActionTimes& times, FieldValues& values) {
    values[Field::comm] = widened(action.comm);
    values[Field::peer] = widened(action.peer);
    values[Field::other] = widened(action.other);
    values[Field::tag] = widened(action.tag);
    values[Field::request] = widened(action.request);
    values[Field::element] = widened(action.element - 1U);
    values[Field::bytes] = action.bytes;
    values[Field::more_bytes] = action.more_bytes;
    const bool whole = is_whole(action.volume);
    values[Field::volume] = whole ? static_cast<std::uint64_t>(action.volume) : 0;
    values[Field::real] = whole ? 0 : std::bit_cast<std::uint64_t>(action.volume);
    values[Field::list] = counts.size();
    const auto begin = static_cast<std::uint64_t>(times.begin);
    values[Field::gap] = begin - static_cast<std::uint64_t>(clock);
    values[Field::duration] = static_cast<std::uint64_t>(times.end) - begin;
    const bool of_all = action.kind == ActionKind::collective;
    const auto operation = static_cast<std::size_t>(action.collective);
    const std::size_t at_once = action.nonblocking ? 1 : 0;
    std::uint32_t mask = of_all ? usual_collective[2 * operation + at_once]
                                : usual[2 * static_cast<std::size_t>(action.kind) + at_once];
    for (std::size_t i = 0; i < shape_fields; ++i)
        mask |= static_cast<std::uint32_t>(values.value[i] != 0) << i;
    if (!whole) mask &= ~bit_of(Field::volume);
    return static_cast<ShapeKey>(action.kind) | static_cast<ShapeKey>(operation) << 5 |
           (action.nonblocking ? 1U << 11 : 0) | (action.commutative ? 0 : 1U << 12) | mask << key_mask_shift;
}

void SegmentEncoder::State::fill(Shape& shape, ShapeKey key) const {
    shape = {};
    shape.key = key;
    const std::uint32_t mask = key >> key_mask_shift;
    for (std::uint8_t i = 0; i < fields; ++i) {
        if (i < shape_fields ? (mask >> i & 1U) != 0 : timed) shape.field[shape.count++] = i;
    }
}

// Its number; a new one gets the next, while there are any.
std::uint8_t SegmentEncoder::State::shape_of(ShapeKey key) {
    if (distance != 0) {
        const std::uint8_t expected = loops.shape_before(distance);
        if (expected != LoopFinder::unknown && shapes[expected].key == key) return expected;
    }
    std::size_t cell = (key * 0x9E37'79B1U) >> 23;
    for (; shape_cells[cell] != 0; cell = (cell + 1) % shape_cells.size()) {
        const auto number = static_cast<std::uint8_t>(shape_cells[cell] - 1);
        if (shapes[number].key == key) return number;
    }
    shape_is_new = true;
    if (shapes.size() == most_shapes) {
        fill(passing, key);
        return LoopFinder::unknown;
    }
    fill(shapes.emplace_back(), key);
    shape_cells[cell] = static_cast<std::uint8_t>(shapes.size());
    return static_cast<std::uint8_t>(shapes.size() - 1);
}

void SegmentEncoder::State::end_repeat() {
    if (distance == 0) return;
    written += column[shape_column].number(std::uint64_t{2} * distance);
    written += column[shape_column].number(repeated - 1);
    loops.ended(repeated);
    distance = 0;
}

// The action goes on with a repeat, begins one, or names its shape.
void SegmentEncoder::State::put_shape(std::uint8_t number, ShapeKey key, std::uint32_t loop) {
    if (loop != 0) {
        const std::uint32_t back = slot - starts[(loops.actions() - 1 - loop) % LoopFinder::reach];
        if (back > slot_ring) {
            loop = 0;
        } else {
            far_slots = std::max(far_slots, back);
        }
    }
    if (loop != 0 && loop == distance) {
        ++repeated;
        return;
    }
    end_repeat();
    ColumnWriter& out = column[shape_column];
    if (loop != 0) {
        distance = loop;
        repeated = 1;
        far_actions = std::max(far_actions, loop);
    } else if (shape_is_new) {
        written += out.number(code_new_shape);
        written += out.number(key & 31U);
        written += out.number(key >> 5 & 255U);
        written += out.number(key >> key_mask_shift);
    } else {
        written += out.number(2U * number + 1U);
    }
}

void SegmentEncoder::State::put_list(std::span<const Bytes> counts, std::span<const Bytes> like) {
    written += column[length_column].difference(counts.size() - like.size());
    ColumnWriter& out = column[element_column];
    if (like.size() == counts.size()) {
        for (std::size_t i = 0; i < counts.size(); ++i) written += out.difference(counts[i] - like[i]);
        return;
    }
    Bytes before = 0;
    for (const Bytes count : counts) {
        written += out.difference(count - before);
        before = count;
    }
}

// The number that stands for the list; a new one is stored, as difference to number `like` if there is one.
std::uint64_t SegmentEncoder::State::list_number(std::span<const Bytes> counts, std::uint64_t like) {
    const bool known = like >= 1 && like <= lists.known();
    if (known && same_list(lists.list(like), counts)) return like;
    if (!ListTable::fits(counts.size())) {
        put_list(counts, {});
        return list_passing;
    }
    std::uint16_t& cell = list_cells[XXH3_64bits(counts.data(), counts.size_bytes()) % list_cells.size()];
    if (cell != 0 && same_list(lists.list(cell), counts)) return cell;
    const bool afresh = !lists.has_room(counts.size());
    put_list(counts, known && !afresh ? lists.list(like) : std::span<const Bytes>{});
    if (afresh) {
        lists.clear();
        list_cells.fill(0);
    }
    lists.add(counts);
    cell = static_cast<std::uint16_t>(lists.known());
    return afresh ? list_afresh : lists.known();
}

void SegmentEncoder::State::clear() {
    for (ColumnWriter& each : column) each.clear();
    written = 0;
    shapes.clear();
    shape_cells.fill(0);
    loops.clear();
    slot = 0;
    distance = 0;
    far_actions = 0;
    far_slots = 0;
    lists.clear();
    list_cells.fill(0);
    clock_before = clock;
    requests = 0;
}

SegmentEncoder::SegmentEncoder(bool timed) : state_(std::make_unique<State>(timed)) {}
SegmentEncoder::~SegmentEncoder() = default;

void SegmentEncoder::add(const Action& action, std::span<const Bytes> counts, ActionTimes times) noexcept {
    State& state = *state_;
    assert(state.loops.actions() < most_segment_actions);
    FieldValues values;
    const ShapeKey key = state.values_of(action, counts, times, values);
    state.clock = times.end;
    if (makes_request(action) && action.request >= state.requests)
        state.requests =
            action.request == std::numeric_limits<std::uint32_t>::max() ? action.request : action.request + 1;
    state.shape_is_new = false;
    const std::uint32_t number_of_action = state.loops.actions();
    const std::uint8_t number = state.shape_of(key);
    state.put_shape(number, key, state.loops.add(number, action.peer));
    Shape& shape = number == LoopFinder::unknown ? state.passing : state.shapes[number];
    const std::uint32_t start =
        state.distance == 0 ? 0 : state.starts[(number_of_action - state.distance) % LoopFinder::reach];
    for (std::uint32_t i = 0; i < shape.count; ++i) {
        const std::size_t field = shape.field[i];
        const Slot& like = state.distance == 0 ? shape.latest[i] : state.slots[(start + i) % slot_ring];
        const std::uint64_t value = field == static_cast<std::size_t>(Field::list)
                                        ? state.list_number(counts, like.value)
                                        : values.value[field];
        state.written += state.column[first_field_column + field].difference(value - like.expected());
        const Slot next = like.then(value);
        state.slots[(state.slot + i) % slot_ring] = next;
        shape.latest[i] = next;
    }
    state.starts[number_of_action % LoopFinder::reach] = state.slot;
    state.slot += shape.count;
}

std::uint32_t SegmentEncoder::actions() const { return state_->loops.actions(); }

std::size_t SegmentEncoder::bytes() const {
    return actions() == 0 ? 0 : sizeof(SegmentHead) + 2 * columns + state_->written; // runs that go on included
}

void SegmentEncoder::take(std::string& out) noexcept {
    State& state = *state_;
    state.end_repeat();
    const SegmentHead head{actions(), state.requests};
    out.append(reinterpret_cast<const char*>(&head), sizeof head);
    std::array<std::uint8_t, 10 * (4 + columns)> front{};
    std::uint8_t* at = put_varint(front.data(), state.timed ? flag_timed : 0);
    at = put_varint(at, state.far_actions);
    at = put_varint(at, state.far_slots);
    if (state.timed) at = put_varint(at, zigzag(static_cast<std::uint64_t>(state.clock_before)));
    for (ColumnWriter& column : state.column) {
        column.end_run();
        at = put_varint(at, column.bytes());
    }
    out.append(reinterpret_cast<const char*>(front.data()), static_cast<std::size_t>(at - front.data()));
    for (const ColumnWriter& column : state.column) column.append_to(out);
    state.clear();
}

} // namespace orrery::recorded
