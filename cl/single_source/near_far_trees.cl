// Distances and predecessors out of the words of a search that has noted both.
//
// Source:       our own.
// NDRange:      global (count); the work-group size is free.
// Local memory: none.
// Macros:       CONVERTS, 1: distances are written in float64, with infinity where there is no path; then the device has
//               double precision; core/weights.cl.
//   words         in   (count) of single_source/near_far_piles.cl with TREES, of rows whose sources have 0
//   dist          out  (count)
//   predecessors  out  (count) NO_VERTEX for sources and where there is no path

#ifndef CONVERTS
#error "single_source/near_far_trees.cl needs the macro CONVERTS"
#endif

#include "core/weights.cl"

#if CONVERTS
typedef double Distance;
#define NO_PATH INFINITY
#else
typedef WEIGHT Distance;
#define NO_PATH INF
#endif

__kernel void split_words(__global const ulong *restrict words, __global Distance *restrict dist,
                          __global int *restrict predecessors, const ulong count)
{
    const size_t i = get_global_id(0);
    if (i < count) {
        const ulong word = words[i];
        const WEIGHT weight = (WEIGHT)(word >> 32);
        dist[i] = weight == INF ? (Distance)NO_PATH : (Distance)weight;
        predecessors[i] = weight == INF || word == 0 ? NO_VERTEX : (int)(uint)word;
    }
}
