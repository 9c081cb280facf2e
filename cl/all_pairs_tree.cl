// Shortest-path trees of many sources from their final distances: the same trees on every device and in every run.
//
// Source:       instead of thesis section 5.2.2, which copies predecessors whenever a path weight falls: to carry them
//               through the products costs more than twice the time. The rule is that of predecessors.cl.
// NDRange:      farthest: one work-item a vertex; mark_tight: one an edge; the others: global (n, rows). The work-group size
//               is free.
// Local memory: none.
// Macros:       ZERO_PROGRESS_ONLY, 1: every tight edge is resolved by hop level (graphs with negative weights);
//               minplus.cl.
//
// An edge (u, v) can be the last one of a shortest path only if it is a shortest path from u to v itself: that leaves few
// edges of a dense graph. Among these, u is tight for a source if its distance and the weight of the edge add up to the
// least such sum, which is the distance of v; with floats, whose sums the matrix algorithms put together in another
// order, it is near that. It makes progress if its distance is below that of v.
//   dist            in   (rows, stride) distances from the sources first_row, first_row + 1, ...
//   edge_sources, edge_weights  in  edges by the vertex they end at, sources ascending
//   edge_index      in   (n + 1) place of the first edge into each vertex
//   predecessors    out  (rows, n)
//   unresolved      out  (rows) 1 if some vertex of the row has no predecessor yet
//   states          (rows, n) UNRESOLVED, or RESOLVED, LATEST if in the pass before
//   least           in   distances below are unbounded
//   For `updates` and `phase` see rounds.cl.

#ifndef ZERO_PROGRESS_ONLY
#error "all_pairs_tree.cl needs the macro ZERO_PROGRESS_ONLY"
#endif

#include "minplus.cl"
#include "rounds.cl"

#define NO_VERTEX (-9999)
#define UNRESOLVED 0
#define RESOLVED 1
#define LATEST 2
#define IS_INTEGER ((WEIGHT)0.5 == 0)

bool is_path(const WEIGHT weight, const WEIGHT least)
{
    return weight != NO_PATH && weight >= least;
}

// The largest distance to each vertex from any other.
__kernel void farthest(__global const WEIGHT *restrict dist, __global WEIGHT *restrict largest, const WEIGHT least,
                       const uint stride, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex >= n)
        return;
    WEIGHT most = 0;
    for (size_t row = 0; row < n; ++row) {
        const WEIGHT weight = dist[row * stride + vertex];
        most = is_path(weight, least) && weight > most ? weight : most;
    }
    largest[vertex] = most;
}

// Which edges are no longer than the shortest path, within `slack`; dist has a row for each vertex.
__kernel void mark_tight(__global const WEIGHT *restrict dist, __global const int *restrict edge_sources,
                         __global const int *restrict edge_targets, __global const WEIGHT *restrict edge_weights,
                         __global uchar *restrict tight, const WEIGHT slack, const WEIGHT least, const uint stride,
                         const ulong count)
{
    const size_t edge = get_global_id(0);
    if (edge >= count)
        return;
    const int source = edge_sources[edge], target = edge_targets[edge];
    const WEIGHT between = dist[(size_t)source * stride + target];
    tight[edge] = source != target && between >= least && edge_weights[edge] <= (WEIGHT)(between + slack);
}

__kernel void resolve_progress(__global const WEIGHT *restrict dist, __global const int *restrict edge_sources,
                               __global const WEIGHT *restrict edge_weights, __global const ulong *restrict edge_index,
                               __global int *restrict predecessors, __global uint *restrict unresolved,
                               const WEIGHT least, const uint first_row, const uint stride, const uint n)
{
    const size_t vertex = get_global_id(0), row = get_global_id(1);
    if (vertex >= n)
        return;
    dist += row * stride;
    const WEIGHT own = dist[vertex];
    int predecessor = NO_VERTEX;
    if (vertex != first_row + row && is_path(own, least)) {
#if !ZERO_PROGRESS_ONLY
        WEIGHT nearest = NO_PATH;
        bool progress = false;
        const ulong last = edge_index[vertex + 1];
        for (ulong edge = edge_index[vertex]; edge < last; ++edge) {
            const WEIGHT before = dist[edge_sources[edge]], sum = before + edge_weights[edge];
            if (before != NO_PATH && (sum < nearest || (sum == nearest && !progress && before < own))) {
                nearest = sum;
                progress = before < own;
                predecessor = edge_sources[edge];
            }
            if (IS_INTEGER && progress && nearest == own)
                break;  // no sum is less
        }
        if (!progress)
            predecessor = NO_VERTEX;
#endif
        if (predecessor == NO_VERTEX)
            atomic_or(&unresolved[row], 1u);
    }
    predecessors[row * n + vertex] = predecessor;
}

__kernel void begin_levels(__global const WEIGHT *restrict dist, __global const int *restrict predecessors,
                           __global uchar *restrict states, const WEIGHT least, const uint first_row,
                           const uint stride, const uint n)
{
    const size_t vertex = get_global_id(0), row = get_global_id(1);
    if (vertex >= n)
        return;
    const bool known = vertex == first_row + row || predecessors[row * n + vertex] != NO_VERTEX;
    states[row * n + vertex] = known ? LATEST : is_path(dist[row * stride + vertex], least) ? UNRESOLVED : RESOLVED;
}

__kernel void resolve_level(__global const WEIGHT *restrict dist, __global const int *restrict edge_sources,
                            __global const WEIGHT *restrict edge_weights, __global const ulong *restrict edge_index,
                            __global int *restrict predecessors, __global const uint *restrict unresolved,
                            __global const uchar *restrict states, __global uchar *restrict new_states,
                            __global uint *restrict updates, const uint phase, const uint stride, const uint n)
{
    const size_t vertex = get_global_id(0), row = get_global_id(1);
    if (vertex == 0 && row == 0)
        prepare_next_round(updates, phase);
    if (vertex >= n || round_is_skipped(updates, phase) || !unresolved[row])
        return;
    dist += row * stride;
    states += row * n;
    uchar state = states[vertex] == LATEST ? RESOLVED : states[vertex];
    if (state == UNRESOLVED) {
        WEIGHT nearest = NO_PATH;
        int predecessor = NO_VERTEX;
        const ulong last = edge_index[vertex + 1];
        for (ulong edge = edge_index[vertex]; edge < last; ++edge) {
            const int source = edge_sources[edge];
            const WEIGHT before = dist[source], sum = before + edge_weights[edge];
            if (before != NO_PATH && (sum < nearest || (sum == nearest && predecessor == NO_VERTEX))) {
                nearest = sum;
                predecessor = states[source] == LATEST ? source : NO_VERTEX;
            }
        }
        if (predecessor != NO_VERTEX) {
            predecessors[row * n + vertex] = predecessor;
            state = LATEST;
            report_update(updates, phase);
        }
    }
    new_states[row * n + vertex] = state;
}

// Sets `unresolved` of the rows in which a vertex is still without a predecessor.
__kernel void find_unresolved(__global const uchar *restrict states, __global uint *restrict unresolved, const uint n)
{
    const size_t vertex = get_global_id(0), row = get_global_id(1);
    if (vertex < n && states[row * n + vertex] == UNRESOLVED)
        atomic_or(&unresolved[row], 1u);
}
