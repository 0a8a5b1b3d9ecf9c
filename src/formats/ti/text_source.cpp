#include "formats/ti/text_source.h"

#include "engine/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery::ti {

namespace {

// An alltoallv has two counts for each rank: stop before many of them pile up.
constexpr std::size_t enough_counts_in_text = 4096;
constexpr std::uint32_t any_rank = 0xFFFF'FFFF; // of a file for all ranks, before its first line

} // namespace

TextSource::TextSource(std::unique_ptr<LineInput> input, std::vector<std::string> paths, std::uint32_t ranks,
                       bool same_for_all, Tally& tally)
    : input_(std::move(input)), paths_(std::move(paths)), grammars_(paths_.size(), Grammar::unknown),
      contexts_(ranks), windows_(ranks), begun_(ranks), same_for_all_(same_for_all),
      enough_actions_(piece_bytes(ranks) / 32), parser_(ranks, tally) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        contexts_[rank].rank = rank;
        contexts_[rank].written_rank = same_for_all ? any_rank : rank;
    }
}

void TextSource::check_rank(RankContext& context, std::uint32_t found) {
    if (found == context.written_rank) return;
    if (context.written_rank == any_rank) {
        context.written_rank = found;
        return;
    }
    parser_.fail(
        same_for_all_
            ? fmt::format("a line of rank {}; expected rank {} as in the lines before, for this is a file that "
                          "all ranks follow",
                          found, context.written_rank)
            : fmt::format("a line of rank {}; expected rank {}, whose file this is", found, context.rank));
}

void TextSource::guess(std::uint32_t rank, const char* line) {
    grammars_[paths_.size() == 1 ? 0 : rank] = guess_grammar(input_->ahead(rank, line));
}

// Appends to the window; false at the rank's end.
bool TextSource::read_some(std::uint32_t rank) {
    const Lines lines = input_->next(rank);
    if (lines.begin == lines.end) return false;
    RankContext& context = contexts_[rank];
    Window& window = windows_[rank];
    Grammar& grammar = grammars_[paths_.size() == 1 ? 0 : rank];
    parser_.begin_file(path_of(rank));
    window.actions.reserve(window.actions.size() + lines.count); // and no more: there may be 100,000 windows
    std::uint64_t number = lines.first;
    const char* line = lines.begin;
    try {
        while (line != lines.end) {
            parser_.begin_line(line, number);
            if (parser_.anything()) {
                check_rank(context, parser_.rank());
                begun_[rank] = true;
                if (!parser_.action(context, grammar, window)) {
                    guess(rank, line);
                    (void)parser_.action(context, grammar, window);
                }
            }
            line = parser_.skip_line();
            ++number;
            if (window.counts.size() > enough_counts_in_text && line != lines.end) {
                input_->put_back(rank, line, number);
                break;
            }
        }
    } catch (const InputError& error) {
        // The last line of a file that was cut off is the likely reason.
        if (!lines.cut_off || std::find(line, lines.end, '\n') + 1 != lines.end) throw;
        Error what = error.error();
        what.reason += " (the file ends in this line, without a newline: it may have been cut off)";
        throw InputError(what);
    }
    return true;
}

std::span<const Action> TextSource::next(RankId rank) {
    Window& window = windows_[rank.index()];
    if (window.counts.capacity() > 4 * enough_counts_in_text) window.counts = {};
    window.clear();
    while (window.actions.size() < enough_actions_ && window.counts.size() <= enough_counts_in_text &&
           read_some(rank.value)) {
    }
    if (!begun_[rank.index()]) {
        throw InputError(Error{
            path_of(rank.value), 0, 0,
            fmt::format("no actions: expected lines of the form {0} <action>, such as {0} init", rank.value)});
    }
    return window.actions;
}

} // namespace orrery::ti
