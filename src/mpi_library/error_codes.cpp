#include "mpi_library/error_codes.h"

#include "functions.h"
#include "mpi_library/errors.h"
#include "mpi_library/local_state.h"

#include <algorithm>
#include <cstring>

namespace orrery::emulate::mpi {

namespace {

void check_is_code(bool known, int code) {
    if (!known) throw Failure(MPI_ERR_ARG, std::to_string(code) + " is no error code");
}

} // namespace

int ErrorCodes::add_class() {
    const int number = last_used() + 1;
    added_.push_back({number, {}});
    return number;
}

int ErrorCodes::add_code(int error_class) {
    check_is_code(words_of_class(error_class) != nullptr || class_of(error_class) == error_class, error_class);
    added_.push_back({error_class, {}});
    return last_used();
}

const ErrorCodes::Added* ErrorCodes::find(int code) const {
    const bool ours = code > MPI_ERR_LASTCODE && code <= last_used();
    return ours ? &added_[static_cast<std::size_t>(code - MPI_ERR_LASTCODE - 1)] : nullptr;
}

void ErrorCodes::set_words(int code, const char* words) {
    const Added* found = find(code);
    if (found == nullptr) throw Failure(MPI_ERR_ARG, "only error codes that were added can be given a text");
    if (std::strlen(words) >= MPI_MAX_ERROR_STRING) {
        throw Failure(MPI_ERR_ARG, "the text is longer than MPI_MAX_ERROR_STRING");
    }
    added_[static_cast<std::size_t>(found - added_.data())].words = words;
}

int ErrorCodes::class_of(int code) const {
    if (words_of_class(code) != nullptr) return code;
    const Added* found = find(code);
    check_is_code(found != nullptr, code);
    return found->error_class;
}

std::string ErrorCodes::words(int code) const {
    if (const char* words = words_of_class(code); words != nullptr) return words;
    const Added* found = find(code);
    check_is_code(found != nullptr, code);
    return found->words;
}

int Add_error_class(int* errorclass) {
    LocalState& state = local_state();
    *errorclass = state.errors.add_class();
    state.world.last_used_code = state.errors.last_used();
    return MPI_SUCCESS;
}

int Add_error_code(int errorclass, int* errorcode) {
    LocalState& state = local_state();
    *errorcode = state.errors.add_code(errorclass);
    state.world.last_used_code = state.errors.last_used();
    return MPI_SUCCESS;
}

int Add_error_string(int errorcode, const char* string) {
    local_state().errors.set_words(errorcode, string);
    return MPI_SUCCESS;
}

int Error_class(int errorcode, int* errorclass) {
    *errorclass = local_state().errors.class_of(errorcode);
    return MPI_SUCCESS;
}

int Error_string(int errorcode, char* string, int* resultlen) {
    const std::string words = local_state().errors.words(errorcode);
    const std::size_t length = std::min<std::size_t>(words.size(), MPI_MAX_ERROR_STRING - 1);
    std::memcpy(string, words.c_str(), length);
    string[length] = '\0';
    *resultlen = static_cast<int>(length);
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
