// Attributes: values that libraries hang on communicators, datatypes and windows under keys of their own.
//
// A key comes with functions that are called when the object is copied and when the value goes away. C programs
// store pointers, Fortran programs integers; each sees the values of the other as the standard says (MPI-3.1,
// 17.2.7): C gets the address of a Fortran integer, Fortran the address that C stored as a number.
#pragma once

#include "mpi_library/handles.h"

#include <cstdint>
#include <list>

namespace orrery::emulate::mpi {

// Who stores or asks. Fortran's MPI-1 functions have INTEGER values, the newer ones INTEGER(MPI_ADDRESS_KIND).
enum class AttributeLanguage : std::uint8_t { c, fortran_integer, fortran_address };

struct Keyval {
    Kind kind; // of the objects: comm, datatype or win
    AttributeLanguage language;
    void (*copy)();   // MPI_Comm_copy_attr_function or its like in Fortran; null: is not copied
    void (*remove)(); // MPI_Comm_delete_attr_function or its like; null: nothing to do
    std::int64_t extra_state;
    bool freed = false;          // by the application: lives on as long as there are attributes
    std::int64_t attributes = 0; // how many objects have one
};

int create_keyval(const Keyval& keyval);
void free_keyval(Kind kind, int number); // throws Failure(MPI_ERR_KEYVAL)

// What an object has. The functions of the application are called with the object's handle; one that returns an
// error makes the call fail with Failure.
class AttributeSet {
  public:
    AttributeSet() = default;
    ~AttributeSet(); // calls nobody
    AttributeSet(const AttributeSet&) = delete;
    AttributeSet& operator=(const AttributeSet&) = delete;

    void set(Kind kind, int object, int keyval, AttributeLanguage language, std::int64_t value);
    // False: has none. Throws if there is no such keyval for this kind.
    bool get(Kind kind, int keyval, AttributeLanguage language, std::int64_t& value) const;
    void remove(Kind kind, int object, int keyval);
    // Of the copy of an object, which `original` is the handle of. Throws: then the copy has no attributes.
    void copy_from(const AttributeSet& original, int original_object);
    // All of them, the last set first, before the object is freed.
    void remove_all(int object);

    // Those that MPI gives to an object of its own accord, such as MPI_WIN_BASE: not copied, not to be changed.
    void set_predefined(int keyval, AttributeLanguage language, std::int64_t value);

  private:
    struct Attribute {
        int keyval;
        AttributeLanguage language;
        std::int64_t value;
        int narrow_value = 0; // what C gets the address of, for INTEGER values
    };
    using Iterator = std::list<Attribute>::iterator;
    [[nodiscard]] const Attribute* find(int keyval) const;
    void drop(Iterator attribute);

    std::list<Attribute> all_; // addresses are given out
};

} // namespace orrery::emulate::mpi
