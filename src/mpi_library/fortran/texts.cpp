#include "mpi_library/fortran/texts.h"

#include <algorithm>
#include <cstring>

namespace orrery::emulate::fortran {

std::string text_in(const char* text, Length length) {
    while (length > 0 && text[length - 1] == ' ') --length;
    return {text, length};
}

std::string info_text_in(const char* text, Length length) {
    while (length > 0 && *text == ' ') {
        ++text;
        --length;
    }
    return text_in(text, length);
}

void TextOut::give_back() const {
    const Length used = std::min(length_, std::strlen(buffer_));
    std::memcpy(text_, buffer_, used);
    std::memset(text_ + used, ' ', length_ - used);
}

} // namespace orrery::emulate::fortran
