// The edges of a graph, sorted by the vertex that they leave.
//
// Macros: OFFSET, type of offsets in the list of edges: uint, or ulong from 2^32 edges on; core/weights.cl.
//   first_edge  in   (n + 1) offset of the first edge that leaves each vertex, then the number of edges
//   edges       in   (m) targets ascend for each vertex

#ifndef OFFSET
#error "core/out_edges.cl needs the macro OFFSET"
#endif

#include "core/weights.cl"

// An edge and its weight lie side by side: they are read together, from the same cache line.
typedef struct __attribute__((aligned(2 * sizeof(WEIGHT)))) {
    int target;
    WEIGHT weight;
} Edge;
