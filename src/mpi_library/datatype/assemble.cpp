#include "mpi_library/datatype/make.h"

#include <algorithm>
#include <utility>

namespace orrery::emulate::mpi {

namespace {

// Lowest and highest begin of the copies that a place asks for.
std::pair<std::int64_t, std::int64_t> reach(const Placed& p) {
    const std::int64_t along = (p.place.copies - 1) * p.type->extent();
    const std::int64_t across = (p.place.groups - 1) * p.place.stride;
    const std::int64_t low = std::min<std::int64_t>(along, 0) + std::min<std::int64_t>(across, 0);
    const std::int64_t high = std::max<std::int64_t>(along, 0) + std::max<std::int64_t>(across, 0);
    return {p.place.offset + low, p.place.offset + high};
}

class BoundsOfAll {
  public:
    void add(const Placed& p) {
        const Bounds& part = p.type->shape().bounds;
        const auto [low, high] = reach(p);
        if (part.data) {
            all_.true_lb = all_.data ? std::min(all_.true_lb, low + part.true_lb) : low + part.true_lb;
            all_.true_ub = all_.data ? std::max(all_.true_ub, high + part.true_ub) : high + part.true_ub;
            all_.data = true;
            all_.alignment = std::max(all_.alignment, part.alignment);
        }
        // A marked bound counts for more than any unmarked one; a type without data and marks has no bounds.
        if (part.data || part.lb_marked) {
            lower(low + part.lb, part.lb_marked);
            lb_known_ = true;
        }
        if (part.data || part.ub_marked) {
            upper(high + part.ub, part.ub_marked);
            ub_known_ = true;
        }
    }
    Bounds finish(bool pad) { // a bound of which nothing is known is 0
        if (pad && !all_.ub_marked && all_.data) {
            const std::int64_t over =
                (all_.ub - all_.lb) % all_.alignment; // negative if the bounds are crossed
            if (over != 0) all_.ub += (over > 0 ? all_.alignment : 0) - over;
        }
        return all_;
    }

  private:
    void lower(std::int64_t lb, bool marked) {
        if (all_.lb_marked && !marked) return;
        const bool first = !lb_known_ || (marked && !all_.lb_marked);
        all_.lb = first ? lb : std::min(all_.lb, lb);
        all_.lb_marked = marked;
    }
    void upper(std::int64_t ub, bool marked) {
        if (all_.ub_marked && !marked) return;
        const bool first = !ub_known_ || (marked && !all_.ub_marked);
        all_.ub = first ? ub : std::max(all_.ub, ub);
        all_.ub_marked = marked;
    }

    Bounds all_;
    bool lb_known_ = false, ub_known_ = false;
};

} // namespace

Datatype::Shape assemble(std::span<const Placed> placed, bool pad) {
    Datatype::Shape shape;
    BoundsOfAll bounds;
    LayoutBuilder layout;
    for (const Placed& p : placed) {
        const std::int64_t copies = p.place.copies * p.place.groups;
        if (copies == 0) continue;
        bounds.add(p);
        layout.add(p.type->layout(), p.type->size(), p.type->extent(), p.place);
        shape.size += p.type->size() * static_cast<Bytes>(copies);
        shape.elements += p.type->elements() * copies;
        shape.signature = shape.signature.then(p.type->signature().times(static_cast<std::uint64_t>(copies)));
        if (!shape.parts.empty() && shape.parts.back().type.get() == p.type) {
            shape.parts.back().count += copies;
        } else {
            shape.parts.push_back({TypeRef(*p.type), copies});
        }
    }
    shape.bounds = bounds.finish(pad);
    shape.layout = layout.finish();
    return shape;
}

Datatype::Shape with_bounds(Datatype::Shape shape, std::int64_t lb, std::int64_t extent) {
    shape.bounds.lb = lb;
    shape.bounds.ub = lb + extent;
    shape.bounds.lb_marked = shape.bounds.ub_marked = true;
    return shape;
}

} // namespace orrery::emulate::mpi
