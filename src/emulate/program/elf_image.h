// What an ELF file says about how to load it: parsed once, every number checked against the file.
//
// Only 64-bit x86 shared objects and position-independent executables. A damaged file throws an InputError
// that names it; nothing here maps or runs anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::emulate {

struct ElfImage {
    struct Segment {                      // PT_LOAD
        std::uint64_t offset, file_bytes; // in the file
        std::uint64_t address, bytes;     // in memory, from the image's base
        bool writable, executable;
    };
    struct Relocation {
        std::uint64_t address;
        std::int64_t addend;
        std::uint32_t type, symbol;
    };
    struct DynamicSymbol {
        std::string_view name; // in the file's bytes
        std::uint64_t value, bytes;
        std::uint8_t type, binding;
        bool defined, absolute;
    };
    struct Tls {
        std::uint64_t address, file_bytes, bytes, alignment;
    };
    struct Array { // of pointers
        std::uint64_t address = 0, count = 0;
    };

    std::vector<Segment> segments;   // by address
    std::uint64_t writable_from = 0; // where the first page of the writable segments starts
    std::uint64_t constant_to = 0;   // above writable_from: nothing below is written once relocated
    std::uint64_t end = 0;           // of the last segment
    std::vector<DynamicSymbol> symbols;
    std::vector<Relocation> relocations;
    std::vector<std::string> needed;
    std::string search_path; // DT_RUNPATH, otherwise DT_RPATH
    std::optional<Tls> tls;
    std::optional<std::uint64_t> init, fini;
    Array init_array, fini_array;
    std::optional<std::uint64_t> unwind_header; // PT_GNU_EH_FRAME

    // The defined symbol of that name; null if there is none.
    [[nodiscard]] const DynamicSymbol* find(std::string_view name) const;
    // The defined function or variable that holds this address; null if there is none.
    [[nodiscard]] const DynamicSymbol* at(std::uint64_t address) const;
};

// `file` must stay as long as the image is used. `name` goes into the errors.
ElfImage parse_elf(std::span<const std::byte> file, const std::string& name);

} // namespace orrery::emulate
