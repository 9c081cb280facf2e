// Distances in the type that users read: float64, with infinity where there is no path.
//
// Source:       our own.
// NDRange:      global (count); the work-group size is free.
// Local memory: none.
// Macros:       core/weights.cl; the device has double precision.
//   dist       in   (count) distances, all of which float64 holds
//   converted  out  (count)

#include "core/weights.cl"

__kernel void convert_distances(__global const WEIGHT *restrict dist, __global double *restrict converted,
                                const ulong count)
{
    const size_t i = get_global_id(0);
    if (i < count)
        converted[i] = dist[i] == INF ? (double)INFINITY : (double)dist[i];
}
