// Where the members of a new communicator find the object that they are to have in common (a window, an open
// file): the first to come makes it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

namespace orrery::emulate::mpi {

template <typename T> class Meetings {
  public:
    // `communicator` is the number of one that nothing else is made for, `size` how many will come.
    std::shared_ptr<T> join(std::uint32_t communicator, std::uint32_t size) {
        Meeting& meeting = open_[communicator];
        if (meeting.object == nullptr) meeting.object = std::make_shared<T>();
        std::shared_ptr<T> object = meeting.object;
        if (++meeting.joined == size) open_.erase(communicator);
        return object;
    }

  private:
    struct Meeting {
        std::shared_ptr<T> object;
        std::uint32_t joined = 0;
    };
    std::map<std::uint32_t, Meeting> open_;
};

} // namespace orrery::emulate::mpi
