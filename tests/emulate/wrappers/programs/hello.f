! mpif.h in fixed form. Buffers of two types; a status that is not wanted.
      program hello
      implicit none
      include 'mpif.h'
      integer ierr, rank, nranks, next, last, from
      double precision x, y
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, nranks, ierr)
      next = mod(rank + 1, nranks)
      last = mod(rank + nranks - 1, nranks)
      x = 0.5d0 * rank
      call MPI_SENDRECV(rank, 1, MPI_INTEGER, next, 0, from, 1,
     &     MPI_INTEGER, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE,
     &     ierr)
      call MPI_SENDRECV(x, 1, MPI_DOUBLE_PRECISION, next, 0, y, 1,
     &     MPI_DOUBLE_PRECISION, last, 0, MPI_COMM_WORLD,
     &     MPI_STATUS_IGNORE, ierr)
      if (y .ne. 0.5d0 * last .or. MPI_WTIME() .lt. 0d0) stop 1
      print '(a,i0,a,i0,a,i0)', 'rank ', rank, ' of ', nranks,
     &     ' heard from ', from
      call MPI_FINALIZE(ierr)
      end
