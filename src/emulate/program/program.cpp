#include "emulate/program/program.h"

#include "emulate/program/descriptors.h"
#include "emulate/program/libc_state.h"
#include "emulate/program/output.h"
#include "engine/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace orrery::emulate {

namespace {

constexpr std::uint64_t program_page = 4096;
std::uint64_t page_up(std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step * step; }

} // namespace

Program* Program::active = nullptr;

Privatise privatise_from(std::string_view words) {
    if (words == "segments") return Privatise::segments;
    if (words == "copy") return Privatise::copy;
    if (words == "none") return Privatise::none;
    throw UsageError(fmt::format("--privatize {}: expected segments, copy or none", words));
}

Privatise usual_mechanism(std::uint32_t ranks, std::size_t variables) {
    constexpr std::uint32_t many = 256;               // their copies of the program no longer fit the caches
    constexpr std::size_t few = std::size_t{8} << 10; // more take longer to look at than is gained
    if (std::size_t{2} * ranks > mappings_left()) return Privatise::copy;
    return ranks >= many && variables <= few ? Privatise::copy : Privatise::segments;
}

Program::Program(ProgramOptions options) : options_(std::move(options)), file_(options_.path) {
    const ElfImage& image = file_.image();
    data_end_ = tls_at_ = image.end;
    if (image.tls) {
        const std::uint64_t shift = image.tls->address % image.tls->alignment;
        tls_at_ = page_up(image.end, image.tls->alignment) + shift;
        data_end_ = tls_at_ + image.tls->bytes;
    }
    mechanism_ = options_.mechanism.value_or(usual_mechanism(options_.ranks, data_end_ - image.constant_to));
    copies_ = mechanism_ == Privatise::segments ? options_.ranks : 1;
    if (std::size_t{2} * copies_ > mappings_left())
        throw UsageError(fmt::format("{} ranks need {} mappings of memory, more than the system permits; "
                                     "try --privatize copy",
                                     copies_, 2 * copies_));
    file_.load_libraries();
    stride_ = page_up(data_end_, program_page);
    reserve();
    start_output(options_.tag_output);
    own_streams_ = options_.tag_output;
    for (const char* name : {"scanf", "__isoc99_scanf", "vscanf", "__isoc99_vscanf", "getchar", "gets"})
        if (refers_to(name)) own_streams_ = true; // these read stdin without naming it
    busy_switch_ = mechanism_ != Privatise::segments || own_streams_;
    active = this;
}

Program::~Program() {
    if (active == this) active = nullptr;
    stop_output();
    munmap(area_, stride_ * copies_);
}

void Program::reserve() {
    auto* hint = reinterpret_cast<void*>(std::uintptr_t{0x200000000000}); // the same addresses from run to run
    void* area = mmap(hint, stride_ * copies_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED)
        throw UsageError(fmt::format("no address space for {} copies of {} ({} bytes each): {}", copies_,
                                     file_.path(), stride_, std::strerror(errno)));
    area_ = static_cast<std::byte*>(area);
}

void Program::map_text(std::byte* base) const {
    for (const auto& s : file_.image().segments) {
        if (s.writable) continue;
        const std::uint64_t before = s.address % program_page;
        void* at = mmap(base + s.address - before, s.bytes + before, PROT_READ | (s.executable ? PROT_EXEC : 0),
                        MAP_PRIVATE | MAP_FIXED, file_.descriptor(), static_cast<off_t>(s.offset - before));
        if (at == MAP_FAILED)
            throw InputError(
                Error{file_.path(), 0, 0,
                      fmt::format("cannot map the program's code once more: {}", std::strerror(errno))});
    }
}

void Program::add_interposition(std::span<const Symbol> symbols) { interpositions_.push_back(symbols); }

bool Program::refers_to(std::string_view name) const {
    const ElfImage& image = file_.image();
    return std::any_of(image.relocations.begin(), image.relocations.end(), [&](const auto& r) {
        return r.symbol != 0 && r.symbol < image.symbols.size() && image.symbols[r.symbol].name == name;
    });
}

std::vector<const char*> Program::referred_names() const {
    const ElfImage& image = file_.image();
    std::vector<std::string_view> names; // each ends with a zero in the file
    for (const auto& r : image.relocations)
        if (r.symbol != 0 && r.symbol < image.symbols.size()) names.push_back(image.symbols[r.symbol].name);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::vector<const char*> all;
    for (const auto name : names) all.push_back(name.data());
    return all;
}

void Program::prepare() {
    const ElfImage& image = file_.image();
    map_text(area_);
    std::uint64_t end = image.writable_from;
    for (const auto& s : image.segments) {
        if (!s.writable) continue;
        std::memcpy(area_ + s.address, file_.bytes().data() + s.offset, s.file_bytes);
        end = std::max(end, s.address + s.file_bytes);
    }
    for (const auto& r : image.relocations) // a copied variable lies in the zeroed part
        if (r.symbol != 0 && r.symbol < image.symbols.size())
            end =
                std::max(end, std::min(image.end,
                                       r.address + std::max<std::uint64_t>(image.symbols[r.symbol].bytes, 8)));
    relocate(area_);
    template_.assign(area_ + image.writable_from, area_ + end);
    if (image.tls) {
        const auto& t = *image.tls;
        tls_template_.assign(area_ + t.address, area_ + t.address + t.file_bytes);
        for (std::size_t i = 0, known = internal_.size(); i < known; ++i) // pointers within the block
            if (internal_[i] - t.address < t.file_bytes)
                internal_.push_back(internal_[i] - t.address + tls_at_);
    }
    std::sort(internal_.begin(), internal_.end());
    fill(area_); // with `none` this is what all ranks use
    if (mechanism_ == Privatise::copy)
        variables_ = SwappedVariables(area_ + image.constant_to, data_end_ - image.constant_to, options_.ranks);
    prepared_ = true;
}

