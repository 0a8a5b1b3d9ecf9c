#include "network/node/shared_copies.h"

#include <algorithm>
#include <functional>

namespace orrery {

void SharedCopies::start(TransferId transfer, double bytes, Time now) {
    moved_ = copies_.empty() ? 0 : moved_ + (now - since_).seconds() * limits_.share(copies_.size());
    since_ = now;
    copies_.push_back({moved_ + bytes, started_++, bytes, transfer});
    std::push_heap(copies_.begin(), copies_.end(), std::greater<>());
    plan();
}

void SharedCopies::plan() {
    if (copies_.empty()) {
        due_ = Time::max();
        return;
    }
    const double rest = std::max(copies_.front().done_at - moved_, 0.0);
    due_ = since_ + Time::from_ps(rest / limits_.share(copies_.size()) * 1e12, "a message within a host");
}

void SharedCopies::advance(Time now, std::vector<TransferId>& done) {
    while (due_ == now) {
        const Copy first = copies_.front();
        std::pop_heap(copies_.begin(), copies_.end(), std::greater<>());
        copies_.pop_back();
        done.push_back(first.transfer);
        total_ += first.bytes;
        moved_ = std::max(moved_, first.done_at); // whatever rounding has made of it
        since_ = now;
        plan();
    }
}

} // namespace orrery
