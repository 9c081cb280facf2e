// Which reached vertices have no predecessor yet: they are found level by level, whichever way edges are sorted.
//
// NDRange:      global (n, rows), the first rounded up to the work-group size, which is free; for start_at_sources the
//               number of sources.
// Local memory: none.
// Macros:       core/weights.cl.
//   dist          in   (rows, n) final distances; INF = unreachable
//   predecessors  i/o  (rows, n) NO_VERTEX, or NOT_YET while minima are taken, where there is none
//   levels        out  (rows, n) hop level; UNRESOLVED if there is none yet
//   counts        i/o  [0]: reached vertices without a predecessor

#include "core/weights.cl"

#define UNRESOLVED 0xFFFFFFFFu
#define NOT_YET 0x7FFFFFFF  // greater than every vertex

// Ends a pass that takes minima.
__kernel void count_unresolved(__global const WEIGHT *restrict dist, __global int *restrict predecessors,
                               __global uint *restrict counts, const uint n)
{
    const size_t vertex = get_global_id(0), index = get_global_id(1) * n + vertex;
    if (vertex >= n || predecessors[index] != NOT_YET)
        return;
    predecessors[index] = NO_VERTEX;
    if (dist[index] != INF)
        atomic_inc(&counts[0]);
}

// What is resolved so far has level 0, and so have the sources.
__kernel void start_levels(__global const int *restrict predecessors, __global uint *restrict levels, const uint n)
{
    const size_t vertex = get_global_id(0), index = get_global_id(1) * n + vertex;
    if (vertex < n)
        levels[index] = predecessors[index] == NO_VERTEX ? UNRESOLVED : 0;
}

// sources: their indices in `levels`; one work-item for each of the `count`.
__kernel void start_at_sources(__global const ulong *restrict sources, __global uint *restrict levels, const uint count)
{
    if (get_global_id(0) < count)
        levels[sources[get_global_id(0)]] = 0;
}
