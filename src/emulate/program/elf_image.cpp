#include "emulate/program/elf_image.h"

#include "engine/error.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>

namespace orrery::emulate {

namespace {

constexpr std::uint64_t elf_page = 4096;
constexpr std::uint64_t largest_image = std::uint64_t{1} << 40;

class Parser {
  public:
    Parser(std::span<const std::byte> file, const std::string& name) : file_(file), name_(name) {}

    ElfImage parse() {
        check_magic();
        const auto header = read<Elf64_Ehdr>(0, "header");
        check_header(header);
        read_segments(header);
        read_dynamic();
        read_symbols();
        read_relocations(rela_, rela_bytes_);
        read_relocations(plt_, plt_bytes_);
        read_constant_part(header);
        return std::move(image_);
    }

  private:
    [[noreturn]] void fail(const std::string& reason) const { throw InputError(Error{name_, 0, 0, reason}); }

    template <typename T> T read(std::uint64_t offset, const char* what) const {
        T value;
        std::memcpy(&value, bytes(offset, sizeof(T), what).data(), sizeof(T));
        return value;
    }
    std::span<const std::byte> bytes(std::uint64_t offset, std::uint64_t count, const char* what) const {
        if (offset > file_.size() || count > file_.size() - offset)
            fail(fmt::format("the file ends within its {} (damaged or cut off)", what));
        return file_.subspan(offset, count);
    }
    // Where the file holds `count` bytes of the image from `address` on.
    std::uint64_t offset_of(std::uint64_t address, std::uint64_t count, const char* what) const {
        for (const auto& s : image_.segments)
            if (address >= s.address && address - s.address <= s.file_bytes &&
                count <= s.file_bytes - (address - s.address))
                return s.offset + (address - s.address);
        fail(fmt::format("its {} at {:#x} lies in no segment", what, address));
    }
    void in_image(std::uint64_t address, std::uint64_t count, const char* what) const {
        for (const auto& s : image_.segments)
            if (address >= s.address && address - s.address <= s.bytes &&
                count <= s.bytes - (address - s.address))
                return;
        fail(fmt::format("its {} at {:#x} lies in no segment", what, address));
    }
    void writable(std::uint64_t address, std::uint64_t count, const char* what) const {
        in_image(address, count, what);
        if (address < image_.writable_from)
            fail(fmt::format("its {} at {:#x} is in a read-only segment; compile with -fPIC (orrery-mpicc)",
                             what, address));
    }

    void check_magic() const {
        if (file_.size() < SELFMAG || std::memcmp(file_.data(), ELFMAG, SELFMAG) != 0)
            fail("not a program (no ELF header); a script cannot be run, give the program itself, which "
                 "orrery-mpicc makes of source code");
    }

    void check_header(const Elf64_Ehdr& h) const {
        if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_machine != EM_X86_64)
            fail("a program for another kind of machine; expected 64-bit x86");
        if (h.e_type != ET_DYN)
            fail("not position-independent; build it with orrery-mpicc, orrery-mpicxx or orrery-mpif90");
        if (h.e_phentsize != sizeof(Elf64_Phdr)) fail("program headers of unknown size");
    }

    void read_segments(const Elf64_Ehdr& header) {
        for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
            const std::uint64_t at = i * sizeof(Elf64_Phdr);
            if (header.e_phoff > file_.size()) fail("the program headers lie behind the end of the file");
            const auto p = read<Elf64_Phdr>(header.e_phoff + at, "program headers");
            switch (p.p_type) {
            case PT_LOAD: add_segment(p); break;
            case PT_DYNAMIC: dynamic_ = p; break;
            case PT_TLS:
                image_.tls = {p.p_vaddr, p.p_filesz, p.p_memsz, std::max<std::uint64_t>(p.p_align, 1)};
                break;
            case PT_GNU_EH_FRAME: image_.unwind_header = p.p_vaddr; break;
            default: break;
            }
        }
        if (image_.segments.empty()) fail("a program without segments");
        image_.end = image_.segments.back().address + image_.segments.back().bytes;
        image_.writable_from = (image_.end + elf_page - 1) / elf_page * elf_page;
        for (const auto& s : image_.segments) {
            if (s.writable)
                image_.writable_from = std::min(image_.writable_from, s.address / elf_page * elf_page);
            else if (s.address + s.bytes > image_.writable_from)
                fail("a read-only segment above or within the page of a writable one; link with orrery-mpicc");
        }
        if (image_.tls) {
            const auto& t = *image_.tls;
            if (t.file_bytes > t.bytes || t.bytes > largest_image || t.alignment > elf_page ||
                (t.alignment & (t.alignment - 1)) != 0)
                fail("impossible thread-local storage");
            offset_of(t.address, t.file_bytes, "thread-local storage");
        }
        if (image_.unwind_header) offset_of(*image_.unwind_header, 8, "unwind table");
    }

