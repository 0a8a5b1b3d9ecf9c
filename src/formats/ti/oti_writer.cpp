#include "engine/error.h"
#include "engine/output_file.h"
#include "formats/ti/oti_checksum.h"
#include "formats/ti/oti_encoder.h"
#include "formats/ti/oti_layout.h"
#include "formats/ti/writers.h"

#include <fmt/format.h>
#include <vector>

namespace orrery {

using namespace ti;

TiWritten write_oti(ActionSource& source, const std::string& path, const Tally& tally) {
    OutputFile file(path);
    OtiHeader header;
    header.ranks = source.ranks();
    file.write(&header, sizeof header);

    std::vector<RankEntry> index(source.ranks());
    const std::size_t segment = segment_bytes(source.ranks());
    std::string bytes;
    for (std::uint32_t rank = 0; rank < source.ranks(); ++rank) {
        SegmentEncoder encoder(false);
        const auto flush = [&] {
            bytes.clear();
            encoder.take(bytes);
            file.write(bytes);
        };
        index[rank].offset = file.position();
        for (std::span<const Action> window; !(window = source.next(RankId{rank})).empty();) {
            for (const Action& action : window) {
                encoder.add(action, source.counts(RankId{rank}, action));
                if (encoder.bytes() >= segment) flush();
            }
        }
        if (encoder.bytes() > 0) flush();
        index[rank].bytes = file.position() - index[rank].offset;
        index[rank].actions = encoder.actions();
        index[rank].requests = encoder.requests();
        if (encoder.requests() > most_requests) {
            throw InputError(
                Error{source.file(RankId{rank}), 0, 0,
                      fmt::format("rank {} has {} requests pending at once; a binary trace holds {}", rank,
                                  encoder.requests(), most_requests)});
        }
        header.actions += encoder.actions();
    }
    header.index_offset = file.position();
    header.file_bytes = header.index_offset + index.size() * sizeof(RankEntry);
    header.tally = tally.counts;
    header.checksum = checksum_of(header, std::as_bytes(std::span(index)));
    file.write(index.data(), index.size() * sizeof(RankEntry));
    file.write_at(0, &header, sizeof header);
    file.commit();
    return {header.actions, header.file_bytes};
}

} // namespace orrery
