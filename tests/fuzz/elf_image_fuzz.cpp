// A program file must be read or refused; what was read can be looked up.
#include "emulate/program/elf_image.h"
#include "engine/error.h"

#include <cstddef>
#include <cstdint>

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const emulate::ElfImage image =
            emulate::parse_elf({reinterpret_cast<const std::byte*>(data), size}, "fuzzed");
        (void)image.find("main");
        (void)image.at(image.writable_from);
    } catch (const InputError&) {
    }
    return 0;
}
