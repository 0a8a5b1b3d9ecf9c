! use mpi_f08: handles that are types, statuses with members, error arguments that may be left out.
program fortran_f08
  use mpi_f08
  implicit none
  integer :: rank, size, wrong, all_wrong, i, next, before, token, count
  type(MPI_Comm) :: comm, none
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status, statuses(2)
  type(MPI_Datatype) :: block
  type(MPI_Group) :: group
  integer :: matrix(4, 6), part(2, 3)
  double precision :: sums(2)
  logical :: flag

  wrong = 0
  call MPI_Init()
  comm = MPI_COMM_WORLD
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, size)
  next = mod(rank + 1, size)
  before = mod(rank + size - 1, size)
  none = MPI_COMM_NULL
  if (comm == none .or. .not. comm == MPI_COMM_WORLD) wrong = wrong + 1

  call MPI_Irecv(token, 1, MPI_INTEGER, before, 9, comm, requests(1))
  call MPI_Isend(rank, 1, MPI_INTEGER, next, 9, comm, requests(2))
  call MPI_Waitall(2, requests, statuses)
  if (token /= before .or. statuses(1)%MPI_SOURCE /= before .or. statuses(1)%MPI_TAG /= 9) wrong = wrong + 1
  if (requests(1) /= MPI_REQUEST_NULL) wrong = wrong + 1

  matrix = reshape([(rank * 100 + i, i = 1, 24)], [4, 6])
  call MPI_Type_create_subarray(2, [4, 6], [2, 3], [1, 2], MPI_ORDER_FORTRAN, MPI_INTEGER, block)
  call MPI_Type_commit(block)
  call MPI_Sendrecv(matrix, 1, block, next, 3, part, 6, MPI_INTEGER, before, 3, comm, status)
  call MPI_Get_count(status, MPI_INTEGER, count)
  if (count /= 6) wrong = wrong + 1
  if (any(part /= reshape([10, 11, 14, 15, 18, 19], [2, 3]) + before * 100)) wrong = wrong + 1
  call MPI_Type_free(block)

  sums = [1d0, dble(rank)]
  call MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, comm)
  if (sums(1) /= size .or. sums(2) /= size * (size - 1) / 2) wrong = wrong + 1
  call MPI_Iallreduce(rank, count, 1, MPI_INTEGER, MPI_MAX, comm, requests(1))
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  if (count /= size - 1) wrong = wrong + 1

  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, comm)
  call MPI_Comm_size(comm, count)
  if (count /= (size + 1 - mod(rank, 2)) / 2) wrong = wrong + 1
  call MPI_Comm_group(comm, group)
  call MPI_Group_size(group, i)
  if (i /= count) wrong = wrong + 1
  call MPI_Group_free(group)
  call MPI_Comm_free(comm)
  if (comm /= MPI_COMM_NULL) wrong = wrong + 1
  call MPI_Initialized(flag)
  if (.not. flag) wrong = wrong + 1

  call MPI_Reduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0 .and. all_wrong == 0) print '(a)', 'No Errors'
  if (rank == 0 .and. all_wrong /= 0) print *, all_wrong, 'errors'
  call MPI_Finalize()
end program
