! Calls from Fortran, in its three ways: -DMPI_HEADER (mpif.h), -DMPI_MODULE (use mpi), -DMPI_F08 (use mpi_f08); 2 ranks.
! All leave the same trace. The argument is a file to write.
#ifdef MPI_F08
#define COMMUNICATOR type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define DATATYPE type(MPI_Datatype)
#define MESSAGE type(MPI_Message)
#define STATUS(name) type(MPI_Status) :: name
#define STATUSES(name, count) type(MPI_Status) :: name(count)
#define SOURCE_OF(name) name%MPI_SOURCE
#define FIRST(name) name(1)
#define WINDOW type(MPI_Win)
#define FILE_HANDLE type(MPI_File)
#define ERROR
#define AND_ERROR
#else
#define COMMUNICATOR integer
#define REQUEST integer
#define DATATYPE integer
#define MESSAGE integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES(name, count) integer :: name(MPI_STATUS_SIZE, count)
#define SOURCE_OF(name) name(MPI_SOURCE)
#define FIRST(name) name(:, 1)
#define WINDOW integer
#define FILE_HANDLE integer
#define ERROR error
#define AND_ERROR , error
#endif
program calls
#ifdef MPI_F08
  use mpi_f08
#endif
#ifdef MPI_MODULE
  use mpi
#endif
  implicit none
#ifdef MPI_HEADER
  include 'mpif.h'
#endif
  integer :: error, rank, provided
  error = 0
  call MPI_Init_thread(MPI_THREAD_SINGLE, provided AND_ERROR)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank AND_ERROR)
  call messages()
  call completion()
  call collectives()
  call communicators()
  call counted()
  call MPI_Finalize(ERROR)

