// Distances and predecessors out of the words of a search that has noted both.
//
// Source:       our own.
// NDRange:      global (count); the work-group size is free.
// Local memory: none.
// Macros:       core/weights.cl, where WEIGHT is int.
//   words         in   (count) of single_source/near_far_piles.cl with TREES
//   dist          out  (count) INF = not reached
//   predecessors  out  (count) NO_VERTEX where none was noted
//   counts        i/o  [0]: reached vertices without a predecessor, sources among them

#include "core/weights.cl"

#define NOWHERE UINT_MAX  // as in single_source/near_far_piles.cl

__kernel void split_words(__global const ulong *restrict words, __global WEIGHT *restrict dist,
                          __global int *restrict predecessors, __global uint *restrict counts, const ulong count)
{
    const size_t i = get_global_id(0);
    if (i >= count)
        return;
    const ulong word = words[i];
    const WEIGHT weight = (WEIGHT)(word >> 32);
    const uint before = (uint)word;
    dist[i] = weight;
    predecessors[i] = before == NOWHERE ? NO_VERTEX : (int)before;
    if (before == NOWHERE && weight != INF)
        atomic_inc(&counts[0]);
}
