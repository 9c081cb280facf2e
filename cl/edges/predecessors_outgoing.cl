// Shortest-path trees from final distances, by the edges that leave each vertex: no graph has to be transposed for them.
//
// Source:       the trees of edges/predecessors.cl, by whose rule each vertex has a predecessor.
// NDRange:      by edges, global (m / RUN, rows); by vertices, global (n, rows); the first rounded up to the work-group
//               size, which is free. Each row holds the distances from sources of its own.
// Local memory: none.
// Macros:       ZERO_PROGRESS_ONLY, 1: every tight edge is resolved by hop level;
//               RUN, edges of one work-item, one behind the other;
//               core/loads.cl; with ATOMIC_LOADS 1 no predecessor is read before it is lowered; core/out_edges.cl;
//               core/weights.cl.
//   first_edge, edges  in   core/out_edges.cl
//   dist               in   (rows, n) final distances; INF = unreachable
//   predecessors       i/o  (rows, n) NOT_YET before each pass, after it the minimum of those found
//   levels             i/o  (rows, n) as edges/unresolved.cl leaves them
//   counts             i/o  [1]: not 0 if the weight of every path to some vertex overflows the type

#if !defined(ZERO_PROGRESS_ONLY) || !defined(RUN)
#error "edges/predecessors_outgoing.cl needs the macros ZERO_PROGRESS_ONLY and RUN"
#endif

#include "core/loads.cl"
#include "core/out_edges.cl"
#include "edges/unresolved.cl"

#define LISTED (RUN < 64 ? RUN : 64)  // edges, or more by this many

// The last vertex whose edges begin at this one, or before it.
uint vertex_of(__global const OFFSET *restrict first_edge, const OFFSET edge, const uint n)
{
    uint low = 0, high = n;
    while (high - low > 1) {
        const uint middle = low + (high - low) / 2;
        if (first_edge[middle] <= edge)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void offer(volatile __global int *predecessor, const int vertex)
{
#if !ATOMIC_LOADS
    if (*predecessor <= vertex)  // which takes less time than to try
        return;
#endif
    atomic_min(predecessor, vertex);
}

void offer_all(__global int *predecessors, const int *targets, const int *sources, const uint count)
{
#if !ZERO_PROGRESS_ONLY
    for (uint i = 0; i < count; ++i)
        offer(&predecessors[targets[i]], sources[i]);
#endif
}

// First pass: the tight edges that make progress. They are listed first: whether an edge is tight cannot be foreseen, and
// a branch that is taken by mistake takes longer than to write a word in vain.
__kernel void resolve_progress(__global const OFFSET *restrict first_edge, __global const Edge *restrict edges,
                               __global const WEIGHT *restrict dist, __global int *predecessors,
                               __global uint *restrict counts, const ulong m, const uint n)
{
    const size_t row = get_global_id(1) * n;
    const ulong begin = get_global_id(0) * RUN, end = min(begin + RUN, m);
    if (begin >= m)
        return;
    int targets[2 * LISTED], sources[2 * LISTED];
    uint listed = 0;
    bool overflows = false;
    uint vertex = vertex_of(first_edge, (OFFSET)begin, n);
    for (ulong edge = begin; edge < end; ++vertex) {
        const ulong row_end = min((ulong)first_edge[vertex + 1], end);
        const WEIGHT before = dist[row + vertex];
        if (before == INF)
            edge = row_end;
        while (edge < row_end) {
            const ulong pause = min(edge + LISTED, row_end);
            for (; edge < pause; ++edge) {
                const Edge leaving = edges[edge];
                const WEIGHT own = dist[row + leaving.target], sum = path_sum(before, leaving.weight);
#if SATURATE || !IS_INTEGER
                overflows |= sum == INF && own == INF;
#endif
                targets[listed] = leaving.target;
                sources[listed] = vertex;
                listed += before < own && sum == own && own != INF;
            }
            if (listed >= LISTED) {
                offer_all(predecessors + row, targets, sources, listed);
                listed = 0;
            }
        }
    }
    offer_all(predecessors + row, targets, sources, listed);
    if (overflows)
        atomic_or(&counts[1], 1u);
}

// Second pass, if anything but the sources is left: where minima are to be taken again.
__kernel void reopen_unresolved(__global const uint *restrict levels, __global int *restrict predecessors, const uint n)
{
    const size_t vertex = get_global_id(0), index = get_global_id(1) * n + vertex;
    if (vertex < n && levels[index] == UNRESOLVED)
        predecessors[index] = NOT_YET;
}

// One hop level; for `updates` and `phase` see core/rounds.cl. A level that is set meanwhile is none that anything else
// depends on in this launch.
__kernel void resolve_level(__global const OFFSET *restrict first_edge, __global const Edge *restrict edges,
                            __global const WEIGHT *restrict dist, __global int *predecessors,
                            volatile __global uint *levels, __global uint *restrict updates, const uint phase,
                            const uint level, const uint n)
{
    const size_t vertex = get_global_id(0), row = get_global_id(1) * n;
    if (vertex == 0 && row == 0)
        prepare_next_round(updates, phase);
    if (vertex >= n || round_is_skipped(updates, phase) || LOAD(&levels[row + vertex]) != level)
        return;
    const WEIGHT before = dist[row + vertex];
    if (before == INF)  // a source, of whose row nothing else has been reached
        return;
    const OFFSET last = first_edge[vertex + 1];
    for (OFFSET edge = first_edge[vertex]; edge < last; ++edge) {
        const Edge leaving = edges[edge];
        const size_t index = row + leaving.target;
        if (dist[index] == INF || path_sum(before, leaving.weight) != dist[index])
            continue;
        const uint own = LOAD(&levels[index]);
        if (own == UNRESOLVED || own == level + 1) {
            offer(&predecessors[index], (int)vertex);
            atomic_xchg(&levels[index], level + 1);
            report_update(updates, phase);
        }
    }
}
