// Objects that live as long as somebody needs them: a handle of the application, another object, a message.
//
// An object that the application has freed but that is still needed has no handle. MPI_Type_get_contents and
// MPI_Comm_get_errhandler give out one more reference to an object, which the application frees like the first:
// the handle is gone when it has been freed as often as it was given out.
#pragma once

#include "mpi_library/handles.h"

#include <memory>
#include <utility>

namespace orrery::emulate::mpi {

template <typename T> class Counted {
  public:
    [[nodiscard]] int handle() const { return handle_; } // 0: none any more

  protected:
    Counted() = default;
    explicit Counted(int fixed_handle) : handle_(fixed_handle), uses_(1) {} // predefined: never deleted
    ~Counted() = default;

  public:
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

  private:
    template <typename> friend class Ref;
    template <typename U> friend int open_handle(Handles<U>& table, const U& object);
    template <typename U> friend bool last_reference(const U& object);
    template <typename U> friend void close_handle(Handles<U>& table, int handle);

    mutable int handle_ = 0;
    mutable int opened_ = 0;        // how often the application has to free the handle
    mutable std::int64_t uses_ = 0; // the handle, if any, and references
};

// Keeps an object alive.
template <typename T> class Ref {
  public:
    Ref() = default;
    explicit Ref(const T& object) : object_(&object) { ++object.uses_; }
    explicit Ref(const T* made) : Ref(*made) {} // just made by new
    Ref(const Ref& other) : object_(other.object_) {
        if (object_ != nullptr) ++object_->uses_;
    }
    Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Ref& operator=(Ref other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Ref() { release(object_); }

    [[nodiscard]] const T* get() const { return object_; }
    const T& operator*() const { return *object_; }
    const T* operator->() const { return object_; }
    explicit operator bool() const { return object_ != nullptr; }

    static void release(const T* object) {
        if (object != nullptr && --object->uses_ == 0) delete object;
    }

  private:
    const T* object_ = nullptr;
};

// A handle for the application: the one that the object has, or a new one.
template <typename T> int open_handle(Handles<T>& table, const T& object) {
    const Counted<T>& counted = object;
    if (counted.opened_++ == 0) {
        ++counted.uses_;
        counted.handle_ = table.add(std::unique_ptr<T>(const_cast<T*>(&object)));
    }
    return counted.handle_;
}

// Whether closing the handle once takes it away from the application.
template <typename T> bool last_reference(const T& object) {
    return static_cast<const Counted<T>&>(object).opened_ == 1;
}

template <typename T> void close_handle(Handles<T>& table, int handle) {
    Counted<T>& counted = *table.find(handle);
    if (--counted.opened_ > 0) return;
    counted.handle_ = 0;
    Ref<T>::release(table.remove(handle).release());
}

} // namespace orrery::emulate::mpi
