#!/usr/bin/env python3
# Writes a Dimemas trace: tasks in a ring that compute, pass a message on, and meet in an allreduce now and then.
#   ring.py TASKS STEPS > ring.dim
import sys

tasks, steps = int(sys.argv[1]), int(sys.argv[2])
members = ":".join(str(task) for task in range(tasks))
threads = ",".join(["1"] * tasks)
# 0: no table of offsets; `orrery convert` adds one for Dimemas itself.
print(f'#DIMEMAS:"ring":0:{tasks}({threads}),1')
print(f"d:1:1:{tasks}:{members}")
for task in range(tasks):
    left, right = (task - 1) % tasks, (task + 1) % tasks
    for step in range(steps):
        print(f"1:{task}:0:{0.0005 + 0.00001 * (task * 7 % 5):.6f}")
        print(f"3:{task}:0:{left}:-1:65536:{step % 100}:1:1")
        print(f"2:{task}:0:{right}:-1:65536:{step % 100}:1:2")
        print(f"3:{task}:0:{left}:-1:65536:{step % 100}:1:2")
        if step % 10 == 9:
            print(f"10:{task}:0:11:1:0:0:8:8:1")
    print(f"1:{task}:0:0.000100")
