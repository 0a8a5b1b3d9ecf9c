// Actions as lines of text: the words of one rank.
#pragma once

#include "formats/ti/requests.h"
#include "formats/ti/writers.h"
#include "workload/action.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::ti {

// Short, and the same number when read again.
std::string volume_words(double volume);

class LineWriter {
  public:
    // `file` is where the actions come from, for messages.
    LineWriter(std::uint32_t rank, std::uint32_t ranks, TiGrammar grammar, std::string file);

    // Appends lines to `out`. Throws InputError if the grammar has no words for the action.
    void add(const Action& action, std::span<const Bytes> counts, std::string& out);
    void begin(std::string& out) const;
    void end(std::string& out);

  private:
    [[nodiscard]] bool is_older() const {
        return grammar_ == TiGrammar::older || grammar_ == TiGrammar::older_simgrid;
    }
    void line(std::string& out, std::string_view words) const;      // with the rank before it
    void finish_line(const Action& action, std::string& out) const; // its communicator, and the newline
    void release_probe(std::string& out);
    void message(std::string_view name, const Action& action, std::string& out) const;
    void request(const Action& action, const RequestName& name);
    void wait(const Action& action, std::string& out);
    void forget(const Action& action, std::string& out); // or cancel
    void wait_set(const Action& action, std::span<const Bytes> numbers, std::string& out);
    void collective(const Action& action, std::span<const Bytes> counts, std::string& out);
    void counted_collective(const Action& action, std::span<const Bytes> counts, std::string& out) const;
    void communicator(const Action& action, std::span<const Bytes> members, std::string& out) const;
    void window(const Action& action, std::span<const Bytes> ranks, std::string& out) const;
    void older(const Action& action, std::span<const Bytes> counts, std::string& out);
    void older_collective(const Action& action, std::span<const Bytes> counts, std::string& out) const;
    [[noreturn]] void refuse(const Action& action, std::string_view what) const;

    std::uint32_t rank_;
    std::uint32_t ranks_;
    TiGrammar grammar_;
    std::string file_;
    bool begun_ = false;
    // What the reader of the text will have pending, and its number for each of the source's.
    Requests mirror_;
    std::vector<std::uint32_t> mirrored_;
    std::optional<Action> probe_; // a receive of any size may follow, of which it is a part
};

} // namespace orrery::ti
