! mpif.h: COMMON blocks and SAVEd variables of each rank, messages of several types, the constants that are recognised by place.
program fortran_mpif
  implicit none
  include 'mpif.h'
  integer :: rank, size, ierr, wrong, all_wrong, next, before, i, request(2), statuses(MPI_STATUS_SIZE, 2), length
  integer :: status(MPI_STATUS_SIZE), numbers(1000), got(1000), counts, op
  double precision :: values(3), sums(3)
  logical :: flag
  character(len=20) :: words, heard
  character(len=MPI_MAX_PROCESSOR_NAME) :: host
  integer :: shared_number
  common /block/ shared_number
  external :: largest_first

  wrong = 0
  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierr)
  next = mod(rank + 1, size)
  before = mod(rank + size - 1, size)

  shared_number = rank * 11
  call MPI_BARRIER(MPI_COMM_WORLD, ierr)
  if (shared_number /= rank * 11) wrong = wrong + 1
  call count_calls(wrong, 1)
  call MPI_BARRIER(MPI_COMM_WORLD, ierr)
  call count_calls(wrong, 2)

  numbers = [(rank * 1000 + i, i = 1, 1000)]
  call MPI_IRECV(got, 1000, MPI_INTEGER, before, 4, MPI_COMM_WORLD, request(1), ierr)
  call MPI_ISEND(numbers, 1000, MPI_INTEGER, next, 4, MPI_COMM_WORLD, request(2), ierr)
  call MPI_WAITALL(2, request, statuses, ierr)
  call MPI_GET_COUNT(statuses(1, 1), MPI_INTEGER, counts, ierr)
  if (statuses(MPI_SOURCE, 1) /= before .or. statuses(MPI_TAG, 1) /= 4 .or. counts /= 1000) wrong = wrong + 1
  if (any(got /= [(before * 1000 + i, i = 1, 1000)])) wrong = wrong + 1
  if (request(1) /= MPI_REQUEST_NULL) wrong = wrong + 1

  words = 'from nobody'
  write (words, '(a, i0)') 'from ', rank
  call MPI_SENDRECV(words, 20, MPI_CHARACTER, next, 5, heard, 20, MPI_CHARACTER, before, 5, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierr)
  write (words, '(a, i0)') 'from ', before
  if (heard /= words) wrong = wrong + 1

  values = [dble(rank), 1d0, dble(rank)**2]
  sums = values
  call MPI_ALLREDUCE(MPI_IN_PLACE, sums, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (sums(1) /= size * (size - 1) / 2 .or. sums(2) /= size) wrong = wrong + 1
  call MPI_OP_CREATE(largest_first, .true., op, ierr)
  call MPI_ALLREDUCE(values, sums, 3, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD, ierr)
  if (sums(1) /= size - 1 .or. sums(3) /= dble(size - 1)**2) wrong = wrong + 1
  call MPI_OP_FREE(op, ierr)
  flag = rank == 0
  call MPI_ALLREDUCE(MPI_IN_PLACE, flag, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierr)
  if (.not. flag) wrong = wrong + 1

  call MPI_IPROBE(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, flag, status, ierr)
  if (flag) wrong = wrong + 1
  call MPI_GET_PROCESSOR_NAME(host, length, ierr)
  if (length <= 0 .or. len_trim(host) /= length) wrong = wrong + 1
  if (MPI_WTIME() < 0d0 .or. MPI_WTICK() <= 0d0) wrong = wrong + 1
  call MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call MPI_SEND(values, 1, MPI_DOUBLE_PRECISION, size, 0, MPI_COMM_WORLD, ierr)
  if (ierr == MPI_SUCCESS) wrong = wrong + 1
  call MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierr)

  call MPI_REDUCE(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0 .and. all_wrong == 0) print '(a)', 'No Errors'
  if (rank == 0 .and. all_wrong /= 0) print *, all_wrong, 'errors'
  call MPI_FINALIZE(ierr)
end program

subroutine largest_first(in, inout, count, type)
  implicit none
  integer :: count, type
  double precision :: in(count), inout(count)
  inout = max(in, inout)
end subroutine

subroutine count_calls(wrong, expected)
  implicit none
  integer, intent(inout) :: wrong
  integer, intent(in) :: expected
  integer, save :: calls = 0
  calls = calls + 1
  if (calls /= expected) wrong = wrong + 1
end subroutine
