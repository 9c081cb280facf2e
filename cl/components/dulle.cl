// Connected components of an undirected graph by its dense matrix, a kernel for each step.
//
// Source:       Dulle's thesis, Algorithm 18 and its kernels (section 5.6), after Hirschberg, Chandra and Sarwate (1979).
//               In line 10 of the algorithm `c` stands where p is meant; the kernel STEP3B has it right.
// NDRange:      n; work-group (1) on CPUs, else any.
// Local memory: none.
// Macros:       none.
//   adjacent    in   (n, n) row-major; 1 if there is an edge, in both directions
//   components  i/o  (n) a vertex of the component that each belongs to: at last the smallest one
//   targets     i/o  (n) the component that each vertex, and then each component, wants to join
//   copied      i/o  (n) what a step computes, from where the next one copies it

#include "core/language.cl"

__kernel void init(__global int *restrict components, const uint n)
{
    const size_t p = get_global_id(0);
    if (p < n)
        components[p] = (int)p;
}

__kernel void copy(__global int *restrict to, __global const int *restrict from, const uint n)
{
    const size_t p = get_global_id(0);
    if (p < n)
        to[p] = from[p];
}

__kernel void pointer_jump(__global int *restrict to, __global const int *restrict from, const uint n)
{
    const size_t p = get_global_id(0);
    if (p < n)
        to[p] = from[from[p]];
}

// The smallest component, other than its own, that a vertex has an edge to; its own if there is none.
__kernel void step_1(__global const uchar *restrict adjacent, __global const int *restrict components,
                     __global int *restrict targets, const uint n)
{
    const size_t p = get_global_id(0);
    if (p >= n)
        return;
    const int own = components[p];
    int smallest = INT_MAX;
    for (uint j = 0; j < n; ++j) {
        const int other = components[j];
        if (adjacent[p * n + j] && other != own)
            smallest = min(smallest, other);
    }
    targets[p] = smallest == INT_MAX ? own : smallest;
}

// The smallest component that a vertex of this one wants to join; its own if there is none.
__kernel void step_2(__global const int *restrict components, __global const int *restrict targets,
                     __global int *restrict copied, const uint n)
{
    const size_t p = get_global_id(0);
    if (p >= n)
        return;
    int smallest = INT_MAX;
    for (uint j = 0; j < n; ++j)
        if (components[j] == (int)p && targets[j] != (int)p)
            smallest = min(smallest, targets[j]);
    copied[p] = smallest == INT_MAX ? components[p] : smallest;
}

__kernel void step_3a(__global int *restrict components, __global const int *restrict targets, const uint n)
{
    const size_t p = get_global_id(0);
    if (p < n && components[p] == (int)p)
        components[p] = targets[p];
}

// Of two components that want to join each other the smaller one stays.
__kernel void step_3b(__global int *restrict components, __global const int *restrict copied, const uint n)
{
    const size_t p = get_global_id(0);
    if (p < n && copied[p] == (int)p)
        components[p] = min(components[p], (int)p);
}
