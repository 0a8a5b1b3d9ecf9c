! use mpi: derived types of module data, allocatable arrays, attributes, gathers and scatters, a window.
module state
  implicit none
  integer :: own = 3
  real, allocatable :: field(:, :)
  type :: particle
    sequence
    double precision :: place(3)
    integer :: id
  end type
end module

program fortran_use_mpi
  use mpi
  use state
  implicit none
  integer :: rank, size, ierr, wrong, all_wrong, i, column, raw, item, next, before, group, comm, world_group, win
  integer :: counts_of_one(1), keyval, length
  integer(kind=MPI_ADDRESS_KIND) :: places(2), base, extent, value, extra
  type(particle) :: here(4), there(4)
  integer, allocatable :: counts(:), starts(:), data(:), all(:), table(:)
  logical :: flag
  character(len=MPI_MAX_OBJECT_NAME) :: name

  wrong = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  next = mod(rank + 1, size)
  before = mod(rank + size - 1, size)
  own = own + rank

  ! A row of a matrix that is stored by columns.
  allocate (field(5, 7))
  field = reshape([(real(rank * 100 + i), i = 1, 35)], [5, 7])
  call MPI_Type_vector(7, 1, 5, MPI_REAL, column, ierr)
  call MPI_Type_commit(column, ierr)
  call MPI_Sendrecv(field(5, 1), 1, column, next, 1, field(1, 1), 1, column, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  if (any(field(1, :) /= [(real(before * 100 + 5 * i), i = 1, 7)])) wrong = wrong + 1
  if (any(field(2, :) /= [(real(rank * 100 + 5 * i - 3), i = 1, 7)])) wrong = wrong + 1
  call MPI_Type_free(column, ierr)

  do i = 1, 4
    here(i)%place = [1d0, 2d0, dble(i)]
    here(i)%id = rank * 10 + i
  end do
  call MPI_Get_address(here(1)%place, base, ierr)
  call MPI_Get_address(here(1)%id, places(2), ierr)
  places(1) = 0
  places(2) = places(2) - base
  call MPI_Type_create_struct(2, [3, 1], places, [MPI_DOUBLE_PRECISION, MPI_INTEGER], raw, ierr)
  call MPI_Get_address(here(2)%place, extent, ierr)
  call MPI_Type_create_resized(raw, 0_MPI_ADDRESS_KIND, extent - base, item, ierr)
  call MPI_Type_commit(item, ierr)
  call MPI_Sendrecv(here, 4, item, next, 2, there, 4, item, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  do i = 1, 4
    if (there(i)%id /= before * 10 + i .or. there(i)%place(3) /= i) wrong = wrong + 1
  end do
  call MPI_Type_free(raw, ierr)
  call MPI_Type_free(item, ierr)

  allocate (counts(size), starts(size), data(rank + 1), all(size * (size + 1) / 2))
  counts = [(i, i = 1, size)]
  starts = [(i * (i - 1) / 2, i = 1, size)]
  data = rank
  call MPI_Allgatherv(data, rank + 1, MPI_INTEGER, all, counts, starts, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  do i = 1, size
    if (any(all(starts(i) + 1:starts(i) + i) /= i - 1)) wrong = wrong + 1
  end do
  data = -1
  call MPI_Scatterv(all, counts, starts, MPI_INTEGER, data, rank + 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  if (any(data /= rank)) wrong = wrong + 1

  call MPI_Comm_group(MPI_COMM_WORLD, world_group, ierr)
  call MPI_Group_incl(world_group, 1, [0], group, ierr)
  call MPI_Comm_create(MPI_COMM_WORLD, group, comm, ierr)
  if (rank == 0 .and. comm == MPI_COMM_NULL) wrong = wrong + 1
  if (comm /= MPI_COMM_NULL) then
    call MPI_Comm_size(comm, i, ierr)
    if (i /= 1) wrong = wrong + 1
    call MPI_Comm_set_name(comm, 'alone', ierr)
    call MPI_Comm_get_name(comm, name, length, ierr)
    if (name /= 'alone' .or. length /= 5) wrong = wrong + 1
    extra = 0
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, extra, ierr)
    call MPI_Comm_set_attr(comm, keyval, 77_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_get_attr(comm, keyval, value, flag, ierr)
    if (.not. flag .or. value /= 77) wrong = wrong + 1
    call MPI_Comm_free(comm, ierr)
  end if
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
  if (.not. flag .or. value < 32767) wrong = wrong + 1

  allocate (table(size))
  table = -1
  call MPI_Win_create(table, int(4 * size, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  counts_of_one = rank
  do i = 0, size - 1
    call MPI_Put(counts_of_one, 1, MPI_INTEGER, i, int(rank, MPI_ADDRESS_KIND), 1, MPI_INTEGER, win, ierr)
  end do
  call MPI_Win_fence(0, win, ierr)
  if (any(table /= [(i, i = 0, size - 1)])) wrong = wrong + 1
  call MPI_Win_free(win, ierr)
  if (own /= 3 + rank) wrong = wrong + 1

  call MPI_Reduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0 .and. all_wrong == 0) print '(a)', 'No Errors'
  if (rank == 0 .and. all_wrong /= 0) print *, all_wrong, 'errors'
  call MPI_Finalize(ierr)
end program
