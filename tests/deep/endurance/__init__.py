"""What a program meets that runs for days: threads, Ctrl-C and failing devices, all at once, and for hours.

    python -m tests.deep.endurance [--hours 24] [--threads 8] [--round 60] [--seed 1] [--output CSV]

Threads of one process make calls at random, of every kind, on graphs of their own and on ones that they share. In every
tenth call the device fails at a random moment: a buffer is not given, or a command is refused. One of the threads is
the main one, into every tenth of whose calls Ctrl-C is pressed. Demanded is that a call gives its answer, or says that
the device has failed where it has; that no later call suffers from it; and, at the end of each round, when all threads
have ended, that the process has not grown by 5 MiB since the first few, and keeps no more buffers than after these.

Each round is a line of the file; a later call with the same file adds its own. The exit status is 1 if something was
wrong, which ends the run.
"""
