// The edges of vertices that have few, each vertex with room for as many: no offset has to be loaded first.
//
// Source:       our own; compressed sparse rows of one width, as the format ELLPACK has them.
// NDRange:      global n rounded up to the work-group's size.
// Local memory: none.
// Macros:       WIDTH, edges of a vertex, at most; UNIT, 1: only the targets of edges are there, which weigh 1;
//               core/out_edges.cl, core/weights.cl.
//   first_edge, edges  in   core/out_edges.cl
//   padded             out  (n, WIDTH) the edges of each vertex, and then some whose target is -1

#if !defined(WIDTH) || !defined(UNIT)
#error "edges/pad.cl needs the macros WIDTH and UNIT"
#endif

#include "core/out_edges.cl"

#if UNIT
typedef int Given;
#else
typedef Edge Given;
#endif

Edge edge_of(const Given given)
{
#if UNIT
    const Edge edge = {given, 1};
    return edge;
#else
    return given;
#endif
}

__kernel void pad(__global const OFFSET *restrict first_edge, __global const Given *restrict edges,
                  __global Edge *restrict padded, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n) {
        const Edge none = {-1, 0};
        OFFSET edge = first_edge[vertex];
        const OFFSET last = first_edge[vertex + 1];
        for (uint k = 0; k < WIDTH; ++k, ++edge)
            padded[vertex * WIDTH + k] = edge < last ? edge_of(edges[edge]) : none;
    }
}
