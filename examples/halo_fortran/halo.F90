! Diffusion in a periodic cube, in Fortran: a halo exchange with six neighbours by persistent requests.
!
! One source for the three ways in which Fortran meets MPI; they differ in what the handles are:
!   -DMPI_HEADER  include 'mpif.h'
!   -DMPI_MODULE  use mpi
!   -DMPI_F08     use mpi_f08
! The start is a plane wave, an eigenfunction of the difference scheme, so the exact solution is known at any step.
#if defined(MPI_F08)
#define HANDLE(kind) type(kind)
#define WAY 'mpi_f08'
#elif defined(MPI_MODULE)
#define HANDLE(kind) integer
#define WAY 'mpi'
#else
#define HANDLE(kind) integer
#define WAY 'mpif.h'
#endif

module halo
    use, intrinsic :: iso_fortran_env, only: real64, int64, error_unit
    use count
#if defined(MPI_F08)
    use mpi_f08
#elif defined(MPI_MODULE)
    use mpi
#endif
    implicit none
#if !defined(MPI_F08) && !defined(MPI_MODULE)
    include 'mpif.h'
#endif

    real(real64), parameter :: pi = 3.14159265358979323846_real64
    real(real64), parameter :: ratio = 0.1_real64   ! time step / (grid spacing)**2
    integer, parameter :: waves(3) = [1, 2, 3]      ! of the plane wave, in each direction

    integer :: points                ! of the cube in each direction
    integer :: first(3), n(3)        ! of this rank: points before its own, and its own
    HANDLE(MPI_Comm) :: cube
    HANDLE(MPI_Request) :: requests(12)
    integer(int64) :: message_bytes(6)
    ! With a frame of one point; MPI reads and writes it between start and wait.
    real(real64), allocatable, asynchronous :: u(:, :, :)