void Program::fill(std::byte* base) const {
    std::memcpy(base + file_.image().writable_from, template_.data(), template_.size());
    if (!tls_template_.empty()) std::memcpy(base + tls_at_, tls_template_.data(), tls_template_.size());
    const auto moved = static_cast<std::uint64_t>(base - area_);
    if (moved == 0) return;
    for (const std::uint64_t at : internal_) {
        std::uint64_t pointer = 0;
        std::memcpy(&pointer, base + at, sizeof pointer);
        pointer += moved;
        std::memcpy(base + at, &pointer, sizeof pointer);
    }
}

std::vector<std::byte> Program::fresh_locals(const Rank& rank) const {
    std::vector<std::byte> locals(data_end_ - tls_at_);
    std::copy(tls_template_.begin(), tls_template_.end(), locals.begin());
    const auto moved = static_cast<std::uint64_t>(rank.instance->base() - area_);
    for (auto at = std::lower_bound(internal_.begin(), internal_.end(), tls_at_); at != internal_.end(); ++at) {
        std::uint64_t pointer = 0;
        std::memcpy(&pointer, locals.data() + (*at - tls_at_), sizeof pointer);
        pointer += moved;
        std::memcpy(locals.data() + (*at - tls_at_), &pointer, sizeof pointer);
    }
    return locals;
}

std::vector<std::byte> Program::swap_locals(const Rank& rank, std::vector<std::byte> locals) const {
    std::byte* const block = rank.instance->base() + tls_at_;
    std::swap_ranges(locals.begin(), locals.end(), block);
    return locals;
}

void Program::bind_variables(std::byte* base, LibcState& libc) const {
    auto* variables = reinterpret_cast<std::byte*>(&libc.variables);
    for (const OwnSlot& slot : own_slots_) {
        std::byte* const target = variables + slot.offset;
        std::memcpy(base + slot.address, &target, sizeof target);
    }
}

void Program::instantiate(Rank& rank, Stack& stack) {
    if (!prepared_) prepare();
    rank.libc = std::make_unique<LibcState>();
    open_output(rank, options_.tag_output);
    std::vector<std::string> arguments{options_.path};
    arguments.insert(arguments.end(), options_.arguments.begin(), options_.arguments.end());
    rank.libc->set_arguments(arguments, stack);
    std::byte* base = area_;
    if (mechanism_ == Privatise::segments) {
        base += rank.index * stride_;
        if (rank.index != 0) map_text(base);
        fill(base);
        bind_variables(base, *rank.libc);
    }
    rank.instance = std::make_unique<Instance>(base);
    if (mechanism_ == Privatise::segments && bindings_ != 0) rank.needed_soon = base + bindings_;
}

void Program::switch_to(Rank& rank) {
    if (mechanism_ == Privatise::copy && active_rank_ != &rank) {
        if (active_rank_ != nullptr) {
            if (active_rank_->ended) {
                variables_.drop(active_rank_->instance->saved_);
            } else {
                variables_.save(active_rank_->instance->saved_);
                active_rank_->needed_soon = variables_.first_needed(active_rank_->instance->saved_);
            }
        }
        variables_.restore(rank.instance->saved_);
        active_rank_ = &rank;
    }
    if (mechanism_ != Privatise::segments) bind_variables(area_, *rank.libc);
    if (own_descriptors_) descriptors::install(rank);
    if (own_streams_) select_output(rank.libc->variables);
}

void Program::follow_streams() {
    own_streams_ = busy_switch_ = true;
    follow_cpp_streams();
    select_output(self().libc->variables);
}

void Program::restore_streams() const {
    if (own_streams_) select_real_output();
}

void* Program::where(Rank& rank, void* address) {
    if (mechanism_ != Privatise::copy || !variables_.has(address) || active_rank_ == &rank) return address;
    SavedVariables& saved = rank.instance->saved_;
    return saved.bytes == nullptr ? address : variables_.find(saved, address);
}

void* Program::symbol(Rank& rank, std::string_view name) const {
    const auto* found = file_.image().find(name);
    return found == nullptr ? nullptr : rank.instance->base() + found->value;
}

bool Program::own(const std::byte* at) const { return at >= area_ && at < area_ + stride_ * copies_; }

bool Program::find_unwind(const void* address, Unwind& found) const {
    const auto* at = static_cast<const std::byte*>(address);
    if (!own(at) || !file_.image().unwind_header) return false;
    found.start = area_ + static_cast<std::size_t>(at - area_) / stride_ * stride_;
    found.end = found.start + stride_;
    found.header = found.start + *file_.image().unwind_header;
    return true;
}

std::optional<std::uint64_t> Program::offset(const void* address) const {
    const auto* at = static_cast<const std::byte*>(address);
    if (!own(at)) return std::nullopt;
    return static_cast<std::size_t>(at - area_) % stride_;
}

std::string Program::describe(const void* address) const {
    const std::optional<std::uint64_t> at = offset(address);
    if (!at) return {};
    const auto* found = file_.image().at(*at);
    if (found == nullptr) return fmt::format("offset {:#x} of {}", *at, file_.path());
    return fmt::format("{}+{:#x} (offset {:#x} of {})", found->name, *at - found->value, *at, file_.path());
}

} // namespace orrery::emulate
