#include "formats/paraver/thread_spill.h"

#include "workload/mapped_file.h"

#include <algorithm>
#include <string_view>

namespace orrery::dimemas {

ThreadSpill::ThreadSpill(std::size_t threads)
    : threads_(threads),
      piece_(std::clamp<std::size_t>((std::size_t{64} << 20) / std::max<std::size_t>(threads, 1), 1024,
                                     std::size_t{256} << 10)) {}

void ThreadSpill::spill(std::size_t thread) {
    Thread& each = threads_[thread];
    each.pieces.push_back({file_.position(), each.text.size()});
    file_.write(each.text);
    each.text.clear();
}

void ThreadSpill::give(std::size_t thread, ti::TemporaryFile& to) {
    Thread& each = threads_[thread];
    if (!each.pieces.empty()) {
        file_.flush();
        const MappedFile mapped(file_.path());
        const auto* const bytes = reinterpret_cast<const char*>(mapped.bytes().data());
        for (const Piece& piece : each.pieces)
            to.write(std::string_view(bytes + piece.offset, static_cast<std::size_t>(piece.bytes)));
    }
    to.write(each.text);
    each = {};
}

} // namespace orrery::dimemas
