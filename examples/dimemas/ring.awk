# Writes a Dimemas trace: tasks in a ring that compute, pass a message on, and meet in an allreduce now and then.
#   awk -v tasks=16 -v steps=40 -f ring.awk > ring.dim
BEGIN {
    threads = "1"; members = "0"
    for (task = 1; task < tasks; ++task) { threads = threads ",1"; members = members ":" task }
    # 0: no table of offsets; `orrery convert` adds one for Dimemas itself.
    printf "#DIMEMAS:\"ring\":0:%d(%s),1\n", tasks, threads
    printf "d:1:1:%d:%s\n", tasks, members
    for (task = 0; task < tasks; ++task) {
        left = (task + tasks - 1) % tasks; right = (task + 1) % tasks
        for (step = 0; step < steps; ++step) {
            printf "1:%d:0:%.6f\n", task, 0.0005 + 0.00001 * (task * 7 % 5)
            printf "3:%d:0:%d:-1:65536:%d:1:1\n", task, left, step % 100
            printf "2:%d:0:%d:-1:65536:%d:1:2\n", task, right, step % 100
            printf "3:%d:0:%d:-1:65536:%d:1:2\n", task, left, step % 100
            if (step % 10 == 9) printf "10:%d:0:11:1:0:0:8:8:1\n", task
        }
        printf "1:%d:0:0.000100\n", task
    }
}
