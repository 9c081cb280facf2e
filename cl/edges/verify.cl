// Checks a shortest-path tree: the rules of the Graph500 validator for single-source shortest paths.
//
// Source:       Graph500 specification, section "Validation"; triangle inequality as in thesis section 1.4.
// NDRange:      global n rounded up to the work-group size, which is free.
// Local memory: none.
// Macros:       core/weights.cl.
//   edge_weights, edge_sources  in   (m) sorted by destination
//   edge_counts                 in   (n) edges that end at each vertex
//   vertex_edge_index           in   (n) offset of the first of these
//   dist                        in   (n) distances; INF = unreachable
//   predecessors                in   (n) NO_VERTEX for sources and where unreachable
//   is_source                   in   (n) 1 for a source, 0 for other vertices
//   offenders                   i/o  (4) smallest vertex that breaks each rule; starts as 0xFFFFFFFF

#include "core/weights.cl"

#define RULE_SOURCE 0    // a source has distance 0 and no predecessor
#define RULE_TRIANGLE 1  // no edge leads to a smaller distance, below `ceiling`
#define RULE_TREE 2      // a reached vertex has a tight edge from its predecessor, an unreached one has none
#define RULE_ACYCLIC 3   // following predecessors ends at a source

__kernel void check_edges(__global const WEIGHT *restrict edge_weights, __global const int *restrict edge_sources,
                          __global const uint *restrict edge_counts, __global const ulong *restrict vertex_edge_index,
                          __global const WEIGHT *restrict dist, __global const int *restrict predecessors,
                          __global int *restrict ancestors, __global uint *restrict offenders, const WEIGHT ceiling,
                          __global const uchar *restrict is_source, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex >= n)
        return;
    const WEIGHT own = dist[vertex];
    const WEIGHT bound = own < ceiling ? own : ceiling;
    const int predecessor = predecessors[vertex];
    const ulong first = vertex_edge_index[vertex], last = first + edge_counts[vertex];
    bool tree_edge = false, improves = false;
    for (ulong edge = first; edge < last; ++edge) {
        const WEIGHT sum = path_sum(dist[edge_sources[edge]], edge_weights[edge]);
        improves = improves || sum < bound;
        tree_edge = tree_edge || (edge_sources[edge] == predecessor && sum == own);
    }
    if (improves)
        atomic_min(&offenders[RULE_TRIANGLE], (uint)vertex);
    if (is_source[vertex]) {
        if (own != 0 || predecessor != NO_VERTEX)
            atomic_min(&offenders[RULE_SOURCE], (uint)vertex);
    } else if (own == INF ? predecessor != NO_VERTEX : !tree_edge) {
        atomic_min(&offenders[RULE_TREE], (uint)vertex);
    }
    // A vertex without a tree edge has been reported already and ends the walks that pass through it.
    ancestors[vertex] = tree_edge && !is_source[vertex] ? predecessor : (int)vertex;
}

// Pointer jumping: after k launches an ancestor is 2^k tree edges away, or the root.
__kernel void jump(__global const int *restrict ancestors, __global int *restrict new_ancestors, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n)
        new_ancestors[vertex] = ancestors[ancestors[vertex]];
}

__kernel void check_ancestors(__global const WEIGHT *restrict dist, __global const int *restrict ancestors,
                              __global uint *restrict offenders, __global const uchar *restrict is_source, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n && dist[vertex] != INF && !is_source[ancestors[vertex]])
        atomic_min(&offenders[RULE_ACYCLIC], (uint)vertex);
}
