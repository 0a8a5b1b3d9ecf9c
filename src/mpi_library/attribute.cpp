#include "mpi_library/attribute.h"

#include "mpi_library/attribute_callbacks.h"
#include "mpi_library/errors.h"
#include "orrery/mpi/mpi.h"

#include <algorithm>
#include <memory>

namespace orrery::emulate::mpi {

namespace {

constexpr Kind keyval_kind{11}; // keyvals are numbered like handles

Handles<Keyval>& keyvals() {
    static auto& all = *new Handles<Keyval>(keyval_kind);
    return all;
}

Keyval& keyval_of(Kind kind, int number) {
    Keyval* found = keyvals().find(number);
    if (found == nullptr) throw Failure(MPI_ERR_KEYVAL, "there is no such keyval");
    if (found->kind != kind) throw Failure(MPI_ERR_KEYVAL, "the keyval is for another kind of object");
    return *found;
}

bool is_predefined(int number) { return number > 0 && number < static_cast<int>(first_own); }

void remove_if_unused(int number) {
    const Keyval* keyval = keyvals().find(number);
    if (keyval->freed && keyval->attributes == 0) keyvals().remove(number);
}

// The value as the one who asks sees it.
std::int64_t seen_by(AttributeLanguage asks, AttributeLanguage stored, const std::int64_t& value,
                     const int& narrow_value) {
    if (asks != AttributeLanguage::c) return value;
    if (stored == AttributeLanguage::fortran_integer) return reinterpret_cast<std::intptr_t>(&narrow_value);
    if (stored == AttributeLanguage::fortran_address) return reinterpret_cast<std::intptr_t>(&value);
    return value;
}

} // namespace

int create_keyval(const Keyval& keyval) { return keyvals().add(std::make_unique<Keyval>(keyval)); }

void free_keyval(Kind kind, int number) {
    keyval_of(kind, number).freed = true;
    remove_if_unused(number);
}

AttributeSet::~AttributeSet() {
    while (!all_.empty()) drop(all_.begin());
}

const AttributeSet::Attribute* AttributeSet::find(int keyval) const {
    const auto found =
        std::find_if(all_.begin(), all_.end(), [&](const Attribute& a) { return a.keyval == keyval; });
    return found == all_.end() ? nullptr : &*found;
}

void AttributeSet::drop(Iterator attribute) {
    const int number = attribute->keyval;
    all_.erase(attribute);
    if (is_predefined(number)) return;
    --keyvals().find(number)->attributes;
    remove_if_unused(number);
}

void AttributeSet::set(Kind kind, int object, int number, AttributeLanguage language, std::int64_t value) {
    if (is_predefined(number)) throw Failure(MPI_ERR_KEYVAL, "a predefined attribute cannot be changed");
    Keyval& keyval = keyval_of(kind, number);
    if (const Attribute* old = find(number); old != nullptr) {
        call_remove(keyval, object, number,
                    seen_by(keyval.language, old->language, old->value, old->narrow_value));
    } else {
        ++keyval.attributes;
        all_.push_back({number, language, value});
    }
    auto& stored = const_cast<Attribute&>(*find(number));
    stored = {number, language, value, static_cast<int>(value)};
}

bool AttributeSet::get(Kind kind, int number, AttributeLanguage language, std::int64_t& value) const {
    if (!is_predefined(number)) keyval_of(kind, number);
    const Attribute* found = find(number);
    if (found == nullptr) return false;
    value = seen_by(language, found->language, found->value, found->narrow_value);
    return true;
}

void AttributeSet::remove(Kind kind, int object, int number) {
    if (is_predefined(number)) throw Failure(MPI_ERR_KEYVAL, "a predefined attribute cannot be deleted");
    const Keyval& keyval = keyval_of(kind, number);
    const Attribute* found = find(number);
    if (found == nullptr) throw Failure(MPI_ERR_KEYVAL, "the object has no such attribute");
    call_remove(keyval, object, number,
                seen_by(keyval.language, found->language, found->value, found->narrow_value));
    drop(std::find_if(all_.begin(), all_.end(), [&](const Attribute& a) { return a.keyval == number; }));
}

void AttributeSet::copy_from(const AttributeSet& original, int original_object) {
    for (const Attribute& a : original.all_) {
        if (is_predefined(a.keyval)) continue;
        Keyval& keyval = *keyvals().find(a.keyval);
        std::int64_t value = seen_by(keyval.language, a.language, a.value, a.narrow_value);
        if (!call_copy(keyval, original_object, a.keyval, value)) continue;
        ++keyval.attributes;
        all_.push_back({a.keyval, keyval.language, value, static_cast<int>(value)});
    }
}

void AttributeSet::remove_all(int object) {
    while (!all_.empty()) {
        const Attribute a = all_.back();
        if (!is_predefined(a.keyval)) {
            const Attribute& last = all_.back();
            const Keyval& keyval = *keyvals().find(a.keyval);
            call_remove(keyval, object, a.keyval,
                        seen_by(keyval.language, a.language, last.value, last.narrow_value));
        }
        if (const Attribute* still = find(a.keyval);
            still != nullptr) { // the function may have deleted it itself
            drop(std::find_if(all_.begin(), all_.end(), [&](const Attribute& b) { return &b == still; }));
        }
    }
}

void AttributeSet::set_predefined(int keyval, AttributeLanguage language, std::int64_t value) {
    all_.push_back({keyval, language, value, static_cast<int>(value)});
}

} // namespace orrery::emulate::mpi
