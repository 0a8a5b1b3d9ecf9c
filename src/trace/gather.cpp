#include "trace/gather.h"

#include "trace/gather_tree.h"
#include "trace/mpi_header.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace orrery::trace {

namespace {

constexpr std::size_t piece_bytes = std::size_t{4} << 20;
constexpr int piece_tag = 0;

// Where the pieces go: to the parent, or on rank 0 to the file. While one is on its way the other is filled.
class Upwards {
  public:
    Upwards(const GatherTask& task, MPI_Comm comm)
        : root_(task.rank == 0), parent_(root_ ? 0 : static_cast<int>(gather_parent(task.rank, task.k))),
          comm_(comm), target_(task.target), temporary_(task.target + ".part") {
        for (void*& piece : pieces_) {
            piece = mmap(nullptr, piece_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        }
        if (root_) {
            file_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
            note_error(file_ < 0);
        }
    }
    Upwards(const Upwards&) = delete;
    Upwards& operator=(const Upwards&) = delete;
    ~Upwards() {
        PMPI_Waitall(2, requests_.data(), MPI_STATUSES_IGNORE);
        for (void* const piece : pieces_) {
            munmap(piece, piece_bytes);
        }
    }

    void* empty_piece() {
        PMPI_Wait(&requests_[turn_], MPI_STATUS_IGNORE);
        return pieces_[turn_];
    }
    // The piece that empty_piece() gave.
    void pass(std::size_t bytes) {
        if (root_) {
            write_down(static_cast<const char*>(pieces_[turn_]), bytes);
            return;
        }
        PMPI_Isend(pieces_[turn_], static_cast<int>(bytes), MPI_BYTE, parent_, piece_tag, comm_,
                   &requests_[turn_]);
        turn_ = 1 - turn_;
    }
    // An empty piece is the end. On rank 0: whether the target is there.
    bool done() {
        if (!root_) {
            empty_piece();
            pass(0);
            return true;
        }
        if (file_ >= 0) {
            note_error(close(file_) != 0);
        }
        if (error_ == 0) {
            note_error(std::rename(temporary_.c_str(), target_.c_str()) != 0);
        }
        if (error_ != 0) {
            std::fprintf(stderr, "orrery: %s: %s; the files of the ranks stay where they are\n",
                         target_.c_str(), std::strerror(error_));
            unlink(temporary_.c_str());
        }
        return error_ == 0;
    }

  private:
    void note_error(bool failed) {
        if (failed && error_ == 0) {
            error_ = errno;
        }
    }
    // After an error the rest is still taken from the children, who would wait for ever, and dropped.
    void write_down(const char* data, std::size_t bytes) {
        while (bytes > 0 && error_ == 0) {
            const ssize_t written = write(file_, data, bytes);
            if (written >= 0) {
                data += written;
                bytes -= static_cast<std::size_t>(written);
            } else if (errno != EINTR) {
                note_error(true);
            }
        }
    }

    bool root_;
    int parent_;
    MPI_Comm comm_;
    const std::string& target_;
    std::string temporary_;
    int file_ = -1;
    int error_ = 0;
    std::array<void*, 2> pieces_{};
    std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    std::size_t turn_ = 0;
};

void pass_own_file(const std::string& path, Upwards& upwards) {
    const int file = path.empty() ? -1 : open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    for (;;) {
        const ssize_t bytes = read(file, upwards.empty_piece(), piece_bytes);
        if (bytes < 0 && errno == EINTR) {
            continue;
        }
        if (bytes <= 0) {
            break;
        }
        upwards.pass(static_cast<std::size_t>(bytes));
    }
    close(file);
}

void pass_files_of(std::uint32_t child, MPI_Comm comm, Upwards& upwards) {
    for (;;) {
        MPI_Status status;
        int bytes = 0;
        PMPI_Recv(upwards.empty_piece(), static_cast<int>(piece_bytes), MPI_BYTE, static_cast<int>(child),
                  piece_tag, comm, &status);
        PMPI_Get_count(&status, MPI_BYTE, &bytes);
        if (bytes == 0) {
            return;
        }
        upwards.pass(static_cast<std::size_t>(bytes));
    }
}

} // namespace

void gather(const GatherTask& task) {
    // A communicator of our own; not a duplicate, which would call the program's attribute functions.
    MPI_Comm comm = MPI_COMM_NULL;
    PMPI_Comm_split(MPI_COMM_WORLD, 0, static_cast<int>(task.rank), &comm);
    char there = 0;
    {
        Upwards upwards(task, comm);
        pass_own_file(task.own, upwards);
        for (const std::uint32_t child : gather_children(task.rank, task.ranks, task.k)) {
            pass_files_of(child, comm, upwards);
        }
        there = upwards.done() ? 1 : 0;
    }
    PMPI_Bcast(&there, 1, MPI_BYTE, 0, comm);
    if (there != 0 && !task.own.empty()) {
        unlink(task.own.c_str());
    }
    PMPI_Comm_free(&comm);
}

} // namespace orrery::trace
