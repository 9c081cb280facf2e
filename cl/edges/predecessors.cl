// Shortest-path trees from final distances: the same trees on every device and in every run.
//
// Source:       completes thesis Algorithm 12, line 11, which races with the relaxations and can close a cycle of
//               zero-weight edges.
// NDRange:      global (n, rows), or (m / EDGES_EACH, rows) by edges; the first rounded up to the work-group size,
//               which is free. Each row holds the distances from sources of its own.
// Local memory: none.
// Macros:       ZERO_PROGRESS_ONLY, 1: every tight edge is resolved by hop level (graphs with negative weights,
//               where a tight edge may lead to a larger distance and back); EDGES_EACH, those of one work-item by
//               edges; core/weights.cl.
//
// An edge (u, v) is tight if dist[u] + weight = dist[v]; it makes progress if also dist[u] < dist[v]. The predecessor
// is the smallest u among the tight edges that make progress; where there is none, the smallest u one hop level
// below, levels being counted along tight edges from the vertices that are resolved already. Within the edges of a
// vertex the sources come in ascending order of the user's numbers, so the first match is the smallest.
//   edge_weights, edge_sources  in   (m) sorted by destination
//   edge_targets                in   (m) the destinations
//   edge_counts                 in   (n) edges that end at each vertex
//   vertex_edge_index           in   (n) offset of the first of these
//   dist                        in   (rows, n) final distances; INF = unreachable
//   predecessors                i/o  (rows, n) NO_VERTEX for the sources and where unreachable
//   levels                      i/o  (rows, n) hop level; UNRESOLVED if there is none yet
//   counts                      i/o  [0]: reached vertices without a predecessor; [1]: not 0 if the weight of every
//                                    path to some vertex overflows the type

#ifndef ZERO_PROGRESS_ONLY
#error "edges/predecessors.cl needs the macro ZERO_PROGRESS_ONLY"
#endif
#ifndef EDGES_EACH
#error "edges/predecessors.cl needs the macro EDGES_EACH"
#endif

#include "edges/unresolved.cl"

// First pass, by vertices.
__kernel void resolve_progress(__global const WEIGHT *restrict edge_weights, __global const int *restrict edge_sources,
                               __global const uint *restrict edge_counts,
                               __global const ulong *restrict vertex_edge_index, __global const WEIGHT *restrict dist,
                               __global int *restrict predecessors, __global uint *restrict counts, const uint n)
{
    const size_t vertex = get_global_id(0), row = get_global_id(1) * n;
    if (vertex >= n)
        return;
    const WEIGHT own = dist[row + vertex];
    const ulong first = vertex_edge_index[vertex], last = first + edge_counts[vertex];
    int predecessor = NO_VERTEX;
    if (own == INF) {
        for (ulong edge = first; edge < last; ++edge) {
            const WEIGHT before = dist[row + edge_sources[edge]];
            if (before != INF && path_sum(before, edge_weights[edge]) == INF) {
                atomic_or(&counts[1], 1u);
                break;
            }
        }
    } else {
#if !ZERO_PROGRESS_ONLY
        for (ulong edge = first; edge < last; ++edge) {
            const WEIGHT before = dist[row + edge_sources[edge]];
            if (before < own && path_sum(before, edge_weights[edge]) == own) {
                predecessor = edge_sources[edge];
                break;
            }
        }
#endif
        if (predecessor == NO_VERTEX)
            atomic_inc(&counts[0]);
    }
    predecessors[row + vertex] = predecessor;
}

// First pass, by edges, for graphs where so many end at one vertex that its work-item would keep all others waiting.
// Every predecessor is NOT_YET before it.
__kernel void resolve_progress_by_edges(__global const WEIGHT *restrict edge_weights,
                                        __global const int *restrict edge_sources,
                                        __global const int *restrict edge_targets, __global const WEIGHT *restrict dist,
                                        __global int *restrict predecessors, __global uint *restrict counts,
                                        const ulong m, const uint n)
{
    const size_t row = get_global_id(1) * n, stride = get_global_size(0);
    int source[EDGES_EACH], target[EDGES_EACH];
    WEIGHT before[EDGES_EACH], own[EDGES_EACH], weight[EDGES_EACH];
    for (uint i = 0; i < EDGES_EACH; ++i) {
        const size_t edge = min(get_global_id(0) + i * stride, (size_t)(m - 1));  // the last one again, past the end
        source[i] = edge_sources[edge];
        target[i] = edge_targets[edge];
        weight[i] = edge_weights[edge];
    }
    for (uint i = 0; i < EDGES_EACH; ++i) {
        before[i] = dist[row + source[i]];
        own[i] = dist[row + target[i]];
    }
    for (uint i = 0; i < EDGES_EACH; ++i) {
        const WEIGHT sum = path_sum(before[i], weight[i]);
        if (before[i] == INF)
            continue;
        if (own[i] == INF) {
            if (sum == INF)
                atomic_or(&counts[1], 1u);
        } else if (before[i] < own[i] && sum == own[i]) {
            atomic_min(&predecessors[row + target[i]], source[i]);
        }
    }
}

// Second pass, if anything but the sources is left: one hop level. `levels` is double-buffered; for `updates` and `phase` see core/rounds.cl.
__kernel void resolve_level(__global const WEIGHT *restrict edge_weights, __global const int *restrict edge_sources,
                            __global const uint *restrict edge_counts, __global const ulong *restrict vertex_edge_index,
                            __global const WEIGHT *restrict dist, __global int *restrict predecessors,
                            __global const uint *restrict levels, __global uint *restrict new_levels,
                            __global uint *restrict updates, const uint phase, const uint level, const uint n)
{
    const size_t vertex = get_global_id(0), row = get_global_id(1) * n;
    if (vertex == 0 && row == 0)
        prepare_next_round(updates, phase);
    if (vertex >= n || round_is_skipped(updates, phase))
        return;
    uint own_level = levels[row + vertex];
    const WEIGHT own = dist[row + vertex];
    if (own_level == UNRESOLVED && own != INF) {
        const ulong first = vertex_edge_index[vertex], last = first + edge_counts[vertex];
        for (ulong edge = first; edge < last; ++edge) {
            const int before = edge_sources[edge];
            if (levels[row + before] == level && path_sum(dist[row + before], edge_weights[edge]) == own) {
                predecessors[row + vertex] = before;
                own_level = level + 1;
                report_update(updates, phase);
                break;
            }
        }
    }
    new_levels[row + vertex] = own_level;
}
