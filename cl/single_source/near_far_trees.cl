// Distances and predecessors out of the words of a search that has noted both.
//
// Source:       our own.
// NDRange:      global (count); the work-group size is free.
// Local memory: none.
// Macros:       core/weights.cl, where WEIGHT is int.
//   words         in   (count) of single_source/near_far_piles.cl with TREES, of rows whose sources have 0
//   dist          out  (count) INF = not reached
//   predecessors  out  (count) NO_VERTEX for sources and where there is no path

#include "core/weights.cl"

__kernel void split_words(__global const ulong *restrict words, __global WEIGHT *restrict dist,
                          __global int *restrict predecessors, const ulong count)
{
    const size_t i = get_global_id(0);
    if (i < count) {
        const ulong word = words[i];
        dist[i] = (WEIGHT)(word >> 32);
        predecessors[i] = dist[i] == INF || word == 0 ? NO_VERTEX : (int)(uint)word;
    }
}
