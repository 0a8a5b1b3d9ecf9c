// One line of a time-independent trace, as the Actions that it stands for.
//
// Both grammars: the current one (send <to> <tag> <count> [datatype]) and that of the paper (send <to>
// <bytes>). They differ in messages only; three arguments are read as the grammar of the file says. Nothing is
// allocated per line, and a line is read once, from left to right.
#pragma once

#include "formats/ti/line_words.h"
#include "formats/ti/requests.h"
#include "formats/ti/tally.h"
#include "formats/ti/words.h"
#include "workload/action.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::ti {

enum class Grammar : std::uint8_t {
    unknown,
    current,
    older,
    likely_older // only its way of spelling was seen
};

// What the lines of `text` say about the grammar that they are written in.
Grammar guess_grammar(std::string_view text);

// What has to be remembered of a rank from line to line.
struct RankContext {
    std::uint32_t rank = 0;
    std::uint32_t written_rank = 0;  // as its lines have it: in a file for all ranks, always the same
    std::uint32_t default_bytes = 1; // of a datatype that is not given
    Requests requests;
    std::unique_ptr<std::map<std::uint32_t, std::uint32_t>> comms; // size of each communicator made; 0: unknown
};

// Actions in order, and the counts that belong to them.
struct Window {
    std::vector<Action> actions;
    std::vector<Bytes> counts;
    void clear() {
        actions.clear();
        counts.clear();
    }
};

class LineParser : public LineWords {
  public:
    LineParser(std::uint32_t ranks, Tally& tally) : ranks_(ranks), tally_(&tally) {}

    // What follows the rank, up to the end of the line; appended to `out`. False, with nothing done: what the
    // line means depends on `grammar`, which is unknown. Otherwise `grammar` becomes known if the line shows
    // it.
    bool action(RankContext& rank, Grammar& grammar, Window& out);

  private:
    void compute(ActionKind kind, Window& out);

    // line_messages.cpp
    struct Message {
        std::int64_t partner = 0;
        std::int64_t tag = 0;
        std::int64_t elements = 0;
        std::uint32_t bytes_each = 1;
    };
    bool message(const RankContext& rank, Grammar& grammar, const char* partner, Message& found);
    bool send(RankContext& rank, Grammar& grammar, Window& out);
    bool receive(RankContext& rank, Grammar& grammar, Window& out);
    void send_and_receive(const RankContext& rank, Window& out);
    void start(RankContext& rank, Window& out);
    void probe(const RankContext& rank, Window& out);
    void add_request(Action& action, RankContext& rank, bool receiving);
    std::uint32_t peer(std::int64_t value, const RankContext& rank, const char* what) const;
    std::uint32_t source(std::int64_t value, const RankContext& rank) const;
    std::uint32_t tag(std::int64_t value, bool receiving) const;

    // line_waits.cpp
    void wait(RankContext& rank, Grammar& grammar, Window& out);
    void wait_for(std::uint32_t number, RankContext& rank, Window& out);
    void wait_set(RankContext& rank, Window& out);
    void free_all_done(RankContext& rank, Window& out);
    void forget(RankContext& rank, Window& out); // and cancel

    // line_collectives.cpp
    void collective(RankContext& rank, Window& out);
    void fixed_collective(const RankContext& rank, Action& action) const;
    void counted_collective(const RankContext& rank, Action& action, Window& out);
    void read_numbers();
    void expect_numbers(std::size_t least, std::size_t most) const;
    [[nodiscard]] std::uint64_t count_at(std::size_t index) const;
    [[nodiscard]] double volume_at(std::size_t index) const;
    [[nodiscard]] std::int64_t whole_at(std::size_t index) const;
    [[nodiscard]] std::uint32_t root_at(std::size_t index, const RankContext& rank) const;
    [[nodiscard]] std::uint32_t type_at(std::size_t index, const RankContext& rank) const;
    void put_counts(Action& action, std::size_t first, std::size_t n, std::uint32_t bytes_each,
                    Window& out) const;

    // line_windows.cpp
    void one_sided(RankContext& rank, Window& out);
    void window(const RankContext& rank, Window& out);
    void aside(RankContext& rank, Window& out);
    std::uint32_t window_flag_bits();

    // line_communicators.cpp
    void communicator(RankContext& rank, Window& out);
    void neighbours(const RankContext& rank, Window& out);
    std::uint32_t read_ranks(Window& out, const char* what); // how many there were
    void finish();                                           // options, then the end of the line
    void read_option();
    [[nodiscard]] std::uint32_t comm_size(const RankContext& rank) const; // of comm_; 0: unknown

    [[nodiscard]] Action& put(ActionKind kind, Window& out) const {
        Action& action = out.actions.emplace_back();
        action.kind = kind;
        action.comm = comm_;
        action.line = number();
        return action;
    }
    [[nodiscard]] Bytes bytes(std::uint64_t elements, std::uint32_t bytes_each) const;
    std::uint32_t type(const RankContext& rank); // bytes of an optional datatype
    [[nodiscard]] std::uint32_t type_bytes(std::int64_t number, const char* where) const;
    [[nodiscard]] std::string usage() const; // "expected send <to> ..."

    std::uint32_t ranks_;
    Tally* tally_;
    const Word* word_ = nullptr;
    const char* name_ = nullptr; // of the action, in the line
    std::uint32_t comm_ = world;
    std::uint32_t tag_ = 0;            // of sendRecv
    std::uint32_t taken_ = 0;          // the message that a probe takes out, or took, plus one
    std::uint32_t element_ = 0;        // bytes of an element of a reduction; 0: as its datatype has it
    bool ordered_ = false;             // a reduction that does not commute
    std::vector<std::uint32_t> named_; // requests, by req=
    std::vector<double> numbers_;      // arguments of a collective
};

} // namespace orrery::ti
