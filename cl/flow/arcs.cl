// The residual graph of a matrix of capacities, by one work-item: its pattern and the transposed one, united.
//
// Source:       as SciPy's maximum_flow has it; a transposition by counting, and a merge of every row with its column.
// NDRange:      (1); work-group (1). A launch takes the edges or the vertices from `begin` to `end`, one launch after the
//               other: none takes long.
// Local memory: none.
// Macros:       POINTER, type of row pointers, and INDEX, of columns: int or long; CAPACITY, type of capacities: int or
//               long; AMOUNT (flow/arc.cl).
//   indptr      in   (n + 1) row pointers
//   indices     in   (m) columns, ascending within a row
//   capacities  in   (m) not negative
//   column_end  i/o  (n + 1) 0 at first; after `transpose` where the entries of each column end
//   sources     i/o  (m) the row of each entry of the transposed matrix, ascending within a column
//   incoming    i/o  (m) its capacity
//   first       out  (n + 1) index of the first arc of each vertex, heads ascending, a loop among them, which carries
//                    nothing; then their number
//   next        i/o  (n) a copy of first
//   arcs        out  (up to 2 m)
//   bound       -    what an edge can carry at most, if it is more; above any flow, so that such an edge is never full

#if !defined(POINTER) || !defined(INDEX) || !defined(CAPACITY)
#error "flow/arcs.cl needs the macros POINTER, INDEX and CAPACITY"
#endif

#include "flow/arc.cl"

WORK_GROUP(1, 1, 1)
__kernel void count(__global const INDEX *restrict indices, __global uint *restrict column_end, const ulong begin,
                    const ulong end)
{
    for (ulong edge = begin; edge < end; ++edge)
        ++column_end[indices[edge] + 1];
}

WORK_GROUP(1, 1, 1)
__kernel void sum(__global uint *restrict column_end, const ulong begin, const ulong end)
{
    for (ulong vertex = begin; vertex < end; ++vertex)
        column_end[vertex + 1] += column_end[vertex];
}

// Moves where each column begins to where it ends, which is where the next one begins.
WORK_GROUP(1, 1, 1)
__kernel void transpose(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                        __global const CAPACITY *restrict capacities, __global uint *restrict column_end,
                        __global int *restrict sources, __global AMOUNT *restrict incoming, const ulong bound,
                        const ulong begin, const ulong end)
{
    for (ulong vertex = begin; vertex < end; ++vertex)
        for (POINTER edge = indptr[vertex]; edge < indptr[vertex + 1]; ++edge) {
            const uint entry = column_end[indices[edge]]++;
            sources[entry] = (int)vertex;
            incoming[entry] = (AMOUNT)min((ulong)capacities[edge], bound);
        }
}

WORK_GROUP(1, 1, 1)
__kernel void merge(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                    __global const CAPACITY *restrict capacities, __global const uint *restrict column_end,
                    __global const int *restrict sources, __global const AMOUNT *restrict incoming,
                    __global uint *restrict first, __global uint *restrict next, __global Arc *restrict arcs,
                    const ulong bound, const ulong begin, const ulong end)
{
    uint arc = begin == 0 ? 0 : first[begin];
    for (ulong vertex = begin; vertex < end; ++vertex) {
        first[vertex] = next[vertex] = arc;
        POINTER edge = indptr[vertex];
        const POINTER last_edge = indptr[vertex + 1];
        uint entry = vertex == 0 ? 0 : column_end[vertex - 1];
        const uint last_entry = column_end[vertex];
        while (edge < last_edge || entry < last_entry) {
            const long outward = edge < last_edge ? (long)indices[edge] : LONG_MAX;
            const long inward = entry < last_entry ? (long)sources[entry] : LONG_MAX;
            const long head = min(outward, inward);
            Arc made = {(int)head, 0, 0, 0};
            if (outward == head) {
                made.residual = (AMOUNT)min((ulong)capacities[edge], bound);
                ++edge;
            }
            if (inward == head) {
                made.opposite = incoming[entry];
                ++entry;
            }
            if (head == (long)vertex)
                made.residual = made.opposite = 0;
            arcs[arc++] = made;
        }
    }
    first[end] = arc;
}

// Rows are taken in order, and so are the heads of each: the arcs that lead to a vertex come as its own do.
WORK_GROUP(1, 1, 1)
__kernel void pair(__global const uint *restrict first, __global uint *restrict next, __global Arc *restrict arcs,
                   const ulong begin, const ulong end)
{
    for (uint arc = first[begin]; arc < first[end]; ++arc)
        arcs[arc].reverse = next[arcs[arc].head]++;
}
