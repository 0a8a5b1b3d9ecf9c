// Operations that wait for the same thing to become free, oldest first.
//
// All members wait until the same instant (a CPU and perhaps a NIC is busy until then) and then the oldest
// goes, so only one event, for the oldest, needs to be in the event queue: k waiting operations cost O(k log k)
// in all, not O(k^2). Members usually join in the order of their age and then cost O(1).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace orrery {

// `Waiter` has `before`, a total order.
template <typename Waiter> class WaitSet {
  public:
    [[nodiscard]] bool empty() const { return head_ == run_.size() && late_.empty(); }

    void push(const Waiter& waiter) {
        if (head_ == run_.size()) {
            run_.clear();
            head_ = 0;
        }
        if (run_.empty() || run_.back().before(waiter)) {
            run_.push_back(waiter);
        } else {
            late_.push_back(waiter);
            std::push_heap(late_.begin(), late_.end(), younger);
        }
    }

    [[nodiscard]] const Waiter& oldest() const { return late_is_oldest() ? late_.front() : run_[head_]; }

    template <typename Visit> void for_each(Visit&& visit) const {
        for (std::size_t i = head_; i < run_.size(); ++i) visit(run_[i]);
        for (const Waiter& waiter : late_) visit(waiter);
    }

    Waiter pop() {
        if (late_is_oldest()) {
            std::pop_heap(late_.begin(), late_.end(), younger);
            const Waiter waiter = late_.back();
            late_.pop_back();
            return waiter;
        }
        return run_[head_++];
    }

  private:
    static bool younger(const Waiter& a, const Waiter& b) { return b.before(a); }
    [[nodiscard]] bool late_is_oldest() const {
        return !late_.empty() && (head_ == run_.size() || late_.front().before(run_[head_]));
    }

    std::vector<Waiter> run_; // sorted; [head_, end) still waits
    std::size_t head_ = 0;
    std::vector<Waiter> late_; // heap of those that joined out of order
};

} // namespace orrery
