// What every breadth-first search shares: when it goes bottom-up, and what stands for "no predecessor".
//
// Macros:
//   OFFSET       type of places in the list of edges: uint, or ulong if there are 2^32 edges or more
//   EDGE_FACTOR  edges not explored yet for each edge of a level from which on bottom-up pays; 0: it never does

#if !defined(OFFSET) || !defined(EDGE_FACTOR)
#error "breadth_first_direction.cl needs the macros OFFSET and EDGE_FACTOR"
#endif

#define NO_VERTEX 0xFFFFD8F1u  // -9999, which is greater than every vertex

// Vertices that are passed over bottom-up in the time in which one edge is looked at.
#define VERTICES_PER_EDGE 4

// Top-down looks at every edge that leaves the level; bottom-up at every vertex, and at some of the edges of those that
// are not reached yet. Edges may be counted in any unit.
bool bottom_up_pays(const ulong level_edges, const ulong unexplored, const uint n)
{
    return level_edges * EDGE_FACTOR > unexplored + n / VERTICES_PER_EDGE;
}
