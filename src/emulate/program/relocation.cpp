// Relocates the first copy of the program. Every reference becomes one of three: an address that is the same
// for all ranks, a place in the program itself (moves with the copy), or a variable of the rank's LibcState.
#include "emulate/program/libc_state.h"
#include "emulate/program/outside.h"
#include "emulate/program/program.h"
#include "engine/error.h"

#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <unordered_map>

namespace orrery::emulate {

// Thread-local variables of the program. The loader puts the address of the rank's block where the dynamic
// linker would put a module's number, so that no look-up is needed.
struct TlsIndex {
    std::uint64_t block, offset;
};
extern "C" void* orrery_tls_get_addr(TlsIndex* index) {
    return reinterpret_cast<void*>(index->block + index->offset);
}

namespace {

template <typename T> void store(std::byte* at, T value) { std::memcpy(at, &value, sizeof value); }

struct Target {
    enum class Kind { none, fixed, internal, variable } kind = Kind::none;
    std::uint64_t value = 0; // an address; for internal from the base; for variable within LibcVariables
};

class Binder {
  public:
    Binder(const ElfImage& image, const std::string& path, std::span<const std::span<const Symbol>> first,
           std::span<const Symbol> mpi)
        : image_(image), path_(path) {
        for (const auto& table : first)
            for (const Symbol& s : table) first_[s.name] = s.address; // a later table wins
        for (const Symbol& s : libc_symbols()) second_[s.name] = s.address;
        for (const Symbol& s : mpi) second_[s.name] = s.address;
        second_["__tls_get_addr"] = reinterpret_cast<void*>(&orrery_tls_get_addr);
    }

    // Interpositions, the program itself (so that it may define MPI_Send and call PMPI_Send), the MPI library
    // and our C library, everything else that is loaded.
    [[nodiscard]] Target find(std::uint32_t symbol) const {
        const auto& s = at(symbol);
        if (const auto it = first_.find(s.name); it != first_.end()) return fixed(it->second);
        if (s.defined) return {s.absolute ? Target::Kind::fixed : Target::Kind::internal, s.value};
        if (const auto it = second_.find(s.name); it != second_.end()) return fixed(it->second);
        if (const auto offset = libc_variable(s.name)) return {Target::Kind::variable, *offset};
        const std::string name(s.name);
        if (void* found = dlsym(RTLD_DEFAULT, name.c_str()); found != nullptr) return fixed(found);
        if (s.binding == STB_WEAK) return {};
        throw InputError(
            Error{path_, 0, 0,
                  fmt::format("the program refers to {}, which neither it nor any library defines", name)});
    }
    [[nodiscard]] const ElfImage::DynamicSymbol& at(std::uint32_t symbol) const {
        if (symbol >= image_.symbols.size())
            throw InputError(Error{path_, 0, 0, "a relocation against a symbol that is not there"});
        return image_.symbols[symbol];
    }

  private:
    static Target fixed(void* address) {
        return {Target::Kind::fixed, reinterpret_cast<std::uint64_t>(address)};
    }

    const ElfImage& image_;
    const std::string& path_;
    std::unordered_map<std::string_view, void*> first_, second_;
};

} // namespace

void Program::relocate(std::byte* base) {
    const ElfImage& image = file_.image();
    const Binder binder(image, file_.path(), interpositions_, options_.mpi);
    const auto origin = reinterpret_cast<std::uint64_t>(base);
    const auto internal = [&](std::uint64_t at, std::uint64_t value) { // value from the base
        store(base + at, origin + value);
        internal_.push_back(at);
    };
    const auto fail = [&](const std::string& reason) { throw InputError(Error{file_.path(), 0, 0, reason}); };
    std::vector<const ElfImage::Relocation*> last; // need everything else in place
    for (const auto& r : image.relocations) {
        const auto addend = static_cast<std::uint64_t>(r.addend);
        switch (r.type) {
        case R_X86_64_RELATIVE: internal(r.address, addend); break;
        case R_X86_64_64:
        case R_X86_64_GLOB_DAT:
        case R_X86_64_JUMP_SLOT: {
            if (r.type == R_X86_64_JUMP_SLOT && (bindings_ == 0 || r.address < bindings_))
                bindings_ = r.address;
            const Target t = binder.find(r.symbol);
            const std::uint64_t more = r.type == R_X86_64_64 ? addend : 0;
            if (t.kind == Target::Kind::internal && binder.at(r.symbol).type == STT_GNU_IFUNC)
                last.push_back(&r);
            else if (t.kind == Target::Kind::internal)
                internal(r.address, t.value + more);
            else if (t.kind == Target::Kind::variable)
                own_slots_.push_back({r.address, t.value + more});
            else
                store(base + r.address, t.value + more);
            break;
        }
        case R_X86_64_IRELATIVE: last.push_back(&r); break;
        case R_X86_64_DTPMOD64:
            if (r.symbol == 0 || binder.at(r.symbol).defined)
                internal(r.address, tls_at_);
            else
                store(base + r.address, std::uint64_t{0});
            break;
        case R_X86_64_DTPOFF64:
            // A variable of a library: all ranks run in one thread, whose copy has one address.
            store(base + r.address, r.symbol == 0                 ? addend
                                    : binder.at(r.symbol).defined ? binder.at(r.symbol).value + addend
                                                                  : binder.find(r.symbol).value + addend);
            break;
        case R_X86_64_TPOFF64: {
            if (r.symbol == 0 || binder.at(r.symbol).defined)
                fail(fmt::format(
                    "the thread-local variable {} is reached by a fixed distance from the thread pointer; "
                    "compile with -fPIC and without -ftls-model (orrery-mpicc)",
                    r.symbol == 0 ? "of a file" : binder.at(r.symbol).name));
            store(base + r.address, binder.find(r.symbol).value + addend - outside::thread_pointer());
            break;
        }
        case R_X86_64_COPY: {
            const auto& s = binder.at(r.symbol);
            const std::string name(s.name);
            const void* from = dlsym(RTLD_DEFAULT, name.c_str());
            if (from == nullptr) fail(fmt::format("no library defines {}, which the program copies", name));
            std::memcpy(base + r.address, from, s.bytes);
            break;
        }
        default:
            fail(fmt::format(
                "a relocation of type {} is not supported; compile with -fPIC and without -mtls-dialect=gnu2",
                r.type));
        }
    }
    // Functions whose version is chosen at load time: the choice is the same for all ranks.
    for (const auto* r : last) {
        const std::uint64_t resolver =
            r->type == R_X86_64_IRELATIVE ? static_cast<std::uint64_t>(r->addend) : binder.at(r->symbol).value;
        if (resolver >= image.writable_from) fail("a choice of functions outside the program's code");
        using Resolver = std::uint64_t (*)();
        const std::uint64_t chosen = reinterpret_cast<Resolver>(origin + resolver)();
        if (chosen - origin < image.end)
            internal(r->address, chosen - origin);
        else
            store(base + r->address, chosen);
    }
}

} // namespace orrery::emulate