contains

  subroutine messages()
    integer :: data(16), more(16), other
    logical :: flag
    REQUEST :: req, persistent(2)
    MESSAGE :: found
    STATUS(stat)
    data = 0
    other = 1 - rank
    if (rank == 0) then
      call MPI_Send(data, 4, MPI_INTEGER, 1, 1, MPI_COMM_WORLD AND_ERROR)
      call MPI_Ssend(data, 3, MPI_INTEGER, 1, 2, MPI_COMM_WORLD AND_ERROR)
      call MPI_Isend(data, 2, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, req AND_ERROR)
      call MPI_Wait(req, MPI_STATUS_IGNORE AND_ERROR)
      call MPI_Isend(data, 2, MPI_INTEGER, 1, 4, MPI_COMM_WORLD, req AND_ERROR)
      call MPI_Request_free(req AND_ERROR)
      call MPI_Send_init(data, 1, MPI_INTEGER, 1, 5, MPI_COMM_WORLD, persistent(1) AND_ERROR)
      call MPI_Send_init(data, 2, MPI_INTEGER, 1, 6, MPI_COMM_WORLD, persistent(2) AND_ERROR)
    else
      call MPI_Recv(data, 16, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE AND_ERROR)
      call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, stat AND_ERROR)
      call MPI_Recv(data, 16, MPI_INTEGER, SOURCE_OF(stat), 2, MPI_COMM_WORLD, stat AND_ERROR)
      call MPI_Mprobe(0, 3, MPI_COMM_WORLD, found, MPI_STATUS_IGNORE AND_ERROR)
      call MPI_Mrecv(data, 16, MPI_INTEGER, found, MPI_STATUS_IGNORE AND_ERROR)
      flag = .false.
      do while (.not. flag)
        call MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, flag, found, MPI_STATUS_IGNORE AND_ERROR)
      end do
      call MPI_Imrecv(data, 16, MPI_INTEGER, found, req AND_ERROR)
      call MPI_Wait(req, stat AND_ERROR)
      call MPI_Recv_init(data, 16, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, persistent(1) AND_ERROR)
      call MPI_Recv_init(more, 16, MPI_INTEGER, 0, 6, MPI_COMM_WORLD, persistent(2) AND_ERROR)
    end if
    call MPI_Startall(2, persistent AND_ERROR)
    call MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE AND_ERROR)
    call MPI_Request_free(persistent(1) AND_ERROR)
    call MPI_Request_free(persistent(2) AND_ERROR)
    call MPI_Sendrecv(data, 1, MPI_INTEGER, other, 7, more, 16, MPI_INTEGER, other, 7, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE AND_ERROR)
    call MPI_Sendrecv_replace(data, 2, MPI_INTEGER, other, 8, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, stat AND_ERROR)
  end subroutine

  subroutine completion()
    integer :: data(16), more(16), position, done, indices(2)
    logical :: flag
    REQUEST :: req(2)
    STATUSES(stats, 2)
    data = 0
    if (rank == 0) then
      call MPI_Irecv(data, 16, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, req(1) AND_ERROR)
      call MPI_Irecv(more, 16, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, req(2) AND_ERROR)
      call MPI_Send(data, 0, MPI_INTEGER, 1, 0, MPI_COMM_WORLD AND_ERROR)
      call MPI_Waitany(2, req, position, MPI_STATUS_IGNORE AND_ERROR) ! the second
      call MPI_Send(data, 0, MPI_INTEGER, 1, 0, MPI_COMM_WORLD AND_ERROR)
      call MPI_Waitsome(2, req, done, indices, MPI_STATUSES_IGNORE AND_ERROR)
      call MPI_Irecv(data, 16, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, req(2) AND_ERROR)
      flag = .false.
      do while (.not. flag)
        call MPI_Testany(2, req, position, flag, MPI_STATUS_IGNORE AND_ERROR)
      end do
      call MPI_Irecv(data, 16, MPI_INTEGER, 1, 4, MPI_COMM_WORLD, req(1) AND_ERROR)
      call MPI_Irecv(more, 16, MPI_INTEGER, 1, 5, MPI_COMM_WORLD, req(2) AND_ERROR)
      call MPI_Cancel(req(2) AND_ERROR)
      call MPI_Waitall(2, req, MPI_STATUSES_IGNORE AND_ERROR)
      call MPI_Irecv(data, 16, MPI_INTEGER, 1, 5, MPI_COMM_WORLD, req(1) AND_ERROR)
      call MPI_Cancel(req(1) AND_ERROR)
      call MPI_Waitall(1, req, stats AND_ERROR)
      call MPI_Irecv(data, 16, MPI_INTEGER, 1, 6, MPI_COMM_WORLD, req(1) AND_ERROR)
      flag = .false.
      do while (.not. flag)
        call MPI_Test(req(1), flag, FIRST(stats) AND_ERROR)
      end do
    else
      call MPI_Recv(data, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE AND_ERROR)
      call MPI_Send(data, 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD AND_ERROR)
      call MPI_Recv(data, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE AND_ERROR)
      call MPI_Send(data, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD AND_ERROR)
      call MPI_Send(data, 1, MPI_INTEGER, 0, 3, MPI_COMM_WORLD AND_ERROR)
      call MPI_Send(data, 1, MPI_INTEGER, 0, 4, MPI_COMM_WORLD AND_ERROR)
      call MPI_Send(data, 1, MPI_INTEGER, 0, 6, MPI_COMM_WORLD AND_ERROR)
    end if
  end subroutine

  subroutine collectives()
    integer :: data(16), more(16), counts(2), starts(2)
    DATATYPE :: types(2)
    REQUEST :: req
    data = 0
    counts = (/1, 2/)
    starts = (/0, 4/)
    call MPI_Barrier(MPI_COMM_WORLD AND_ERROR)
    call MPI_Bcast(data, 3, MPI_INTEGER, 1, MPI_COMM_WORLD AND_ERROR)
    call MPI_Allreduce(data, more, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD AND_ERROR)
    call MPI_Allreduce(MPI_IN_PLACE, more, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD AND_ERROR)
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, more, counts, starts, MPI_INTEGER, MPI_COMM_WORLD AND_ERROR)
    call MPI_Gatherv(data, rank + 1, MPI_INTEGER, more, counts, starts, MPI_INTEGER, 0, MPI_COMM_WORLD AND_ERROR)
    call MPI_Iallreduce(data, more, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, req AND_ERROR)
    call MPI_Wait(req, MPI_STATUS_IGNORE AND_ERROR)
    types = MPI_INTEGER
    counts = (/2, 2/)
    starts = (/0, 16/)
    call MPI_Alltoallw(data, counts, starts, types, more, counts, starts, types, MPI_COMM_WORLD AND_ERROR)
  end subroutine

  subroutine communicators()
    integer :: data(16), more(16), dims(1)
    logical :: periods(1)
    COMMUNICATOR :: copy, later, half, line
    REQUEST :: req
    data = 0
    call MPI_Comm_dup(MPI_COMM_WORLD, copy AND_ERROR)
    call MPI_Barrier(copy AND_ERROR)
    call MPI_Comm_idup(copy, later, req AND_ERROR)
    call MPI_Wait(req, MPI_STATUS_IGNORE AND_ERROR)
    call MPI_Barrier(later AND_ERROR)
    call MPI_Comm_split(MPI_COMM_WORLD, 3, 1 - rank, half AND_ERROR)
    call MPI_Bcast(data, 1, MPI_INTEGER, 0, half AND_ERROR)
    dims = 2
    periods = .false.
    call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., line AND_ERROR)
    call MPI_Neighbor_alltoall(data, 1, MPI_INTEGER, more, 1, MPI_INTEGER, line AND_ERROR)
    call MPI_Comm_free(line AND_ERROR)
    call MPI_Comm_free(half AND_ERROR)
    call MPI_Comm_free(later AND_ERROR)
    call MPI_Comm_free(copy AND_ERROR)
  end subroutine

  subroutine counted()
    integer :: data(4)
    integer, asynchronous :: memory(4)
    integer(kind=MPI_ADDRESS_KIND) :: bytes, place
    integer(kind=MPI_OFFSET_KIND) :: offset
    character(len=200) :: path
    WINDOW :: win
    FILE_HANDLE :: handle
    data = 0
    bytes = 16
    place = 0
    call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win AND_ERROR)
    call MPI_Win_fence(0, win AND_ERROR)
    call MPI_Put(data, 1, MPI_INTEGER, 1 - rank, place, 1, MPI_INTEGER, win AND_ERROR)
    call MPI_Win_fence(0, win AND_ERROR)
    call MPI_Win_free(win AND_ERROR)
    call get_command_argument(1, path)
    call MPI_File_open(MPI_COMM_WORLD, trim(path), MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
                       MPI_INFO_NULL, handle AND_ERROR)
    offset = 4 * rank
    call MPI_File_write_at_all(handle, offset, data, 1, MPI_INTEGER, MPI_STATUS_IGNORE AND_ERROR)
    call MPI_File_close(handle AND_ERROR)
  end subroutine
end program
