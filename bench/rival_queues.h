// Event queues that ours is measured against: a binary heap, a 4-ary heap, and a calendar queue (Brown 1988).
#pragma once

#include "engine/event_queue.h"

#include <algorithm>
#include <queue>
#include <vector>

namespace orrery::bench {

class BinaryHeap {
  public:
    void push(const Event& event) { heap_.push(event); }
    Event pop() {
        const Event event = heap_.top();
        heap_.pop();
        return event;
    }

  private:
    struct Later {
        bool operator()(const Event& a, const Event& b) const { return b.before(a); }
    };
    std::priority_queue<Event, std::vector<Event>, Later> heap_;
};

class FourHeap {
  public:
    void push(const Event& event) {
        std::size_t at = heap_.size();
        heap_.push_back(event);
        while (at > 0) {
            const std::size_t parent = (at - 1) / 4;
            if (!event.before(heap_[parent])) break;
            heap_[at] = heap_[parent];
            at = parent;
        }
        heap_[at] = event;
    }
    Event pop() {
        const Event top = heap_.front();
        const Event last = heap_.back();
        heap_.pop_back();
        if (heap_.empty()) return top;
        std::size_t at = 0;
        while (true) {
            const std::size_t first = at * 4 + 1;
            if (first >= heap_.size()) break;
            std::size_t best = first;
            const std::size_t end = std::min(first + 4, heap_.size());
            for (std::size_t child = first + 1; child < end; ++child) {
                if (heap_[child].before(heap_[best])) best = child;
            }
            if (!heap_[best].before(last)) break;
            heap_[at] = heap_[best];
            at = best;
        }
        heap_[at] = last;
        return top;
    }

  private:
    std::vector<Event> heap_;
};

// Days of equal length, each a list kept sorted latest first; the number of days follows the number of events,
// the length of a day the average distance of the next few.
class CalendarQueue {
  public:
    void push(const Event& event) {
        insert(event);
        if (++size_ > 2 * days_.size()) resize(2 * days_.size());
    }
    Event pop() {
        while (true) {
            for (std::size_t looked = 0; looked < days_.size(); ++looked) {
                std::vector<Event>& day = days_[today_];
                if (!day.empty() && day.back().time.ps() < year_end_) return take(day);
                today_ = (today_ + 1) % days_.size();
                year_end_ += width_;
            }
            // A whole year without an event: go straight to the earliest.
            const std::vector<Event>* earliest = nullptr;
            for (const auto& day : days_) {
                if (!day.empty() && (earliest == nullptr || day.back().before(earliest->back())))
                    earliest = &day;
            }
            start_at(earliest->back().time.ps());
        }
    }

  private:
    Event take(std::vector<Event>& day) {
        const Event event = day.back();
        day.pop_back();
        if (--size_ < days_.size() / 4 && days_.size() > 16) resize(days_.size() / 2);
        return event;
    }
    void insert(const Event& event) {
        std::vector<Event>& day = days_[static_cast<std::size_t>(event.time.ps() / width_) % days_.size()];
        const auto later = [](const Event& a, const Event& b) { return b.before(a); };
        day.insert(std::upper_bound(day.begin(), day.end(), event, later), event);
        if (event.time.ps() < year_end_ - width_) start_at(event.time.ps());
    }
    void start_at(std::int64_t time) {
        today_ = static_cast<std::size_t>(time / width_) % days_.size();
        year_end_ = (time / width_ + 1) * width_;
    }
    void resize(std::size_t days) {
        std::vector<Event> all;
        for (const auto& day : days_) all.insert(all.end(), day.begin(), day.end());
        const std::size_t sample = std::min<std::size_t>(all.size(), 64);
        std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(sample), all.end(),
                          [](const Event& a, const Event& b) { return a.before(b); });
        if (sample > 1) {
            const std::int64_t spread = all[sample - 1].time.ps() - all[0].time.ps();
            width_ = std::max<std::int64_t>(1, 3 * spread / static_cast<std::int64_t>(sample - 1));
        }
        days_.assign(days, {});
        if (!all.empty()) start_at(all[0].time.ps());
        for (const Event& event : all) insert(event);
    }

    std::vector<std::vector<Event>> days_{16};
    std::int64_t width_ = 1000;
    std::size_t today_ = 0;
    std::int64_t year_end_ = 1000;
    std::size_t size_ = 0;
};

} // namespace orrery::bench
