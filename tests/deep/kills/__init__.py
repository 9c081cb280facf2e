"""Processes killed at random moments of calls that leave something on disk, and the same calls given again.

    python -m tests.deep.kills [--calls NAME ...] [--kills N]

kills processes of each of some calls so often (by default as often as the call says, over 600 times in all) by SIGKILL,
one after the other, and then gives the same call again until it ends. The calls are all pairs into files, and between
the names of the two results; graphs, results, prepared graphs and commands' outputs, also over older files; the first
call with an empty cache; ``reedsp calibrate``; and rows and all pairs that two workers write, of Dask, of which one,
all, the scheduler or the client are killed, or of a pool of processes, of which all workers are, or all processes.

After each kill no name of a result may lead to anything but its whole content, or the older file; no process of the
call may be left. When the call has ended, its bytes are those of one that nobody has disturbed, and nothing is left but
``.NAME.<random>.partial`` of those that were killed. The exit status is 1 if it is otherwise.
"""
