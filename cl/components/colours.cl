// Strongly connected components by the work-groups of a GPU, in rounds over all edges.
//
// Source:       what no cycle passes is trimmed (McLendon et al. 2005); a component is what a pivot reaches and is
//               reached from (Fleischer, Hendrickson and Pinar 2000); and each vertex takes the smallest vertex that
//               reaches it as its colour, which has a component there (Orzan 2004). Slota, Rajamanickam and Madduri, "BFS
//               and coloring-based parallel algorithms for strongly connected components", IPDPS 2014, join the three.
// NDRange:      mark_ends, spread, colour, spread_back, raise_levels: m, which the host may cut; the others n.
// Local memory: none.
// Macros:       POINTER, type of row pointers: int, uint, long or ulong, and INDEX, of columns: int or long;
//               core/loads.cl.
//   indptr    in   (n + 1) row pointers
//   sources   in   (m) rows of the edges
//   indices   in   (m) columns
//   owners    i/o  (n) a vertex of the component of each, NONE as long as it is not known
//   inward    i/o  (n) the last round of trimming in which an edge between vertices without owners ended at each
//   outward   i/o  (n) the same for an edge that leaves it
//   pivot     i/o  [0] the most edges that leave a vertex without owner, [1] the smallest vertex that so many leave
//   marks     i/o  (n) REACHED: from the pivot; REACHING: it, or the vertex whose colour it is
//   colours   i/o  (n) the smallest vertex without owner that reaches each
//   left      i/o  [0] whether there are vertices without owners
//   smallest  i/o  (n) for an owner, the smallest vertex of its component
//   levels    i/o  (n) for the smallest vertex of a component, the edges on the longest path between components from it
//   updates   i/o  core/rounds.cl

#if !defined(POINTER) || !defined(INDEX)
#error "components/colours.cl needs the macros POINTER and INDEX"
#endif

#include "core/loads.cl"
#include "core/rounds.cl"

#define NONE (-1)
#define REACHED 1
#define REACHING 2

// An edge between two vertices without owners.
typedef struct {
    int source, target;
    bool is_there;
} Edge;

Edge edge_at(__global const int *sources, __global const INDEX *indices, __global const int *owners, const ulong m)
{
    const ulong place = get_global_id(0);
    Edge edge = {0, 0, false};
    if (place < m) {
        edge.source = sources[place];
        edge.target = (int)indices[place];
        edge.is_there = edge.source != edge.target && owners[edge.source] == NONE && owners[edge.target] == NONE;
    }
    return edge;
}

__kernel void begin(__global int *restrict owners, __global int *restrict inward, __global int *restrict outward,
                    __global int *restrict marks, __global int *restrict smallest, __global int *restrict levels,
                    const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n) {
        owners[vertex] = NONE;
        inward[vertex] = outward[vertex] = -1;
        marks[vertex] = 0;
        smallest[vertex] = (int)n;
        levels[vertex] = 0;
    }
}

// ---- trimming -------------------------------------------------------------------------------------------------------

__kernel void mark_ends(__global const int *restrict sources, __global const INDEX *restrict indices,
                        __global const int *restrict owners, volatile __global int *inward,
                        volatile __global int *outward, const int round, __global uint *updates, const uint phase,
                        const ulong m)
{
    if (round_is_skipped(updates, phase))
        return;
    const Edge edge = edge_at(sources, indices, owners, m);
    if (edge.is_there) {
        STORE(&outward[edge.source], round);
        STORE(&inward[edge.target], round);
    }
}

__kernel void trim(__global int *restrict owners, __global const int *restrict inward,
                   __global const int *restrict outward, const int round, __global uint *updates, const uint phase,
                   const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex == 0)
        prepare_next_round(updates, phase);
    if (vertex < n && !round_is_skipped(updates, phase) && owners[vertex] == NONE &&
        (inward[vertex] != round || outward[vertex] != round)) {
        owners[vertex] = (int)vertex;
        report_update(updates, phase);
    }
}

// ---- one pivot ------------------------------------------------------------------------------------------------------

__kernel void find_degree(__global const POINTER *restrict indptr, __global const int *restrict owners,
                          volatile __global int *pivot, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n && owners[vertex] == NONE)
        atomic_max(&pivot[0], (int)min(indptr[vertex + 1] - indptr[vertex], (POINTER)INT_MAX));
}

__kernel void find_pivot(__global const POINTER *restrict indptr, __global const int *restrict owners,
                         volatile __global int *pivot, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n && owners[vertex] == NONE &&
        (int)min(indptr[vertex + 1] - indptr[vertex], (POINTER)INT_MAX) == LOAD(&pivot[0]))
        atomic_min(&pivot[1], (int)vertex);
}

