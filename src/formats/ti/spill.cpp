#include "formats/ti/spill.h"

#include "engine/error.h"
#include "formats/ti/line_parser.h"
#include "formats/ti/line_reader.h"
#include "formats/ti/oti_encoder.h"
#include "formats/ti/oti_source.h"

#include <fmt/format.h>

namespace orrery::ti {

namespace {

// Parses the line that `reader` stands at and hands its actions to `encoder`.
void take_line(LineParser& parser, LineReader& reader, RankContext& context, Grammar& grammar, Window& window,
               SegmentEncoder& encoder) {
    window.clear();
    try {
        if (!parser.action(context, grammar, window)) {
            grammar = guess_grammar(reader.ahead());
            (void)parser.action(context, grammar, window);
        }
    } catch (const InputError& error) {
        if (!reader.cut_off()) throw;
        Error what = error.error();
        what.reason += " (the file ends in this line, without a newline: it may have been cut off)";
        throw InputError(what);
    }
    for (const Action& action : window.actions)
        encoder.add(action, std::span(window.counts).subspan(action.first_count, action.counts));
}

} // namespace

std::unique_ptr<Spill> Spill::of_merged(const std::string& path, std::uint32_t ranks) {
    std::unique_ptr<Spill> spill(new Spill({path}, ranks));
    struct Rank {
        RankContext context;
        SegmentEncoder encoder{true};
    };
    std::vector<Rank> state(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        state[rank].context.rank = rank;
        state[rank].context.written_rank = rank;
    }
    const std::size_t segment = segment_bytes(ranks);
    std::string bytes;
    spill->file_.write("spilled."); // no segment begins at 0
    const auto flush = [&](std::uint32_t rank) {
        spill->segments_[rank].push_back(spill->file_.position());
        bytes.clear();
        state[rank].encoder.take(bytes);
        spill->file_.write(bytes);
    };
    LineReader reader(path);
    LineParser parser(ranks, spill->tally_);
    parser.begin_file(path);
    Grammar grammar = Grammar::unknown;
    Window window;
    while (const char* line = reader.next()) {
        parser.begin_line(line, reader.number());
        if (!parser.anything()) continue;
        const std::uint32_t rank = parser.rank();
        if (rank >= ranks) parser.fail(fmt::format("rank {}: the file has changed while it was read", rank));
        take_line(parser, reader, state[rank].context, grammar, window, state[rank].encoder);
        if (state[rank].encoder.bytes() >= segment) flush(rank);
    }
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        if (state[rank].encoder.bytes() > 0) flush(rank);
    }
    spill->close();
    return spill;
}

std::unique_ptr<Spill> Spill::of_files(const std::vector<std::string>& paths) {
    const auto ranks = static_cast<std::uint32_t>(paths.size());
    std::unique_ptr<Spill> spill(new Spill(paths, ranks));
    const std::size_t segment = segment_bytes(ranks);
    std::string bytes;
    spill->file_.write("spilled.");
    LineParser parser(ranks, spill->tally_);
    Window window;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        RankContext context;
        context.rank = rank;
        context.written_rank = rank;
        SegmentEncoder encoder(true);
        const auto flush = [&] {
            spill->segments_[rank].push_back(spill->file_.position());
            bytes.clear();
            encoder.take(bytes);
            spill->file_.write(bytes);
        };
        LineReader reader(paths[rank]);
        parser.begin_file(paths[rank]);
        Grammar grammar = Grammar::unknown;
        bool begun = false;
        while (const char* line = reader.next()) {
            parser.begin_line(line, reader.number());
            if (!parser.anything()) continue;
            if (const std::uint32_t found = parser.rank(); found != rank)
                parser.fail(
                    fmt::format("a line of rank {}; expected rank {}, whose file this is", found, rank));
            begun = true;
            take_line(parser, reader, context, grammar, window, encoder);
            if (encoder.bytes() >= segment) flush();
        }
        if (encoder.bytes() > 0) flush();
        if (!begun) {
            throw InputError(Error{
                paths[rank], 0, 0,
                fmt::format("no actions: expected lines of the form {0} <action>, such as {0} init", rank)});
        }
    }
    spill->close();
    return spill;
}

std::unique_ptr<Spill> Spill::of_source(ActionSource& source) {
    const std::uint32_t ranks = source.ranks();
    std::vector<std::string> paths;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) paths.push_back(source.file(RankId{rank}));
    std::unique_ptr<Spill> spill(new Spill(std::move(paths), ranks));
    const std::size_t segment = segment_bytes(ranks);
    std::string bytes;
    spill->file_.write("spilled.");
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        SegmentEncoder encoder(true);
        const auto flush = [&] {
            spill->segments_[rank].push_back(spill->file_.position());
            bytes.clear();
            encoder.take(bytes);
            spill->file_.write(bytes);
        };
        for (std::span<const Action> window; !(window = source.next(RankId{rank})).empty();) {
            for (const Action& action : window) {
                encoder.add(action, source.counts(RankId{rank}, action));
                if (encoder.bytes() >= segment) flush();
            }
        }
        if (encoder.bytes() > 0) flush();
    }
    spill->close();
    return spill;
}

void Spill::close() {
    file_.flush();
    mapped_ = std::make_unique<MappedFile>(file_.path());
}

std::unique_ptr<ActionSource> Spill::source(std::uint32_t copies) const {
    return std::make_unique<OtiSource>(mapped_->bytes(), segments_, paths_, copies);
}

} // namespace orrery::ti
