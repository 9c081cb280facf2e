// Output Parallel Bellman-Ford: one work-item a vertex relaxes every edge that ends there.
//
// Source:       thesis Algorithm 12 and the text after it (section 5.3.1); early stop of section 6.1.2.
// NDRange:      global n rounded up to GROUP_SIZE; work-group (GROUP_SIZE). One launch is one set of relaxations.
// Local memory: 4 bytes with EARLY_STOP; CHUNK * sizeof(WEIGHT) with COOPERATIVE_LOADING.
// Macros:       GROUP_SIZE, work-items of a work-group (the thesis: exactly one warp);
//               COOPERATIVE_LOADING, 1: the work-group loads its edges together, CHUNK at a time;
//               EARLY_STOP, 1: report updates, and do nothing once a round has reported none;
//               KEEP_PREDECESSORS, 1: store the source of the edge that gave the current path weight; core/weights.cl.
//
// Vertices are numbered as the host re-enumerated them. The five arrays of the thesis:
//   edge_weights       in   (m) weight of each edge, edges sorted by the vertex that they end at
//   edge_sources       in   (m) source of each edge
//   weights            in   (n) path weight of each vertex after the last round; INF = no path yet
//   edge_counts        in   (n) number of edges that end at each vertex
//   vertex_edge_index  in   (n) offset of the first of these edges
// and
//   new_weights        out  (n) path weights after this round; never the same buffer as `weights`, so that no
//                           work-item reads what another one writes (the thesis updates in place, and races)
//   predecessors       i/o  (n) with KEEP_PREDECESSORS
//   updates, phase     i/o  with EARLY_STOP: whether the last round updated a path weight, and whether this one does;
//                           see core/weights.cl
//   ceiling            path weights from here on are not recorded (INF: all are)
//
// A skipped round leaves `new_weights` alone: the round before it changed nothing, so both buffers agree already.

#if !defined(GROUP_SIZE) || !defined(COOPERATIVE_LOADING) || !defined(EARLY_STOP) || !defined(KEEP_PREDECESSORS)
#error "single_source/output_parallel.cl needs GROUP_SIZE, COOPERATIVE_LOADING, EARLY_STOP and KEEP_PREDECESSORS"
#endif
#if COOPERATIVE_LOADING && (!defined(CHUNK) || CHUNK < 1)
#error "single_source/output_parallel.cl needs CHUNK of at least 1 with COOPERATIVE_LOADING"
#endif

#include "core/weights.cl"
#include "core/dispatch.cl"

// Algorithm 12, lines 1 to 6.
__kernel void initialise(__global WEIGHT *restrict weights, __global int *restrict predecessors, const uint source,
                         const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n) {
        weights[vertex] = vertex == source ? 0 : INF;
#if KEEP_PREDECESSORS
        predecessors[vertex] = NO_VERTEX;
#endif
    }
}

// Algorithm 12, lines 7 to 13: one set of edge relaxations.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void relax(__global const WEIGHT *restrict edge_weights, __global const int *restrict edge_sources,
                    __global const WEIGHT *restrict weights, __global const uint *restrict edge_counts,
                    __global const ulong *restrict vertex_edge_index, __global WEIGHT *restrict new_weights,
                    __global int *restrict predecessors, __global uint *restrict updates, const uint phase,
                    const WEIGHT ceiling, const uint n)
{
    const size_t vertex = get_global_id(0);
    bool skipped = false;
#if EARLY_STOP
    __local uint group_updated;
    skipped = round_is_skipped(updates, phase);
    if (vertex == 0)
        prepare_next_round(updates, phase);
    if (get_local_id(0) == 0)
        group_updated = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    const bool mine = vertex < n && !skipped;

    const ulong first = mine ? vertex_edge_index[vertex] : 0;
    const ulong last = mine ? first + edge_counts[vertex] : 0;
    const WEIGHT before = mine ? weights[vertex] : INF;
    WEIGHT minimum = before < ceiling ? before : ceiling;
    const WEIGHT start = minimum;
#if KEEP_PREDECESSORS
    ulong best_edge = 0;
#endif

#if COOPERATIVE_LOADING
    __local WEIGHT sums[CHUNK];
    const size_t group_first = GROUP_OF_LAUNCH(0) * (size_t)GROUP_SIZE;
    const size_t group_last = min(group_first + GROUP_SIZE, (size_t)n) - 1;
    const ulong begin = vertex_edge_index[group_first];
    const ulong end = skipped ? begin : vertex_edge_index[group_last] + edge_counts[group_last];
    for (ulong chunk = begin; chunk < end; chunk += CHUNK) {
        // Load: neighbouring work-items take neighbouring edges, and share the scattered reads of `weights` evenly.
        for (uint slot = get_local_id(0); slot < CHUNK && chunk + slot < end; slot += GROUP_SIZE)
            sums[slot] = path_sum(weights[edge_sources[chunk + slot]], edge_weights[chunk + slot]);
        barrier(CLK_LOCAL_MEM_FENCE);
        // Relax: each work-item takes the part of the chunk that ends at its own vertex.
        const ulong stop = min(last, chunk + CHUNK);
        for (ulong edge = max(first, chunk); edge < stop; ++edge) {
            if (sums[edge - chunk] < minimum) {
                minimum = sums[edge - chunk];
#if KEEP_PREDECESSORS
                best_edge = edge;
#endif
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#else
    for (ulong edge = first; edge < last; ++edge) {
        const WEIGHT sum = path_sum(weights[edge_sources[edge]], edge_weights[edge]);
        if (sum < minimum) {
            minimum = sum;
#if KEEP_PREDECESSORS
            best_edge = edge;
#endif
        }
    }
#endif

    const bool updated = mine && minimum < start;
    if (mine)
        new_weights[vertex] = updated ? minimum : before;
#if KEEP_PREDECESSORS
    if (updated)
        predecessors[vertex] = edge_sources[best_edge];
#endif
#if EARLY_STOP
    if (updated)
        atomic_or(&group_updated, 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && group_updated)
        report_update(updates, phase);
#endif
}