contains

    subroutine stop_all(message)
        character(len=*), intent(in) :: message
        integer :: rank, ierror
        call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
        if (rank == 0) write (error_unit, '(2a)') 'halo: ', message
        call MPI_Finalize(ierror)
        stop 2
    end subroutine

    ! The value of option `name`; `text` stays as it is if that is not given.
    subroutine option(name, text)
        character(len=*), intent(in) :: name
        character(len=*), intent(inout) :: text
        character(len=256) :: word
        integer :: i
        do i = 1, command_argument_count() - 1, 2
            call get_command_argument(i, word)
            if (word == name) call get_command_argument(i + 1, text)
        end do
    end subroutine

    subroutine number_option(name, value)
        character(len=*), intent(in) :: name
        integer, intent(inout) :: value
        character(len=256) :: text
        integer :: status
        text = ''
        call option(name, text)
        if (text == '') return
        read (text, *, iostat=status) value
        if (status /= 0 .or. value < 1) call stop_all('option '//name//' takes a whole number from 1 on')
    end subroutine

    subroutine check_options()
        character(len=256) :: word
        integer :: i
        do i = 1, command_argument_count(), 2
            call get_command_argument(i, word)
            if (all(word /= [character(len=8) :: '--size', '--steps', '--every', '--count'])) then
                call stop_all('unknown option '//trim(word)//'; there are --size --steps --every --count')
            end if
        end do
        if (mod(command_argument_count(), 2) /= 0) call stop_all('each option needs a value')
    end subroutine

    ! One face of the field, `at` points into it in direction `d`: 0 and n + 1 are the frame.
    function face(d, at) result(part)
        integer, intent(in) :: d, at
        HANDLE(MPI_Datatype) :: part
        integer :: extent(3), start(3), ierror
        extent = n
        start = 1
        extent(d) = 1
        start(d) = at
        call MPI_Type_create_subarray(3, n + 2, extent, start, MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, part, ierror)
        call MPI_Type_commit(part, ierror)
    end function

    ! Requests for all that is exchanged in a step, to be started again and again.
    subroutine prepare_exchange()
        HANDLE(MPI_Datatype) :: part
        integer :: d, lower, upper, i, ierror
        i = 0
        do d = 1, 3
            call MPI_Cart_shift(cube, d - 1, 1, lower, upper, ierror)
            message_bytes(2*d - 1:2*d) = product(int(n, int64)) / n(d) * 8
            ! Tag 2d: upwards, tag 2d + 1: downwards. In a direction of one or two ranks both neighbours are the same.
            part = face(d, 0)
            call MPI_Recv_init(u, 1, part, lower, 2*d, cube, requests(i + 1), ierror)
            call MPI_Type_free(part, ierror)
            part = face(d, n(d) + 1)
            call MPI_Recv_init(u, 1, part, upper, 2*d + 1, cube, requests(i + 2), ierror)
            call MPI_Type_free(part, ierror)
            part = face(d, n(d))
            call MPI_Send_init(u, 1, part, upper, 2*d, cube, requests(i + 3), ierror)
            call MPI_Type_free(part, ierror)
            part = face(d, 1)
            call MPI_Send_init(u, 1, part, lower, 2*d + 1, cube, requests(i + 4), ierror)
            call MPI_Type_free(part, ierror)
            i = i + 4
        end do
    end subroutine

    subroutine exchange()
        integer :: i, ierror
        call MPI_Startall(12, requests, ierror)
        do i = 1, 6
            call count_send(message_bytes(i))
            call count_receive(message_bytes(i))
        end do
        call MPI_Waitall(12, requests, MPI_STATUSES_IGNORE, ierror)
    end subroutine

    ! Nothing is under way here, so the field is an ordinary one.
    subroutine step(f, next)
        real(real64), intent(inout) :: f(0:n(1) + 1, 0:n(2) + 1, 0:n(3) + 1)
        real(real64), intent(out) :: next(n(1), n(2), n(3))
        integer :: x, y, z
        do z = 1, n(3)
            do y = 1, n(2)
                do x = 1, n(1)
                    next(x, y, z) = f(x, y, z) + ratio*(f(x - 1, y, z) + f(x + 1, y, z) + f(x, y - 1, z) &
                        + f(x, y + 1, z) + f(x, y, z - 1) + f(x, y, z + 1) - 6*f(x, y, z))
                end do
            end do
        end do
        f(1:n(1), 1:n(2), 1:n(3)) = next
    end subroutine

    ! Each step multiplies the plane wave by the same factor.
    elemental function exact(x, y, z, steps) result(value)
        integer, intent(in) :: x, y, z, steps
        real(real64) :: value
        value = (1 - 4*ratio*sum(sin(pi*waves/points)**2))**steps &
            *sin(2*pi*dot_product(waves, first + [x, y, z])/points)
    end function

    function largest(mine) result(all_ranks)
        real(real64), intent(in) :: mine
        real(real64) :: all_ranks
        integer :: ierror
        call MPI_Allreduce(mine, all_ranks, 1, MPI_DOUBLE_PRECISION, MPI_MAX, cube, ierror)
        call count_collective('allreduce', 8_int64)
    end function
end module

program main
    use halo
    implicit none
    real(real64), allocatable :: next(:, :, :)
    real(real64) :: start, seconds, top, error
    integer :: rank, ranks, dims(3), coords(3), steps, every, x, y, z, s, i, ierror
    character(len=1024) :: count_file
    character(len=10) :: time
    logical :: good

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    call check_options()
    points = 128
    steps = 400
    every = 10
    count_file = ''
    call number_option('--size', points)
    call number_option('--steps', steps)
    call number_option('--every', every)
    call option('--count', count_file)

    dims = 0
    call MPI_Dims_create(ranks, 3, dims, ierror)
    if (any(dims > points)) call stop_all('too many ranks for this size')
    call MPI_Cart_create(MPI_COMM_WORLD, 3, dims, [.true., .true., .true.], .false., cube, ierror)
    call MPI_Comm_rank(cube, rank, ierror)
    call MPI_Cart_coords(cube, rank, 3, coords, ierror)
    first = points*coords/dims
    n = points*(coords + 1)/dims - first
    allocate (u(0:n(1) + 1, 0:n(2) + 1, 0:n(3) + 1), next(n(1), n(2), n(3)))
    do concurrent(x=1:n(1), y=1:n(2), z=1:n(3))
        u(x, y, z) = exact(x, y, z, 0)
    end do
    call prepare_exchange()

    start = MPI_Wtime()
    top = 0
    do s = 1, steps
        call exchange()
        call step(u, next)
        if (mod(s, every) == 0) top = largest(maxval(next))
    end do
    seconds = MPI_Wtime() - start

    error = 0
    do z = 1, n(3)
        do y = 1, n(2)
            do x = 1, n(1)
                error = max(error, abs(u(x, y, z) - exact(x, y, z, steps)))
            end do
        end do
    end do
    error = largest(error)
    good = error < 1e-10_real64
    write (time, '(f10.2)') seconds
    if (rank == 0) print '(3a,i0,a,i0,a,f6.4,a,es7.1,5a)', 'halo (', WAY, '): ', points, '^3, ', steps, &
        ' steps, highest ', top, ', error ', error, trim(merge(' ok   ', ' WRONG', good)), ', ', trim(adjustl(time)), ' s'
    if (count_file /= '') call count_write(count_file, rank)
    do i = 1, 12
        call MPI_Request_free(requests(i), ierror)
    end do
    call MPI_Comm_free(cube, ierror)
    call MPI_Finalize(ierror)
    if (.not. good) stop 1
end program
