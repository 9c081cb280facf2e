// Shortest-path trees of many sources from their final distances: the same trees on every device and in every run.
//
// Source:       instead of thesis section 5.2.2, which copies predecessors whenever a path weight falls: to carry them
//               through the products costs more than twice the time. The rule is that of edges/predecessors.cl.
// NDRange:      farthest: global (n, parts); count_tight, keep_tight: global (n / VECTOR_LENGTH rounded up, parts), or
//               some of the parts, of which none has more vertices than TRUTH can count; resolve_progress: global
//               (stride / VECTOR_LENGTH, n); the others: global (stride, n). The work-group size is free.
// Local memory: none.
// Macros:       ZERO_PROGRESS_ONLY, 1: every tight edge is resolved by hop level (graphs with negative weights); TRUTH,
//               the signed integer of the size of a weight; those of minplus/common.cl and minplus/vectors.cl.
//
// An edge (u, v) can be the last one of a shortest path only if it is a shortest path from u to v itself: that leaves
// few edges of a dense graph. Among these, u is tight for a source if its distance and the weight of the edge add up to
// the minimum of such sums, which is the distance of v; with floats, whose sums the matrix algorithms add in another
// order, it is near that. It makes progress if its distance is below that of v. Where no weight is negative only
// rounding can put it above; such an edge could close a cycle with those that make progress, and is left out.
// Neighbouring work-items have neighbouring sources and the same vertex, and so the same edges.
//   dist            in   farthest, *_tight: (n, stride) distances between all vertices. Others: transposed,
//                        (n, stride) distances to each vertex from first_row, first_row + 1, ...
//   edges           in   (rows, stride) *_tight: the weights of edges from some vertices, NO_PATH where there is none;
//                        the stride is a multiple of VECTOR_LENGTH
//   edge_sources, edge_weights  in  tight edges by the vertex they end at, sources ascending
//   edge_index      in   (n + 1) offset of the first edge into each vertex
//   predecessors    out  (n, stride) transposed
//   unresolved      out  (stride) 1 if the source has a vertex without a predecessor yet
//   states          (n, stride) UNRESOLVED, or RESOLVED, LATEST if in the pass before
//   lowest          in   distances below are unbounded
//   For `updates` and `phase` see core/rounds.cl.

#if !defined(ZERO_PROGRESS_ONLY) || !defined(TRUTH)
#error "all_pairs/trees.cl needs the macros ZERO_PROGRESS_ONLY and TRUTH"
#endif

#include "core/no_vertex.cl"
#include "minplus/vectors.cl"
#include "core/no_vertex.cl"
#include "core/rounds.cl"

#define UNRESOLVED 0
#define RESOLVED 1
#define LATEST 2
#define TO_INTS(truths) VECTOR(convert_int, VECTOR_LENGTH)(truths)

typedef VECTOR(int, VECTOR_LENGTH) Ints;
typedef VECTOR(TRUTH, VECTOR_LENGTH) Truths;

bool is_path(const WEIGHT weight, const WEIGHT lowest)
{
    return weight != NO_PATH && weight >= lowest;
}

// The largest distance to each vertex from any in a part of the others.
__kernel void farthest(__global const WEIGHT *restrict dist, __global WEIGHT *restrict largest, const WEIGHT lowest,
                       const uint stride, const uint n)
{
    const size_t vertex = get_global_id(0), part = get_global_id(1), parts = get_global_size(1);
    if (vertex >= n)
        return;
    WEIGHT most = 0;
    for (size_t row = n * part / parts; row < n * (part + 1) / parts; ++row) {
        const WEIGHT weight = dist[row * stride + vertex];
        most = is_path(weight, lowest) && weight > most ? weight : most;
    }
    largest[part * n + vertex] = most;
}

// Which edges are some, and no longer than the shortest path between their ends, within `slack`.
Truths are_tight(__global const WEIGHT *restrict weights, __global const WEIGHT *restrict dist, const WEIGHT slack,
                 const WEIGHT lowest)
{
    const Weights weight = LOAD(weights), between = LOAD(dist);
    return weight != (Weights)(NO_PATH) && between >= (Weights)(lowest) && weight <= between + (Weights)(slack);
}

