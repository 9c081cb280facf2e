// Counters of kernels that take one row of work after the other, in as many launches as it needs.
//
// The host reads them after each (reedsp/device/iterate.py). They are zeros at first; the last one is a kernel's own.

#define ROWS_BEGUN 0
#define ROWS_DONE 1
#define STEPS 2  // of all rows: rounds, levels, vertices or the like
#define COUNTERS 4
