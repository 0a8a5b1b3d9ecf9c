#include "mpi_library/info.h"

#include "functions.h"
#include "mpi_library/errors.h"
#include "mpi_library/local_state.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace orrery::emulate::mpi {

namespace {

Handles<Info>& infos() {
    static auto& all = *new Handles<Info>(Kind::info);
    return all;
}

Info& info_to_change(MPI_Info handle) {
    if (Info* found = infos().find(handle); found != nullptr) return *found;
    if (handle == MPI_INFO_ENV) throw Failure(MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed");
    throw Failure(MPI_ERR_INFO, handle == MPI_INFO_NULL ? "the info object is MPI_INFO_NULL"
                                                        : "there is no such info object");
}

std::string_view checked_key(const char* key) {
    const std::size_t length = key == nullptr ? 0 : std::strlen(key);
    if (length == 0) throw Failure(MPI_ERR_INFO_KEY, "the key is empty");
    if (length > MPI_MAX_INFO_KEY) throw Failure(MPI_ERR_INFO_KEY, "the key is longer than MPI_MAX_INFO_KEY");
    return {key, length};
}

} // namespace

void Info::set(std::string_view key, std::string_view value) {
    for (auto& [known, old] : all_) {
        if (known == key) {
            old = value;
            return;
        }
    }
    all_.emplace_back(key, value);
}

bool Info::remove(std::string_view key) {
    return std::erase_if(all_, [&](const auto& entry) { return entry.first == key; }) != 0;
}

const std::string* Info::find(std::string_view key) const {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& e) { return e.first == key; });
    return found == all_.end() ? nullptr : &found->second;
}

const Info& info(MPI_Info handle) {
    return handle == MPI_INFO_ENV ? local_state().environment : info_to_change(handle);
}

MPI_Info new_info(const Info& content) { return infos().add(std::make_unique<Info>(content)); }

int Info_create(MPI_Info* newinfo) {
    *newinfo = new_info({});
    return MPI_SUCCESS;
}

int Info_dup(MPI_Info handle, MPI_Info* newinfo) {
    *newinfo = new_info(info(handle));
    return MPI_SUCCESS;
}

int Info_free(MPI_Info* handle) {
    info_to_change(*handle);
    infos().remove(*handle);
    *handle = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

int Info_set(MPI_Info handle, const char* key, const char* value) {
    Info& changed = info_to_change(handle);
    const std::string_view checked = checked_key(key);
    if (value == nullptr) throw Failure(MPI_ERR_INFO_VALUE, "the value is a null pointer");
    const std::size_t length = std::strlen(value);
    if (length > MPI_MAX_INFO_VAL)
        throw Failure(MPI_ERR_INFO_VALUE, "the value is longer than MPI_MAX_INFO_VAL");
    changed.set(checked, {value, length});
    return MPI_SUCCESS;
}

int Info_delete(MPI_Info handle, const char* key) {
    if (!info_to_change(handle).remove(checked_key(key))) {
        throw Failure(MPI_ERR_INFO_NOKEY, "the key '" + std::string(key) + "' is not set");
    }
    return MPI_SUCCESS;
}

int Info_get(MPI_Info handle, const char* key, int valuelen, char* value, int* flag) {
    const std::string* found = info(handle).find(checked_key(key));
    if (valuelen < 0) throw Failure(MPI_ERR_ARG, "the room for the value is negative");
    *flag = found != nullptr ? 1 : 0;
    if (found == nullptr) return MPI_SUCCESS;
    const std::size_t length = std::min(found->size(), static_cast<std::size_t>(valuelen));
    std::memcpy(value, found->data(), length);
    value[length] = '\0';
    return MPI_SUCCESS;
}

int Info_get_valuelen(MPI_Info handle, const char* key, int* valuelen, int* flag) {
    const std::string* found = info(handle).find(checked_key(key));
    *flag = found != nullptr ? 1 : 0;
    if (found != nullptr) *valuelen = static_cast<int>(found->size());
    return MPI_SUCCESS;
}

int Info_get_nkeys(MPI_Info handle, int* nkeys) {
    *nkeys = static_cast<int>(info(handle).all().size());
    return MPI_SUCCESS;
}

int Info_get_nthkey(MPI_Info handle, int n, char* key) {
    const auto& all = info(handle).all();
    if (n < 0 || static_cast<std::size_t>(n) >= all.size()) {
        throw Failure(MPI_ERR_ARG, "key " + std::to_string(n) + " of an info object with " +
                                       std::to_string(all.size()) + " keys");
    }
    std::strcpy(key, all[static_cast<std::size_t>(n)].first.c_str());
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
