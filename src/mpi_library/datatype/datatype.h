// A datatype: where the bytes of an element are, what they are, and how the type was made.
//
// Sizes, bounds and layout are worked out when the type is made. A type never changes afterwards but for its
// name, its attributes and whether it is committed, which only the application's functions touch.
#pragma once

#include "engine/ids.h"
#include "mpi_library/attribute.h"
#include "mpi_library/counted.h"
#include "mpi_library/datatype/layout.h"
#include "mpi_library/datatype/signature.h"
#include "mpi_library/errors.h"
#include "orrery/mpi/mpi.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orrery::emulate::mpi {

class Datatype;
using TypeRef = Ref<Datatype>;

// What an operation may do with a basic type, and how it is written in external32.
enum class TypeClass : std::uint8_t {
    c_integer,
    fortran_integer,
    floating,
    logical,
    complex,
    byte,
    multi,
    text,
    marker,
    packed,
    pair,
    twin,
    derived, // made by the application
};

// Lower and upper bound. Markers (MPI_LB, MPI_UB, MPI_Type_create_resized) overrule what lies in the data.
struct Bounds {
    std::int64_t lb = 0, ub = 0;
    std::int64_t true_lb = 0, true_ub = 0;
    std::int64_t alignment = 1;
    bool lb_marked = false, ub_marked = false;
    bool data = false; // there is any
};

// As MPI_Type_get_envelope and MPI_Type_get_contents tell it.
struct Recipe {
    int combiner = MPI_COMBINER_NAMED;
    std::vector<int> integers;
    std::vector<MPI_Aint> addresses;
    std::vector<TypeRef> types;
};

class Datatype : public Counted<Datatype> {
  public:
    // Basic elements in the order of the type map: `count` times `type` one after the other.
    struct Part {
        TypeRef type;
        std::int64_t count;
    };
    struct Shape {
        Bytes size = 0;
        std::int64_t elements = 0; // basic ones
        Bounds bounds;
        Signature signature;
        Layout layout;
        std::vector<Part> parts; // of a predefined type: of a pair its two components, otherwise none
    };

    // `basic`: see basic().
    Datatype(Shape shape, Recipe recipe, MPI_Datatype basic = MPI_DATATYPE_NULL);
    Datatype(Shape shape, TypeClass type_class, const char* name, int fixed_handle); // predefined
    ~Datatype();

    [[nodiscard]] Bytes size() const { return shape_.size; }
    [[nodiscard]] std::int64_t lb() const { return shape_.bounds.lb; }
    [[nodiscard]] std::int64_t extent() const { return shape_.bounds.ub - shape_.bounds.lb; }
    [[nodiscard]] std::int64_t true_lb() const { return shape_.bounds.true_lb; }
    [[nodiscard]] std::int64_t true_extent() const { return shape_.bounds.true_ub - shape_.bounds.true_lb; }
    [[nodiscard]] std::int64_t elements() const { return shape_.elements; }
    [[nodiscard]] const Signature& signature() const { return shape_.signature; }
    [[nodiscard]] const Layout& layout() const { return shape_.layout; }
    [[nodiscard]] const Shape& shape() const { return shape_; }
    [[nodiscard]] const Recipe& recipe() const { return recipe_; }
    [[nodiscard]] TypeClass type_class() const { return class_; }
    // Any number of elements are one block, of number * size() bytes, at the address itself.
    [[nodiscard]] bool dense() const { return dense_; }
    // The named type that operations take it for: itself, or what it is a copy of. MPI_DATATYPE_NULL: none.
    [[nodiscard]] MPI_Datatype basic() const { return basic_; }
    // Cannot be freed and is always committed: named types, and those of MPI_Type_create_f90_*.
    [[nodiscard]] bool predefined() const { return predefined_; }
    [[nodiscard]] bool committed() const { return committed_; }
    void commit() { committed_ = true; }

    // Of types that the application made; those of predefined ones are kept per rank (LocalState).
    std::string name;
    AttributeSet attributes;

  private:
    Shape shape_;
    Recipe recipe_;
    TypeClass class_ = TypeClass::derived;
    MPI_Datatype basic_ = MPI_DATATYPE_NULL;
    bool dense_ = false;
    bool predefined_ = false;
    bool committed_ = false;
};

namespace detail {
extern const std::array<Datatype*, first_own> predefined_types; // null: no such index
}
Handles<Datatype>& own_types();

// Throws Failure(MPI_ERR_TYPE): null, freed or no datatype at all.
const Datatype& datatype(MPI_Datatype handle);
// The same for buffers of communication: throws if it is not committed, too.
const Datatype& committed_datatype(MPI_Datatype handle);
Datatype& datatype_to_change(MPI_Datatype handle);

// Whether what was sent may be received so, as far as that is cheap to tell (signature.h).
inline bool compatible(const Datatype& sent, std::int64_t sent_count, const Datatype& received,
                       std::int64_t received_count) {
    return &sent == &received || compatible(sent.signature(), sent_count, received.signature(), received_count);
}

} // namespace orrery::emulate::mpi
