#include "reference/symbolic_contents.h"

#include <algorithm>
#include <iterator>

namespace orrery::test {

Runs tidy(Runs runs) {
    Runs out;
    for (const Run& run : runs) {
        if (run.length == 0) continue;
        const bool goes_on =
            !out.empty() && out.back().value.ranks == run.value.ranks &&
            (run.value.ranks.none() || out.back().value.offset + out.back().length == run.value.offset);
        if (goes_on) {
            out.back().length += run.length;
        } else {
            out.push_back(run);
        }
    }
    return out;
}

void Contents::cut(Bytes at) {
    auto next = runs_.lower_bound(at);
    if (next == runs_.begin()) return;
    auto& [from, run] = *std::prev(next);
    if (from + run.length <= at) return;
    Run rest = run;
    rest.length = from + run.length - at;
    if (rest.value.ranks.any()) rest.value.offset += at - from;
    run.length = at - from;
    runs_.emplace(at, rest);
}

void Contents::write(Bytes at, const Runs& runs) {
    Bytes length = 0;
    for (const Run& run : runs) length += run.length;
    if (length == 0) return;
    cut(at);
    cut(at + length);
    runs_.erase(runs_.lower_bound(at), runs_.lower_bound(at + length));
    for (const Run& run : runs) {
        if (run.value.ranks.any() && run.length > 0) runs_.emplace(at, run);
        at += run.length;
    }
}

Runs Contents::read(Bytes at, Bytes length) const {
    Runs out;
    const Bytes end = at + length;
    auto next = runs_.upper_bound(at);
    if (next != runs_.begin()) --next;
    for (; next != runs_.end() && next->first < end && at < end; ++next) {
        const auto& [from, run] = *next;
        if (from + run.length <= at) continue;
        if (from > at) out.push_back({from - at, {}});
        const Bytes begin = std::max(at, from);
        Run piece = run;
        piece.value.offset += begin - from;
        piece.length = std::min(end, from + run.length) - begin;
        out.push_back(piece);
        at = begin + piece.length;
    }
    if (at < end) out.push_back({end - at, {}});
    return tidy(out);
}

} // namespace orrery::test
