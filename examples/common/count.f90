! What a program sends and receives, counted by the program itself next to its MPI calls: count.h for Fortran.
module count
    use, intrinsic :: iso_fortran_env, only: int64
    implicit none
    private
    public :: count_send, count_receive, count_collective, count_write

    type tally
        character(len=24) :: name = ''
        integer(int64) :: calls = 0
        integer(int64) :: bytes = 0
    end type
    type(tally) :: sent, received, collectives(32)

contains

    subroutine count_one(one, bytes)
        type(tally), intent(inout) :: one
        integer(int64), intent(in) :: bytes
        one%calls = one%calls + 1
        one%bytes = one%bytes + bytes
    end subroutine

    subroutine count_send(bytes)
        integer(int64), intent(in) :: bytes
        call count_one(sent, bytes)
    end subroutine

    subroutine count_receive(bytes)
        integer(int64), intent(in) :: bytes
        call count_one(received, bytes)
    end subroutine

    ! What the bytes of a collective operation are, count.h says.
    subroutine count_collective(name, bytes)
        character(len=*), intent(in) :: name
        integer(int64), intent(in) :: bytes
        integer :: i
        do i = 1, size(collectives)
            if (collectives(i)%name == '') collectives(i)%name = name
            if (collectives(i)%name == name) then
                call count_one(collectives(i), bytes)
                return
            end if
        end do
    end subroutine

    ! Writes `file`.<rank>.json.
    subroutine count_write(file, rank)
        character(len=*), intent(in) :: file
        integer, intent(in) :: rank
        character(len=12) :: number
        integer :: out, i
        write (number, '(i0)') rank
        open (newunit=out, file=trim(file)//'.'//trim(number)//'.json', action='write', status='replace')
        write (out, '(a,i0,a)') '{"rank": ', rank, ','
        write (out, '(a,i0,a,i0,a)') ' "sent": {"messages": ', sent%calls, ', "bytes": ', sent%bytes, '},'
        write (out, '(a,i0,a,i0,a)') ' "received": {"messages": ', received%calls, ', "bytes": ', received%bytes, '},'
        write (out, '(a)') ' "collectives": {'
        do i = 1, size(collectives)
            if (collectives(i)%name == '') exit
            if (i > 1) write (out, '(a)') ','
            write (out, '(3a,i0,a,i0,a)') '  "', trim(collectives(i)%name), '": {"calls": ', collectives(i)%calls, &
                ', "bytes": ', collectives(i)%bytes, '}'
        end do
        write (out, '(a)') ' }}'
        close (out)
    end subroutine
end module
