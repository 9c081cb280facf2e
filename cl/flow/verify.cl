// Whether a flow is one, and a set of vertices a cut of its value: capacities, conservation, and what crosses the cut.
//
// Source:       Ford and Fulkerson 1956: the value of no flow is above the capacity of any cut.
// NDRange:      a work-item for each of the vertices from `begin` to `end`; any work-group. Sums are of SUM_WORDS words.
// Local memory: none.
// Macros:       CAPACITY, type of capacities and flows: int or long.
//   indptr      in   (n + 1) row pointers
//   indices     in   (m) the vertex that each edge leads to
//   capacities  in   (m)
//   flow        in   (m)
//   on_side     in   (n) 1 for the vertices on the source's side of the cut, otherwise 0
//   outward     i/o  (n) sums of what flows out of each vertex; 0 at first
//   inward      i/o  (n) the same of what flows in
//   crossing    i/o  (1) the sum of the capacities of the edges that lead across the cut; 0 at first
//   offenders   i/o  the smallest vertex that breaks each rule; UINT_MAX at first

#ifndef CAPACITY
#error "flow/verify.cl needs the macro CAPACITY"
#endif

#include "flow/sum.cl"

#define WITHIN_CAPACITY 0
#define CONSERVED 1
#define CUT_IS_FULL 2

__kernel void check_edges(__global const long *restrict indptr, __global const int *restrict indices,
                          __global const CAPACITY *restrict capacities, __global const CAPACITY *restrict flow,
                          __global const uchar *restrict on_side, __global uint *restrict outward,
                          __global uint *restrict inward, __global uint *restrict crossing,
                          __global uint *restrict offenders, const uint begin, const uint end)
{
    const size_t vertex = begin + get_global_id(0);
    if (vertex >= end)
        return;
    for (long edge = indptr[vertex]; edge < indptr[vertex + 1]; ++edge) {
        const CAPACITY amount = flow[edge];
        const int head = indices[edge];
        if (amount < 0 || amount > capacities[edge]) {
            atomic_min(&offenders[WITHIN_CAPACITY], (uint)vertex);
            continue;
        }
        if (amount > 0) {
            add_to_sum(&outward[vertex * SUM_WORDS], (ulong)amount);
            add_to_sum(&inward[(size_t)head * SUM_WORDS], (ulong)amount);
        }
        if (on_side[vertex] == on_side[head])
            continue;
        if (on_side[vertex])
            add_to_sum(crossing, (ulong)capacities[edge]);
        if (amount != (on_side[vertex] ? capacities[edge] : 0))
            atomic_min(&offenders[CUT_IS_FULL], (uint)vertex);
    }
}

__kernel void check_vertices(__global const uint *restrict outward, __global const uint *restrict inward,
                             __global uint *restrict offenders, const uint source, const uint sink, const uint begin,
                             const uint end)
{
    const size_t vertex = begin + get_global_id(0);
    if (vertex >= end || vertex == source || vertex == sink)
        return;
    bool differs = false;
    for (size_t word = vertex * SUM_WORDS; word < (vertex + 1) * SUM_WORDS; ++word)
        differs |= outward[word] != inward[word];
    if (differs)
        atomic_min(&offenders[CONSERVED], (uint)vertex);
}