// How many edges into each vertex are tight, part by part of the vertices that they leave. Rows of `edges` begin with
// that of the first vertex of the part `first_part`.
__kernel void count_tight(__global const WEIGHT *restrict dist, __global const WEIGHT *restrict edges,
                          __global uint *restrict counts, const WEIGHT slack, const WEIGHT lowest, const uint stride,
                          const uint n, const uint first_part, const uint parts)
{
    const size_t column = get_global_id(0) * VECTOR_LENGTH, part = first_part + get_global_id(1);
    const size_t first = (size_t)n * first_part / parts, begin = n * part / parts, end = n * (part + 1) / parts;
    if (column >= n)
        return;
    Truths sum = (Truths)(0);
    for (size_t source = begin; source < end; ++source) {
        const size_t entry = source * stride + column;
        sum -= are_tight(edges + (entry - first * stride), dist + entry, slack, lowest);  // those that are, are -1
    }
    TRUTH sums[VECTOR_LENGTH], own[VECTOR_LENGTH];
    VECTOR(vstore, VECTOR_LENGTH)(sum, 0, sums);
    for (uint i = 0; i < VECTOR_LENGTH; ++i) {
        const size_t vertex = column + i, entry = vertex * stride + column;
        if (vertex >= begin && vertex < end) {  // an edge from a vertex to itself does not count
            const Truths tight = are_tight(edges + (entry - first * stride), dist + entry, slack, lowest);
            VECTOR(vstore, VECTOR_LENGTH)(tight, 0, own);
            sums[i] += own[i];
        }
        if (vertex < n)
            counts[vertex * parts + part] = (uint)sums[i];
    }
}

// Lists them, those of a part from its offset in `tight_index` on.
__kernel void keep_tight(__global const WEIGHT *restrict dist, __global const WEIGHT *restrict edges,
                         __global const ulong *restrict tight_index, __global int *restrict tight_sources,
                         __global WEIGHT *restrict tight_weights, const WEIGHT slack, const WEIGHT lowest,
                         const uint stride, const uint n, const uint first_part, const uint parts)
{
    const size_t column = get_global_id(0) * VECTOR_LENGTH, part = first_part + get_global_id(1);
    const size_t first = (size_t)n * first_part / parts, end = n * (part + 1) / parts;
    if (column >= n)
        return;
    ulong index[VECTOR_LENGTH];
    for (uint i = 0; i < VECTOR_LENGTH; ++i)
        index[i] = column + i < n ? tight_index[(column + i) * parts + part] : 0;
    for (size_t source = n * part / parts; source < end; ++source) {
        const size_t entry = source * stride + column;
        __global const WEIGHT *weights = edges + (entry - first * stride);
        const Truths tight = are_tight(weights, dist + entry, slack, lowest);
        if (!any(tight))
            continue;
        TRUTH kept[VECTOR_LENGTH];
        VECTOR(vstore, VECTOR_LENGTH)(tight, 0, kept);
        for (uint i = 0; i < VECTOR_LENGTH; ++i) {
            if (kept[i] && source != column + i) {
                tight_sources[index[i]] = (int)source;
                tight_weights[index[i]] = weights[i];
                ++index[i];
            }
        }
    }
}

