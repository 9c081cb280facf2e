// Connected components, edges taken in both directions, by few work-items of a CPU, each of which has a range.
//
// Source:       Sutton, Ben-Nun and Barak, "Optimizing parallel graph connectivity computation via subgraph sampling",
//               IPDPS 2018: two edges of each vertex are linked, and then those of vertices outside the component that
//               has grown the largest.
// NDRange:      as many work-items as compute units, find_largest one; work-group (1). A launch takes the vertices
//               `from` to `to` - 1, link_rest as many steps, of which a vertex and an edge are one each.
// Local memory: none.
// Macros:       POINTER, type of row pointers, and INDEX, of columns: int or long;
//               SYMMETRIC, 1: each edge is there in both directions; components/hook.cl.
//   indptr   in   (n + 1) row pointers
//   indices  in   (m) columns, in any order
//   parents  i/o  (n) components/hook.cl; at last the numbers of components, in the order of their smallest
//                 vertices
//   numbers  i/o  (n) of roots
//   counts   i/o  roots in the range of each work-item of each launch of `settle`, `part` is the index of the first one
//   largest  i/o  [0] root of the component that most vertices belong to, or any other

#if !defined(POINTER) || !defined(INDEX) || !defined(SYMMETRIC)
#error "components/ranges.cl needs the macros POINTER, INDEX and SYMMETRIC"
#endif

#include "components/hook.cl"

#define SAMPLES 1024

// The end of the range before that of a work-item, or of its own with `more` of 1.
#define END_OF(more) (from + (to - from) * (get_global_id(0) + (more)) / get_global_size(0))

// The first edge of a vertex makes its parent. That of a smaller one in the same range is known then, and taken instead.
WORK_GROUP(1, 1, 1)
__kernel void begin(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                    __global int *restrict parents, const ulong from, const ulong to)
{
    const long first = (long)END_OF(0), last = (long)END_OF(1);
    for (long vertex = first; vertex < last; ++vertex) {
        const POINTER entry = indptr[vertex];
        const long end = entry < indptr[vertex + 1] ? (long)indices[entry] : vertex;
        parents[vertex] = end >= vertex ? (int)vertex : end < first ? (int)end : parents[end];
    }
}

// The second edge of each vertex, and the first one if it leads to a larger vertex; of edges that are there in both
// directions only those to smaller vertices.
WORK_GROUP(1, 1, 1)
__kernel void link_first(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                         volatile __global int *parents, const ulong from, const ulong to)
{
    const ulong last = END_OF(1);
    for (ulong vertex = END_OF(0); vertex < last; ++vertex) {
        const POINTER first = indptr[vertex], end = indptr[vertex + 1];
#if SYMMETRIC
        if (first + 1 < end && indices[first + 1] < (INDEX)vertex)
            link(parents, (int)vertex, (int)indices[first + 1]);
#else
        if (first < end && indices[first] > (INDEX)vertex)
            link(parents, (int)vertex, (int)indices[first]);
        if (first + 1 < end)
            link(parents, (int)vertex, (int)indices[first + 1]);
#endif
    }
}

// Every vertex becomes a child of its root.
WORK_GROUP(1, 1, 1)
__kernel void settle(volatile __global int *parents, __global uint *restrict counts, const uint part, const ulong from,
                     const ulong to)
{
    const ulong last = END_OF(1);
    uint roots = 0;
    for (ulong vertex = END_OF(0); vertex < last; ++vertex) {
        const int above = LOAD(&parents[vertex]);
        roots += above == (int)vertex;
        const int root = root_of(parents, above);
        if (root != above)
            STORE(&parents[vertex], root);
    }
    counts[part + get_global_id(0)] = roots;
}

// The root that more than half of a sample have, if there is one, by Boyer and Moore's vote.
WORK_GROUP(1, 1, 1)
__kernel void find_largest(__global const int *restrict parents, __global int *restrict largest, const uint n)
{
    int candidate = 0;
    uint votes = 0;
    for (ulong sample = 0; sample < SAMPLES; ++sample) {
        const int root = parents[sample * 2654435761ul % n];
        candidate = votes == 0 ? root : candidate;
        votes += root == candidate ? 1 : -1;
    }
    largest[0] = candidate;
}

// Links the edges that are left, and some again. Ranges are of vertices and edges together, so that they take equally long.
WORK_GROUP(1, 1, 1)
__kernel void link_rest(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                        volatile __global int *parents, __global const int *restrict largest, const uint n,
                        const ulong from, const ulong to)
{
    const ulong first = END_OF(0), last = END_OF(1);
    ulong row = 0, end = n;
    while (row < end) {  // the last row that begins at or before the first step
        const ulong middle = (row + end + 1) / 2;
        if (middle < n && (ulong)indptr[middle] + middle <= first)
            row = middle;
        else
            end = middle - 1;
    }
    for (; row < n && (ulong)indptr[row] + row < last; ++row) {
        const int own = LOAD(&parents[row]);
        POINTER begin = indptr[row];
#if SYMMETRIC
        if (own == largest[0])  // edges that lead out of it are linked where they lead in
            continue;
#else
        begin += 2;
#endif
        const POINTER entry = max(begin, (POINTER)((long)first - (long)row));
        const POINTER stop = min(indptr[row + 1], (POINTER)(last - row));
        for (POINTER edge = entry; edge < stop; ++edge)
            if (LOAD(&parents[indices[edge]]) != own)
                link(parents, (int)row, (int)indices[edge]);
    }
}

// Roots, in their order.
WORK_GROUP(1, 1, 1)
__kernel void number(__global const int *restrict parents, __global int *restrict numbers,
                     __global const uint *restrict counts, const uint part, const ulong from, const ulong to)
{
    const ulong last = END_OF(1);
    uint roots = 0;
    for (uint before = 0; before < part + get_global_id(0); ++before)
        roots += counts[before];
    for (ulong vertex = END_OF(0); vertex < last; ++vertex)
        if (parents[vertex] == (int)vertex)
            numbers[vertex] = (int)roots++;
}

WORK_GROUP(1, 1, 1)
__kernel void write_labels(__global int *restrict parents, __global const int *restrict numbers, const ulong from,
                           const ulong to)
{
    const ulong last = END_OF(1);
    for (ulong vertex = END_OF(0); vertex < last; ++vertex)
        parents[vertex] = numbers[parents[vertex]];
}
