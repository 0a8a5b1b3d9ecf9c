// A made-up replay for the tests of what watches replays: what happened, and telling it in the order in which
// a replayer would, by the ends of calls and messages.
#pragma once

#include "observe/temporary_file.h"
#include "results/replay_log.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace orrery::observe_test {

struct ToldCall {
    std::uint32_t rank = 0;
    std::uint32_t cpu = 0;
    Action action;
    Time begin;
    Time end;
};

struct ToldMessage {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t tag = 0;
    Bytes bytes = 0;
    Time sent;
    Time arrived;
};

struct ToldReplay {
    std::uint32_t ranks = 0;
    std::vector<ToldCall> calls;
    std::vector<ToldMessage> messages;
    Time end;

    void call(std::uint32_t rank, ActionKind kind, Time begin, Time finish) {
        ToldCall told;
        told.rank = rank;
        told.action.kind = kind;
        told.begin = begin;
        told.end = finish;
        calls.push_back(told);
        end = later(end, finish);
    }

    void collective(std::uint32_t rank, Collective operation, Time begin, Time finish) {
        call(rank, ActionKind::collective, begin, finish);
        calls.back().action.collective = operation;
    }

    void tell(ReplayObserver& observer) const {
        std::vector<ToldCall> by_end = calls;
        std::stable_sort(by_end.begin(), by_end.end(),
                         [](const ToldCall& a, const ToldCall& b) { return a.end < b.end; });
        std::vector<ToldMessage> by_arrival = messages;
        std::stable_sort(by_arrival.begin(), by_arrival.end(),
                         [](const ToldMessage& a, const ToldMessage& b) { return a.arrived < b.arrived; });
        auto message = by_arrival.begin();
        const auto deliver_until = [&](Time time) {
            for (; message != by_arrival.end() && message->arrived <= time; ++message) {
                observer.delivered(message->from, message->to, message->tag, message->bytes, message->sent,
                                   message->arrived);
            }
        };
        for (const ToldCall& told : by_end) {
            deliver_until(told.end);
            observer.performed({told.rank, told.cpu}, told.action, told.begin, told.end);
        }
        deliver_until(Time::max());
    }
};

// Each round: rank r computes (r + 1) us, sends to the next with an overhead of 1 us, receives what the one
// before sent (2 us after it was sent, or when it is ready), and all leave a barrier together.
inline ToldReplay told_ring(std::uint32_t ranks, std::uint32_t rounds) {
    ToldReplay told;
    told.ranks = ranks;
    Time start;
    for (std::uint32_t round = 0; round < rounds; ++round) {
        std::vector<Time> sent(ranks);
        Time last;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            sent[rank] = start + Time::us(rank + 1);
            told.call(rank, ActionKind::compute, start, sent[rank]);
            told.call(rank, ActionKind::isend, sent[rank], sent[rank] + Time::us(1));
        }
        std::vector<Time> received(ranks);
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            const std::uint32_t from = (rank + ranks - 1) % ranks;
            const Time arrived = sent[from] + Time::us(2);
            told.messages.push_back({from, rank, round, 1000 + from, sent[from], arrived});
            received[rank] = later(sent[rank] + Time::us(1), arrived) + Time::ns(500);
            told.call(rank, ActionKind::recv, sent[rank] + Time::us(1), received[rank]);
            last = later(last, received[rank]);
        }
        last += Time::us(1);
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
            told.collective(rank, Collective::barrier, received[rank], last);
        start = last;
    }
    return told;
}

} // namespace orrery::observe_test
