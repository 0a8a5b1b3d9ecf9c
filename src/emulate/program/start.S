# Makes a shared object also an executable: the name of the dynamic linker, and the entry point that the kernel
# calls when the program is started by hand. Linked into each program by the compiler wrappers as orrery_start.o.
# `orrery run` uses neither: it calls main itself.
    .section .interp, "aR", @progbits
    .asciz "/lib64/ld-linux-x86-64.so.2"

    .text
    .globl orrery_start
    .hidden orrery_start
    .type orrery_start, @function
orrery_start:
    .cfi_startproc
    .cfi_undefined rip
    xorl %ebp, %ebp                        # the outermost frame
    movq %rdx, %r9                         # what the dynamic linker wants called at exit
    popq %rsi                              # argc
    movq %rsp, %rdx                        # argv
    andq $-16, %rsp
    pushq %rax
    pushq %rsp                             # the end of the stack
    xorl %r8d, %r8d                        # no init and fini: the dynamic linker runs the program's own
    xorl %ecx, %ecx
    movq main@GOTPCREL(%rip), %rdi
    call *__libc_start_main@GOTPCREL(%rip)
    hlt
    .cfi_endproc
    .size orrery_start, .-orrery_start

# Where main is, for the loader: main itself may be hidden (-fvisibility=hidden).
    .section .data.rel.ro, "aw", @progbits
    .balign 8
    .globl orrery_main
    .type orrery_main, @object
orrery_main:
    .quad main
    .size orrery_main, 8
    .section .note.GNU-stack, "", @progbits
