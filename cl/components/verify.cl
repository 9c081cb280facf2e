// Whether numbers of components are right, by rules that do not depend on how they were found.
//
// Source:       our own. Numbers that are equal along edges are not finer than the components. Trees that grow along edges
//               are not coarser: where there are as many trees as numbers, both are the components.
// NDRange:      check_edges and hook: n, in parts; the others n; the work-group size is free.
// Local memory: none.
// Macros:       STRONG, 1: numbers of strongly connected components; 0: of edges taken in both directions;
//               core/loads.cl.
//   indptr    in   (n + 1) row pointers
//   indices   in   (m) columns
//   labels    in   (n) numbers of components, which are in range
//   smallest  i/o  (components) the smallest vertex of each; n at first
//   highest   i/o  (components) the highest other component that an edge of each leads to; -1 at first
//   wrong     i/o  [0] the smallest vertex with an edge that breaks a rule; n at first
//   parents   i/o  (n) a vertex of the same tree, no larger than the vertex itself, which it is at first
//   changed   i/o  [0] whether trees have grown
//   roots     i/o  [0] trees

#ifndef STRONG
#error "components/verify.cl needs the macro STRONG"
#endif

#include "core/loads.cl"

__kernel void check_edges(__global const long *restrict indptr, __global const int *restrict indices,
                          __global const int *restrict labels, volatile __global int *smallest,
                          volatile __global int *highest, volatile __global int *wrong, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex >= n)
        return;
    const int own = labels[vertex];
    atomic_min(&smallest[own], (int)vertex);
    for (long edge = indptr[vertex]; edge < indptr[vertex + 1]; ++edge) {
        const int other = labels[indices[edge]];
#if STRONG
        if (other > own)
            atomic_min(&wrong[0], (int)vertex);
        if (other < own)
            atomic_max(&highest[own], other);
#else
        if (other != own)
            atomic_min(&wrong[0], (int)vertex);
#endif
    }
}

__kernel void begin_trees(__global int *restrict parents, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n)
        parents[vertex] = (int)vertex;
}

// Each end of an edge is put below the parent of the other one, if that is smaller.
__kernel void hook(__global const long *restrict indptr, __global const int *restrict indices,
                   volatile __global int *parents, volatile __global uint *changed, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex >= n)
        return;
    for (long edge = indptr[vertex]; edge < indptr[vertex + 1]; ++edge) {
        const int one = LOAD(&parents[vertex]), other = LOAD(&parents[indices[edge]]);
        const int low = min(one, other), high = max(one, other);
        if (low != high && atomic_min(&parents[high], low) > low)
            atomic_or(&changed[0], 1u);
    }
}

__kernel void jump(volatile __global int *parents, volatile __global uint *changed, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex >= n)
        return;
    const int parent = LOAD(&parents[vertex]), above = LOAD(&parents[parent]);
    if (above != parent) {
        STORE(&parents[vertex], above);
        atomic_or(&changed[0], 1u);
    }
}

__kernel void count_trees(__global const int *restrict parents, volatile __global uint *roots, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n && parents[vertex] == (int)vertex)
        atomic_inc(&roots[0]);
}
