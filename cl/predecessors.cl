// Shortest-path tree from final distances: the same tree on every device and in every run.
//
// Source:       completes thesis Algorithm 12, line 11, which races with the relaxations and can close a cycle of
//               zero-weight edges.
// NDRange:      global n rounded up to the work-group size, which is free.
// Local memory: none.
// Macros:       ZERO_PROGRESS_ONLY, 1: every tight edge is resolved by hop level (graphs with negative weights,
//               where a tight edge may lead to a larger distance and back); common.cl.
//
// An edge (u, v) is tight if dist[u] + weight = dist[v]; it makes progress if also dist[u] < dist[v]. The predecessor
// is the smallest u among the tight edges that make progress; where there is none, the smallest u one hop level
// below, levels being counted along tight edges from the vertices that are resolved already. Within the edges of a
// vertex the sources come in ascending order of the user's numbers, so the first match is the smallest.
//   edge_weights, edge_sources  in   (m) sorted by destination
//   edge_counts                 in   (n) edges that end at each vertex
//   vertex_edge_index           in   (n) place of the first of these
//   dist                        in   (n) final distances; INF = unreachable
//   predecessors                i/o  (n) NO_VERTEX for the source and where unreachable
//   levels                      out  (n) hop level; UNRESOLVED if there is none yet

#ifndef ZERO_PROGRESS_ONLY
#error "predecessors.cl needs the macro ZERO_PROGRESS_ONLY"
#endif

#include "common.cl"

#define UNRESOLVED 0xFFFFFFFFu

// First pass. counts[0]: vertices left unresolved; counts[1]: vertices whose path weight overflows the type.
__kernel void resolve_progress(__global const WEIGHT *restrict edge_weights, __global const int *restrict edge_sources,
                               __global const uint *restrict edge_counts,
                               __global const ulong *restrict vertex_edge_index, __global const WEIGHT *restrict dist,
                               __global int *restrict predecessors, __global uint *restrict levels,
                               __global uint *restrict counts, const uint source, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex >= n)
        return;
    const WEIGHT own = dist[vertex];
    const ulong first = vertex_edge_index[vertex], last = first + edge_counts[vertex];
    int predecessor = NO_VERTEX;
    uint level = vertex == source ? 0 : UNRESOLVED;
    if (own == INF) {
        for (ulong edge = first; edge < last; ++edge) {
            const WEIGHT before = dist[edge_sources[edge]];
            if (before != INF && path_sum(before, edge_weights[edge]) == INF) {
                atomic_inc(&counts[1]);
                break;
            }
        }
    } else if (vertex != source) {
#if !ZERO_PROGRESS_ONLY
        for (ulong edge = first; edge < last; ++edge) {
            const WEIGHT before = dist[edge_sources[edge]];
            if (before < own && path_sum(before, edge_weights[edge]) == own) {
                predecessor = edge_sources[edge];
                level = 0;
                break;
            }
        }
#endif
        if (level == UNRESOLVED)
            atomic_inc(&counts[0]);
    }
    predecessors[vertex] = predecessor;
    levels[vertex] = level;
}

// One hop level. `levels` is double-buffered; for `updates` and `phase` see common.cl.
__kernel void resolve_level(__global const WEIGHT *restrict edge_weights, __global const int *restrict edge_sources,
                            __global const uint *restrict edge_counts,
                            __global const ulong *restrict vertex_edge_index, __global const WEIGHT *restrict dist,
                            __global int *restrict predecessors, __global const uint *restrict levels,
                            __global uint *restrict new_levels, __global uint *restrict updates, const uint phase,
                            const uint level, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex == 0)
        prepare_next_round(updates, phase);
    if (vertex >= n || round_is_skipped(updates, phase))
        return;
    uint own_level = levels[vertex];
    const WEIGHT own = dist[vertex];
    if (own_level == UNRESOLVED && own != INF) {
        const ulong first = vertex_edge_index[vertex], last = first + edge_counts[vertex];
        for (ulong edge = first; edge < last; ++edge) {
            const int before = edge_sources[edge];
            if (levels[before] == level && path_sum(dist[before], edge_weights[edge]) == own) {
                predecessors[vertex] = before;
                own_level = level + 1;
                report_update(updates, phase);
                break;
            }
        }
    }
    new_levels[vertex] = own_level;
}
