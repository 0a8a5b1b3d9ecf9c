#include "emulate/program/library_bindings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <string_view>
#include <sys/mman.h>

namespace orrery::emulate {

namespace {

constexpr std::uintptr_t bound_page = 4096;

struct DynamicTables {
    const Elf64_Sym* symbols = nullptr;
    const char* names = nullptr;
    std::span<const Elf64_Rela> lazy, other;
};

DynamicTables tables_of(const dl_phdr_info& library) {
    const Elf64_Phdr* const end = library.dlpi_phdr + library.dlpi_phnum;
    const auto* const found =
        std::find_if(library.dlpi_phdr, end, [](const Elf64_Phdr& each) { return each.p_type == PT_DYNAMIC; });
    DynamicTables tables;
    if (found == end) return tables;
    const Elf64_Rela* lazy = nullptr;
    const Elf64_Rela* other = nullptr;
    std::size_t lazy_bytes = 0;
    std::size_t other_bytes = 0;
    // The dynamic linker has turned these into addresses, but for those of the vDSO.
    const auto address = [&](const Elf64_Dyn& entry) {
        const Elf64_Addr at = entry.d_un.d_ptr;
        return reinterpret_cast<const void*>(at < library.dlpi_addr ? at + library.dlpi_addr : at);
    };
    for (const auto* entry = reinterpret_cast<const Elf64_Dyn*>(library.dlpi_addr + found->p_vaddr);
         entry->d_tag != DT_NULL; ++entry) {
        switch (entry->d_tag) {
        case DT_SYMTAB: tables.symbols = static_cast<const Elf64_Sym*>(address(*entry)); break;
        case DT_STRTAB: tables.names = static_cast<const char*>(address(*entry)); break;
        case DT_JMPREL: lazy = static_cast<const Elf64_Rela*>(address(*entry)); break;
        case DT_PLTRELSZ: lazy_bytes = entry->d_un.d_val; break;
        case DT_RELA: other = static_cast<const Elf64_Rela*>(address(*entry)); break;
        case DT_RELASZ: other_bytes = entry->d_un.d_val; break;
        default: break;
        }
    }
    if (tables.symbols == nullptr || tables.names == nullptr) return {};
    if (lazy != nullptr) tables.lazy = {lazy, lazy_bytes / sizeof *lazy};
    if (other != nullptr) tables.other = {other, other_bytes / sizeof *other};
    return tables;
}

// Read-only places stay so.
void write_slot(const dl_phdr_info& library, std::uint64_t offset, void* value) {
    const std::uintptr_t at = library.dlpi_addr + offset;
    const Elf64_Phdr* const end = library.dlpi_phdr + library.dlpi_phnum;
    const bool constant = std::any_of(library.dlpi_phdr, end, [&](const Elf64_Phdr& each) {
        return each.p_type == PT_GNU_RELRO && offset - each.p_vaddr < each.p_memsz;
    });
    auto* const page = reinterpret_cast<void*>(at & ~(bound_page - 1));
    if (constant && ::mprotect(page, bound_page, PROT_READ | PROT_WRITE) != 0) return;
    std::memcpy(reinterpret_cast<void*>(at), &value, sizeof value);
    if (constant) (void)::mprotect(page, bound_page, PROT_READ);
}

int bind_library(dl_phdr_info* library, std::size_t /*bytes*/, void* symbols) {
    const std::string_view name = library->dlpi_name;
    if (name.empty() || name.find("/ld-linux") != std::string_view::npos) return 0; // ourselves, the linker
    const DynamicTables tables = tables_of(*library);
    for (const auto relocations : {tables.lazy, tables.other}) {
        for (const Elf64_Rela& each : relocations) {
            const auto type = ELF64_R_TYPE(each.r_info);
            if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
            const char* const refers_to = tables.names + tables.symbols[ELF64_R_SYM(each.r_info)].st_name;
            for (const Symbol& symbol : *static_cast<const std::span<const Symbol>*>(symbols))
                if (std::strcmp(refers_to, symbol.name) == 0)
                    write_slot(*library, each.r_offset, symbol.address);
        }
    }
    return 0;
}

} // namespace

void bind_libraries(std::span<const Symbol> symbols) { (void)::dl_iterate_phdr(bind_library, &symbols); }

} // namespace orrery::emulate
