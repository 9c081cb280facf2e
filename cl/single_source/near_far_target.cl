// Leaves out what is farther away than a target: a search that stops there has not finished with it.
//
// Source:       our own.
// NDRange:      global (n, rows); the work-group size is free.
// Local memory: none.
// Macros:       core/weights.cl.
//   dist  i/o  (rows, n) distances; where more than that of vertex `target` in the same row, INF

#include "core/weights.cl"

__kernel void forget_beyond(__global WEIGHT *restrict dist, const uint target, const uint n)
{
    const size_t vertex = get_global_id(0), row = get_global_id(1) * n;
    if (vertex < n && vertex != target && dist[row + vertex] > dist[row + target])
        dist[row + vertex] = INF;
}
