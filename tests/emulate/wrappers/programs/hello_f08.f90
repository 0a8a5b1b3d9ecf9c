! use mpi_f08: handles with types, no ierror.
program hello
  use mpi_f08
  implicit none
  integer :: rank, nranks, from
  type(MPI_Comm) :: world
  type(MPI_Status) :: status
  type(MPI_Request) :: request
  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, world)
  if (world == MPI_COMM_NULL) stop 1
  call MPI_Comm_rank(world, rank)
  call MPI_Comm_size(world, nranks)
  call MPI_Irecv(from, 1, MPI_INTEGER, mod(rank + nranks - 1, nranks), 3, world, request)
  call MPI_Send(rank, 1, MPI_INTEGER, mod(rank + 1, nranks), 3, world)
  call MPI_Wait(request, status)
  call MPI_Allreduce(MPI_IN_PLACE, nranks, 1, MPI_INTEGER, MPI_MAX, world)
  print '(a,i0,a,i0,a,i0,a,i0)', 'rank ', rank, ' of ', nranks, ' heard from ', from, ', tag ', status%MPI_TAG
  call MPI_Comm_free(world)
  call MPI_Finalize()
end program
