// What every breadth-first search shares: when it goes bottom-up, and what stands for "no predecessor".
//
// Macros: OFFSET, type of offsets in the list of edges: uint, or ulong if there are 2^32 edges or more.

#ifndef OFFSET
#error "traversal/bfs_direction.cl needs the macro OFFSET"
#endif

#include "core/no_vertex.cl"

#define NO_PREDECESSOR ((uint)NO_VERTEX)  // greater than every vertex

// Vertices that are passed over bottom-up in the time in which one edge is looked at.
#define VERTICES_PER_EDGE 4

// Top-down looks at every edge that leaves the level; bottom-up at every vertex, and at some of the edges of those that
// are not reached yet. It pays if there are fewer than `edge_factor` such edges for each edge of the level; 0: it never
// does. Edges may be counted in any unit.
bool bottom_up_pays(const ulong level_edges, const ulong unexplored, const ulong edge_factor, const uint n)
{
    return level_edges * edge_factor > unexplored + n / VERTICES_PER_EDGE;
}
