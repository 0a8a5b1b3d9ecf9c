! use mpi: choice buffers of several types and ranks, MPI_IN_PLACE, indices from 1, attributes, texts.
program hello
  use mpi
  implicit none
  integer :: ierr, rank, nranks, i, length, bytes, requests(2), status(MPI_STATUS_SIZE), matrix(2, 2)
  integer(kind=MPI_ADDRESS_KIND) :: limit
  real(8) :: x
  logical :: there
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
  matrix = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, matrix, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  x = rank
  call MPI_Bcast(x, 1, MPI_DOUBLE_PRECISION, nranks - 1, MPI_COMM_WORLD, ierr)
  requests = MPI_REQUEST_NULL
  call MPI_Irecv(i, 1, MPI_INTEGER, rank, 5, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Send(rank, 1, MPI_INTEGER, rank, 5, MPI_COMM_WORLD, ierr)
  call MPI_Waitany(2, requests, i, status, ierr)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, limit, there, ierr)
  call MPI_Get_processor_name(name, length, ierr)
  call MPI_Sizeof(x, bytes, ierr)
  if (.not. there .or. limit < 32767 .or. len_trim(name) /= length .or. bytes /= 8) stop 1
  print '(a,i0,a,i0,a,i0,a,i0,a,i0,a,i0)', 'rank ', rank, ' of ', nranks, ': sum ', matrix(2, 2), ', from the last ', &
    int(x), ', request ', i, ', tag ', status(MPI_TAG)
  call MPI_Finalize(ierr)
end program
