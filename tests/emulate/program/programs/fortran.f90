! COMMON, SAVE, module variables, units and random numbers are each rank's own; stop ends one rank.
module shared
  integer :: in_module = 3
end module
subroutine counted(n)
  integer, intent(out) :: n
  integer, save :: calls = 0
  calls = calls + 1
  n = calls
end subroutine
program test
  use shared
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function runner_rank() bind(c)
      import
    end function
    subroutine runner_yield() bind(c)
    end subroutine
  end interface
  integer :: rank, n, i, in_common, ticks, rate
  integer, allocatable :: seed(:)
  double precision :: x(4), y(4)
  common /block/ in_common
  rank = runner_rank()
  in_common = rank
  in_module = in_module + rank
  call random_seed(size=n)
  allocate (seed(n))
  seed = 1
  call random_seed(put=seed)
  do i = 1, 4
    call random_number(x(i))
    call runner_yield()
  end do
  call random_seed(put=seed)
  call random_number(y)
  if (any(x /= y)) stop 5
  call sleep(2)
  call system_clock(ticks, rate)
  if (ticks /= 2 * rate) stop 6
  do i = 1, 3
    call counted(n)
    if (n /= i) stop 7
    call runner_yield()
  end do
  if (in_common /= rank .or. in_module /= 3 + rank) stop 8
  if (command_argument_count() /= 1) stop 9
  open (unit=10, status='scratch')
  call runner_yield()
  write (10, *) rank
  call runner_yield()
  rewind (10)
  read (10, *) n
  close (10)
  if (n /= rank) stop 10
  print *, 'rank', rank
  if (rank == 1) stop 4
end program