    void add_segment(const Elf64_Phdr& p) {
        if (p.p_memsz == 0) return;
        bytes(p.p_offset, p.p_filesz, "segments");
        if (p.p_filesz > p.p_memsz || p.p_memsz > largest_image || p.p_vaddr > largest_image)
            fail("a segment of impossible size");
        if (p.p_vaddr % elf_page != p.p_offset % elf_page) fail("a segment that is not aligned to pages");
        auto& all = image_.segments;
        if (!all.empty() && p.p_vaddr < all.back().address + all.back().bytes) fail("segments that overlap");
        const bool write = (p.p_flags & PF_W) != 0;
        if (!write && p.p_filesz != p.p_memsz) fail("a read-only segment with bytes that are not in the file");
        all.push_back({p.p_offset, p.p_filesz, p.p_vaddr, p.p_memsz, write, (p.p_flags & PF_X) != 0});
    }

    void read_dynamic() {
        if (!dynamic_) fail("a static program; it must be linked dynamically (orrery-mpicc)");
        const std::uint64_t from = offset_of(dynamic_->p_vaddr, dynamic_->p_filesz, "dynamic section");
        std::vector<std::uint64_t> needed;
        std::optional<std::uint64_t> runpath, rpath;
        std::uint64_t init_bytes = 0, fini_bytes = 0;
        for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic_->p_filesz; at += sizeof(Elf64_Dyn)) {
            const auto d = read<Elf64_Dyn>(from + at, "dynamic section");
            if (d.d_tag == DT_NULL) break;
            switch (d.d_tag) {
            case DT_NEEDED: needed.push_back(d.d_un.d_val); break;
            case DT_RUNPATH: runpath = d.d_un.d_val; break;
            case DT_RPATH: rpath = d.d_un.d_val; break;
            case DT_STRTAB: strings_ = d.d_un.d_ptr; break;
            case DT_STRSZ: string_bytes_ = d.d_un.d_val; break;
            case DT_SYMTAB: symbols_ = d.d_un.d_ptr; break;
            case DT_GNU_HASH: gnu_hash_ = d.d_un.d_ptr; break;
            case DT_HASH: hash_ = d.d_un.d_ptr; break;
            case DT_RELA: rela_ = d.d_un.d_ptr; break;
            case DT_RELASZ: rela_bytes_ = d.d_un.d_val; break;
            case DT_JMPREL: plt_ = d.d_un.d_ptr; break;
            case DT_PLTRELSZ: plt_bytes_ = d.d_un.d_val; break;
            case DT_INIT: image_.init = d.d_un.d_ptr; break;
            case DT_FINI: image_.fini = d.d_un.d_ptr; break;
            case DT_INIT_ARRAY: image_.init_array.address = d.d_un.d_ptr; break;
            case DT_INIT_ARRAYSZ: init_bytes = d.d_un.d_val; break;
            case DT_FINI_ARRAY: image_.fini_array.address = d.d_un.d_ptr; break;
            case DT_FINI_ARRAYSZ: fini_bytes = d.d_un.d_val; break;
            case DT_TEXTREL: fail("its code needs relocations; compile with -fPIC (orrery-mpicc)");
            case DT_RELR: fail("packed relocations (-z pack-relative-relocs) are not supported; link without");
            default: break;
            }
        }
        if (string_bytes_ != 0) string_offset_ = offset_of(strings_, string_bytes_, "string table");
        for (const std::uint64_t name : needed) image_.needed.emplace_back(string(name));
        if (runpath || rpath) image_.search_path = string(runpath ? *runpath : *rpath);
        image_.init_array.count = init_bytes / 8;
        image_.fini_array.count = fini_bytes / 8;
        if (init_bytes != 0) writable(image_.init_array.address, init_bytes, "list of constructors");
        if (fini_bytes != 0) writable(image_.fini_array.address, fini_bytes, "list of destructors");
        if (image_.init) in_image(*image_.init, 1, "initialiser");
        if (image_.fini) in_image(*image_.fini, 1, "finaliser");
    }

    std::string_view string(std::uint64_t at) const {
        if (at >= string_bytes_) fail("a name outside the string table");
        const auto table = bytes(string_offset_, string_bytes_, "string table");
        const auto* start = reinterpret_cast<const char*>(table.data()) + at;
        const auto* stop = static_cast<const char*>(std::memchr(start, 0, string_bytes_ - at));
        if (stop == nullptr) fail("a name that does not end within the string table");
        return {start, static_cast<std::size_t>(stop - start)};
    }

    std::uint64_t symbol_count() const {
        if (hash_) {
            const std::uint64_t at = offset_of(*hash_, 8, "symbol hash table");
            return read<std::uint32_t>(at + 4, "symbol hash table");
        }
        if (!gnu_hash_) return 0;
        const std::uint64_t at = offset_of(*gnu_hash_, 16, "symbol hash table");
        const std::uint64_t buckets = read<std::uint32_t>(at, "symbol hash table");
        const std::uint64_t first = read<std::uint32_t>(at + 4, "symbol hash table");
        const std::uint64_t bloom = read<std::uint32_t>(at + 8, "symbol hash table");
        const std::uint64_t heads = at + 16 + 8 * bloom;
        bytes(heads, 4 * buckets, "symbol hash table");
        std::uint64_t last = 0;
        for (std::uint64_t b = 0; b < buckets; ++b)
            last = std::max<std::uint64_t>(last, read<std::uint32_t>(heads + 4 * b, "symbol hash table"));
        if (last < first) return first; // nothing is defined
        const std::uint64_t chains = heads + 4 * buckets;
        while ((read<std::uint32_t>(chains + 4 * (last - first), "symbol hash table") & 1) == 0) ++last;
        return last + 1;
    }

    void read_symbols() {
        std::uint64_t count = symbol_count();
        // With the GNU table alone, undefined symbols may be the only ones, and its start is then not telling.
        for (const auto& [from, size] : {std::pair{rela_, rela_bytes_}, std::pair{plt_, plt_bytes_}}) {
            if (size == 0) continue;
            const std::uint64_t at = offset_of(from, size, "relocations");
            for (std::uint64_t i = 0; i < size / sizeof(Elf64_Rela); ++i) {
                const auto r = read<Elf64_Rela>(at + i * sizeof(Elf64_Rela), "relocations");
                if (const auto s = ELF64_R_SYM(r.r_info); s != 0) count = std::max<std::uint64_t>(count, s + 1);
            }
        }
        if (count == 0) return;
        if (count > file_.size()) fail("more symbols than the file could hold");
        const std::uint64_t at = offset_of(symbols_, count * sizeof(Elf64_Sym), "symbols");
        image_.symbols.reserve(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto s = read<Elf64_Sym>(at + i * sizeof(Elf64_Sym), "symbols");
            const auto type = static_cast<std::uint8_t>(ELF64_ST_TYPE(s.st_info));
            const auto binding = static_cast<std::uint8_t>(ELF64_ST_BIND(s.st_info));
            const bool defined = s.st_shndx != SHN_UNDEF && i != 0;
            const bool absolute = s.st_shndx == SHN_ABS;
            if (defined && !absolute && type != STT_TLS && s.st_value > image_.end)
                fail(fmt::format("the symbol {} lies outside the program", string(s.st_name)));
            image_.symbols.push_back(
                {string(s.st_name), s.st_value, s.st_size, type, binding, defined, absolute});
        }
    }

    void read_relocations(std::uint64_t from, std::uint64_t size) {
        if (size == 0) return;
        const std::uint64_t at = offset_of(from, size, "relocations");
        for (std::uint64_t i = 0; i < size / sizeof(Elf64_Rela); ++i) {
            const auto r = read<Elf64_Rela>(at + i * sizeof(Elf64_Rela), "relocations");
            const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(r.r_info));
            const auto symbol = static_cast<std::uint32_t>(ELF64_R_SYM(r.r_info));
            if (type == R_X86_64_NONE) continue;
            std::uint64_t width = 8;
            if (type == R_X86_64_COPY && symbol < image_.symbols.size()) width = image_.symbols[symbol].bytes;
            writable(r.r_offset, width, "relocation");
            image_.relocations.push_back({r.r_offset, r.r_addend, type, symbol});
        }
    }

    // The sections that only relocation writes come first in the writable segment. Without section headers
    // everything counts as written.
    void read_constant_part(const Elf64_Ehdr& header) {
        image_.constant_to = image_.writable_from;
        if (header.e_shoff == 0 || header.e_shentsize != sizeof(Elf64_Shdr) ||
            header.e_shstrndx >= header.e_shnum || header.e_shoff > file_.size() ||
            header.e_shnum > (file_.size() - header.e_shoff) / sizeof(Elf64_Shdr))
            return;
        const auto section = [&](std::uint64_t i) {
            return read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr), "section headers");
        };
        const auto names = section(header.e_shstrndx);
        if (names.sh_offset > file_.size() || names.sh_size > file_.size() - names.sh_offset) return;
        const auto name_of = [&](const Elf64_Shdr& s) -> std::string_view {
            if (s.sh_name >= names.sh_size) return {};
            const auto* start = reinterpret_cast<const char*>(file_.data() + names.sh_offset + s.sh_name);
            return {start, strnlen(start, names.sh_size - s.sh_name)};
        };
        std::uint64_t written = image_.end; // where the first section starts that the program may write
        for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
            const auto s = section(i);
            if ((s.sh_flags & SHF_WRITE) == 0 || (s.sh_flags & SHF_ALLOC) == 0 || s.sh_type == SHT_DYNAMIC ||
                s.sh_type == SHT_INIT_ARRAY || s.sh_type == SHT_FINI_ARRAY || (s.sh_flags & SHF_TLS) != 0)
                continue;
            const auto name = name_of(s);
            if (name.starts_with(".data.rel.ro") || name == ".got" || name == ".got.plt") continue;
            written = std::min(written, s.sh_addr);
        }
        if (written > image_.writable_from) image_.constant_to = std::min(written, image_.end);
    }

    std::span<const std::byte> file_;
    const std::string& name_;
    ElfImage image_;
    std::optional<Elf64_Phdr> dynamic_;
    std::uint64_t strings_ = 0, string_bytes_ = 0, string_offset_ = 0, symbols_ = 0;
    std::uint64_t rela_ = 0, rela_bytes_ = 0, plt_ = 0, plt_bytes_ = 0;
    std::optional<std::uint64_t> hash_, gnu_hash_;
};

} // namespace

const ElfImage::DynamicSymbol* ElfImage::find(std::string_view name) const {
    const auto it = std::find_if(symbols.begin(), symbols.end(),
                                 [&](const auto& s) { return s.defined && s.name == name; });
    return it == symbols.end() ? nullptr : &*it;
}

const ElfImage::DynamicSymbol* ElfImage::at(std::uint64_t address) const {
    const DynamicSymbol* best = nullptr;
    for (const auto& s : symbols)
        if (s.defined && s.value <= address && address - s.value < std::max<std::uint64_t>(s.bytes, 1) &&
            (s.type == STT_FUNC || s.type == STT_OBJECT))
            best = &s;
    return best;
}

ElfImage parse_elf(std::span<const std::byte> file, const std::string& name) {
    return Parser(file, name).parse();
}

} // namespace orrery::emulate
