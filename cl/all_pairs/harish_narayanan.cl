// One step of the Floyd-Warshall algorithm in place, one work-item an atomic task.
//
// Source:       Lund and Smith, section 3.1: the inner two loops of figure 1, as implemented by Harish and Narayanan.
// NDRange:      global (n, n), the work-group is free; one launch for each k.
// Local memory: none.
// Macros:       those of minplus/common.cl.
//
// Row k and column k, which every other task reads, are left alone. In a loop over all entries they would change only
// where entry (k, k) is negative: there is a negative cycle then, and a path that passes it once more is not wanted.

#include "minplus/common.cl"

__kernel void relax(__global WEIGHT *matrix, const ulong n, const uint k)
{
    const size_t column = get_global_id(0), row = get_global_id(1), at = row * n + column;
    if (row != k && column != k)
        matrix[at] = result(relaxed(AS_TYPE(ORDER, matrix[at]), matrix[row * n + k], matrix[k * n + column]));
}