__kernel void mark_pivot(__global const int *restrict pivot, __global int *restrict marks, const uint n)
{
    if (get_global_id(0) == 0 && (uint)pivot[1] < n)
        marks[pivot[1]] = REACHED | REACHING;
}

__kernel void spread(__global const int *restrict sources, __global const INDEX *restrict indices,
                     __global const int *restrict owners, volatile __global int *marks, __global uint *updates,
                     const uint phase, const ulong m)
{
    if (get_global_id(0) == 0)
        prepare_next_round(updates, phase);
    if (round_is_skipped(updates, phase))
        return;
    const Edge edge = edge_at(sources, indices, owners, m);
    if (!edge.is_there)
        return;
    const int before = LOAD(&marks[edge.source]), after = LOAD(&marks[edge.target]);
    if (before & ~after & REACHED)
        atomic_or(&marks[edge.target], REACHED);
    if (after & ~before & REACHING)
        atomic_or(&marks[edge.source], REACHING);
    if ((before & ~after & REACHED) || (after & ~before & REACHING))
        report_update(updates, phase);
}

__kernel void take_pivot(__global const int *restrict marks, __global const int *restrict pivot,
                         __global int *restrict owners, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n && owners[vertex] == NONE && marks[vertex] == (REACHED | REACHING))
        owners[vertex] = pivot[1];
}

// ---- colours --------------------------------------------------------------------------------------------------------

__kernel void begin_colours(__global int *restrict colours, __global int *restrict marks, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n) {
        colours[vertex] = (int)vertex;
        marks[vertex] = 0;
    }
}

__kernel void colour(__global const int *restrict sources, __global const INDEX *restrict indices,
                     __global const int *restrict owners, volatile __global int *colours, __global uint *updates,
                     const uint phase, const ulong m)
{
    if (get_global_id(0) == 0)
        prepare_next_round(updates, phase);
    if (round_is_skipped(updates, phase))
        return;
    const Edge edge = edge_at(sources, indices, owners, m);
    if (edge.is_there) {
        const int own = LOAD(&colours[edge.source]);
        if (own < LOAD(&colours[edge.target])) {
            atomic_min(&colours[edge.target], own);
            report_update(updates, phase);
        }
    }
}

__kernel void begin_back(__global const int *restrict owners, __global const int *restrict colours,
                         __global int *restrict marks, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n && owners[vertex] == NONE && colours[vertex] == (int)vertex)
        marks[vertex] = REACHING;
}

__kernel void spread_back(__global const int *restrict sources, __global const INDEX *restrict indices,
                          __global const int *restrict owners, __global const int *restrict colours,
                          volatile __global int *marks, __global uint *updates, const uint phase, const ulong m)
{
    if (get_global_id(0) == 0)
        prepare_next_round(updates, phase);
    if (round_is_skipped(updates, phase))
        return;
    const Edge edge = edge_at(sources, indices, owners, m);
    if (edge.is_there && colours[edge.source] == colours[edge.target] && LOAD(&marks[edge.target]) &&
        !LOAD(&marks[edge.source])) {
        STORE(&marks[edge.source], REACHING);
        report_update(updates, phase);
    }
}

__kernel void take_colours(__global const int *restrict colours, __global const int *restrict marks,
                           __global int *restrict owners, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n && owners[vertex] == NONE && marks[vertex])
        owners[vertex] = colours[vertex];
}

__kernel void find_left(__global const int *restrict owners, volatile __global uint *left, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n && owners[vertex] == NONE)
        atomic_or(&left[0], 1u);
}

// ---- levels ---------------------------------------------------------------------------------------------------------

__kernel void find_smallest(__global const int *restrict owners, volatile __global int *smallest, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n)
        atomic_min(&smallest[owners[vertex]], (int)vertex);
}

// Owners are the smallest vertices from now on.
__kernel void take_smallest(__global int *restrict owners, __global const int *restrict smallest, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n)
        owners[vertex] = smallest[owners[vertex]];
}

__kernel void raise_levels(__global const int *restrict sources, __global const INDEX *restrict indices,
                           __global const int *restrict owners, volatile __global int *levels, __global uint *updates,
                           const uint phase, const ulong m)
{
    if (get_global_id(0) == 0)
        prepare_next_round(updates, phase);
    if (round_is_skipped(updates, phase) || get_global_id(0) >= m)
        return;
    const int source = owners[sources[get_global_id(0)]], target = owners[indices[get_global_id(0)]];
    if (source == target)
        return;
    const int level = LOAD(&levels[target]) + 1;
    if (LOAD(&levels[source]) < level) {
        atomic_max(&levels[source], level);
        report_update(updates, phase);
    }
}
