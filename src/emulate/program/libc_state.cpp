#include "emulate/program/libc_state.h"

#include "emulate/context/stacks.h"
#include "emulate/program/fortran.h"
#include "emulate/program/libc_tables.h"
#include "emulate/program/output.h"
#include "emulate/program/signals.h"
#include "emulate/program/threads.h"

#include <algorithm>
#include <cstring>

namespace orrery::emulate {

LibcState::LibcState() = default;
LibcState::~LibcState() { forget_fortran(this); }

void LibcState::set_arguments(std::span<const std::string> arguments, Stack& stack) {
    std::size_t bytes = (arguments.size() + 1) * sizeof(char*);
    for (const auto& a : arguments) bytes += a.size() + 1;
    bytes = (bytes + 15) / 16 * 16;
    constexpr std::size_t most = 1024;
    char* block = nullptr;
    if (bytes <= most) {
        stack.top -= bytes;
        block = reinterpret_cast<char*>(stack.top);
    } else {
        argument_block.reset(new char[bytes]); // NOLINT: aligned for pointers by operator new
        block = argument_block.get();
    }
    argv = reinterpret_cast<char**>(block);
    argc = static_cast<int>(arguments.size());
    char* text = block + (arguments.size() + 1) * sizeof(char*);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        argv[i] = text;
        std::memcpy(text, arguments[i].c_str(), arguments[i].size() + 1);
        text += arguments[i].size() + 1;
    }
    argv[arguments.size()] = nullptr;
}

RandomState& LibcState::random_state() {
    if (random == nullptr) {
        random = std::make_unique<RandomState>();
        initstate_r(1, static_cast<char*>(random->words), sizeof random->words, &random->data);
    }
    return *random;
}

std::optional<std::size_t> libc_variable(std::string_view name) {
    struct Known {
        std::string_view name;
        std::size_t offset;
    };
    static constexpr Known known[] = {
        {"optarg", offsetof(LibcVariables, argument)}, {"optind", offsetof(LibcVariables, index)},
        {"opterr", offsetof(LibcVariables, errors)},   {"optopt", offsetof(LibcVariables, option)},
        {"stdin", offsetof(LibcVariables, in)},        {"stdout", offsetof(LibcVariables, out)},
        {"stderr", offsetof(LibcVariables, err)},
    };
    for (const Known& k : known)
        if (k.name == name) return k.offset;
    return std::nullopt;
}

std::span<const Symbol> libc_symbols() {
    static const std::vector<Symbol> all = [] {
        std::vector<Symbol> symbols;
        for (const auto part :
             {exit_symbols(), getopt_symbols(), random_symbols(), time_symbols(), thread_symbols(),
              cpp_thread_symbols(), environment_symbols(), process_symbols(), file_symbols(), signal_symbols(),
              timer_symbols(), fortran_symbols(), fortran_unit_symbols()})
            symbols.insert(symbols.end(), part.begin(), part.end());
        return symbols;
    }();
    return all;
}

} // namespace orrery::emulate
