#include "mpi_library/datatype/layout.h"

#include <algorithm>

namespace orrery::emulate::mpi {

namespace {

bool same_content(const Piece& a, const Piece& b) {
    return a.unit == b.unit && a.parts == b.parts && (a.parts == 0 || a.first_part == b.first_part);
}

} // namespace

// One piece that stands for all of `layout`. Its parts are copied once, however often it is placed.
Piece LayoutBuilder::import(const Layout& layout, Bytes size) {
    const auto roots = layout.pieces();
    if (roots.size() == 1 && roots[0].parts == 0) return roots[0];
    const auto [known, is_new] =
        imported_.try_emplace(&layout, static_cast<std::uint32_t>(result_.all_.size()));
    const std::uint32_t shift = known->second;
    if (is_new) {
        for (Piece piece : layout.all_) {
            if (piece.parts != 0) piece.first_part += shift;
            result_.all_.push_back(piece);
        }
    }
    const auto first = shift + static_cast<std::uint32_t>(layout.roots_);
    if (roots.size() == 1) return result_.all_[first];
    return {.unit = size, .first_part = first, .parts = static_cast<std::uint32_t>(roots.size())};
}

void LayoutBuilder::repeat_or_wrap(Piece& piece, std::int64_t count, std::int64_t stride) {
    if (repeat(piece, count, stride)) return;
    const auto first = static_cast<std::uint32_t>(result_.all_.size());
    result_.all_.push_back(piece);
    result_.all_.back().start = 0;
    const Bytes unit = piece.unit * static_cast<Bytes>(piece.count);
    piece = {.count = count, .stride = stride, .unit = unit, .first_part = first, .parts = 1};
}

void LayoutBuilder::add(const Layout& layout, Bytes size, std::int64_t extent, const Place& place) {
    if (size == 0 || place.copies == 0 || place.groups == 0) return;
    Piece piece = import(layout, size);
    repeat_or_wrap(piece, place.copies, extent);
    repeat_or_wrap(piece, place.groups, place.stride);
    piece.offset += place.offset;
    append(piece);
}

void LayoutBuilder::append(const Piece& piece) {
    if (!roots_.empty()) {
        Piece& last = roots_.back();
        const bool blocks = last.parts == 0 && piece.parts == 0 && last.count == 1 && piece.count == 1;
        if (blocks && last.offset + static_cast<std::int64_t>(last.unit) == piece.offset) {
            last.unit += piece.unit;
            return;
        }
    }
    fold_last();
    roots_.push_back(piece);
}

// Joins the last two pieces if the last continues the row that the one before began.
void LayoutBuilder::fold_last() {
    if (roots_.size() < 2) return;
    Piece& before = roots_[roots_.size() - 2];
    const Piece& last = roots_.back();
    if (!same_content(before, last)) return;
    if (before.count == 1 && last.count == 1) {
        before.stride = last.offset - before.offset;
    } else if (before.count == 1 || last.offset != before.offset + before.count * before.stride ||
               (last.count != 1 && last.stride != before.stride)) {
        return;
    }
    before.count += last.count;
    roots_.pop_back();
}

Layout LayoutBuilder::finish() {
    fold_last();
    Bytes start = 0;
    result_.roots_ = result_.all_.size();
    for (Piece& root : roots_) {
        root.start = start;
        start += root.unit * static_cast<Bytes>(root.count);
        result_.all_.push_back(root);
    }
    return std::move(result_);
}

} // namespace orrery::emulate::mpi