__kernel void resolve_progress(__global const WEIGHT *restrict dist, __global const int *restrict edge_sources,
                               __global const WEIGHT *restrict edge_weights, __global const ulong *restrict edge_index,
                               __global int *restrict predecessors, __global uint *restrict unresolved,
                               const WEIGHT lowest, const uint first_row, const uint stride)
{
    const size_t row = get_global_id(0) * VECTOR_LENGTH, vertex = get_global_id(1);
    if (row >= stride)
        return;
    dist += row;
    const Weights own = LOAD(dist + vertex * stride);
    Weights nearest = (Weights)(NO_PATH);
    Ints predecessor = (Ints)(NO_VERTEX);
    Truths progress = (Truths)(0);
#if !ZERO_PROGRESS_ONLY
    const ulong last = edge_index[vertex + 1];
    for (ulong edge = edge_index[vertex]; edge < last; ++edge) {
        const int source = edge_sources[edge];
        const Weights before = LOAD(dist + (size_t)source * stride), sum = before + (Weights)(edge_weights[edge]);
        const Truths ahead = before < own, better = sum < nearest || (sum == nearest && ahead && !progress);
        nearest = better ? sum : nearest;
        predecessor = TO_INTS(better) ? (Ints)(source) : predecessor;
        progress = better ? ahead : progress;
    }
#endif
    const Ints has_path = TO_INTS(own != (Weights)(NO_PATH) && own >= (Weights)(lowest));
    const Ints found = has_path && TO_INTS(progress);
    int own_predecessors[VECTOR_LENGTH], missing[VECTOR_LENGTH];
    VECTOR(vstore, VECTOR_LENGTH)(found ? predecessor : (Ints)(NO_VERTEX), 0, own_predecessors);
    VECTOR(vstore, VECTOR_LENGTH)(has_path && !found, 0, missing);
    for (uint i = 0; i < VECTOR_LENGTH; ++i) {
        const bool is_source = vertex == first_row + row + i;
        predecessors[vertex * stride + row + i] = is_source ? NO_VERTEX : own_predecessors[i];
        if (missing[i] && !is_source)
            atomic_or(&unresolved[row + i], 1u);
    }
}

__kernel void begin_levels(__global const WEIGHT *restrict dist, __global const int *restrict predecessors,
                           __global uchar *restrict states, const WEIGHT lowest, const uint first_row,
                           const uint stride)
{
    const size_t row = get_global_id(0), index = get_global_id(1) * stride + row;
    if (row >= stride)
        return;
    const bool known = get_global_id(1) == first_row + row || predecessors[index] != NO_VERTEX;
    states[index] = known ? LATEST : is_path(dist[index], lowest) ? UNRESOLVED : RESOLVED;
}

__kernel void resolve_level(__global const WEIGHT *restrict dist, __global const int *restrict edge_sources,
                            __global const WEIGHT *restrict edge_weights, __global const ulong *restrict edge_index,
                            __global int *restrict predecessors, __global const uint *restrict unresolved,
                            __global const uchar *restrict states, __global uchar *restrict new_states,
                            __global uint *restrict updates, const uint phase, const uint stride)
{
    const size_t row = get_global_id(0), vertex = get_global_id(1);
    if (vertex == 0 && row == 0)
        prepare_next_round(updates, phase);
    if (row >= stride || round_is_skipped(updates, phase) || !unresolved[row])
        return;
    dist += row;
    states += row;
    uchar state = states[vertex * stride] == LATEST ? RESOLVED : states[vertex * stride];
    if (state == UNRESOLVED) {
        const WEIGHT own = dist[vertex * stride];
        WEIGHT nearest = NO_PATH;
        int predecessor = NO_VERTEX;
        const ulong last = edge_index[vertex + 1];
        for (ulong edge = edge_index[vertex]; edge < last; ++edge) {
            const int source = edge_sources[edge];
            const WEIGHT before = dist[(size_t)source * stride], sum = before + edge_weights[edge];
            if (before != NO_PATH && (sum < nearest || (sum == nearest && predecessor == NO_VERTEX))) {
                nearest = sum;
                const bool allowed = ZERO_PROGRESS_ONLY || before <= own;
                predecessor = allowed && states[(size_t)source * stride] == LATEST ? source : NO_VERTEX;
            }
        }
        if (predecessor != NO_VERTEX) {
            predecessors[vertex * stride + row] = predecessor;
            state = LATEST;
            report_update(updates, phase);
        }
    }
    new_states[vertex * stride + row] = state;
}

// Sets `unresolved` of the rows in which a vertex is still without a predecessor.
__kernel void find_unresolved(__global const uchar *restrict states, __global uint *restrict unresolved,
                              const uint stride)
{
    const size_t row = get_global_id(0);
    if (row < stride && states[get_global_id(1) * stride + row] == UNRESOLVED)
        atomic_or(&unresolved[row], 1u);
}
