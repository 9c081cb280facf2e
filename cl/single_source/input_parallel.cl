// Input Parallel Bellman-Ford: relaxation by one work-item an edge, minimisation by a scan, update by one a vertex.
//
// Source:       thesis section 5.4.1; early stop of section 6.1.2.
// NDRange:      relax: global m; initialise, finalise: global n; rounded up to GROUP_SIZE; work-group (GROUP_SIZE).
// Local memory: 4 bytes in finalise.
// Macros:       GROUP_SIZE, work-items of a work-group;
//               KEEP_PREDECESSORS, 1: store the source of the edge that gave the current path weight; core/weights.cl.
//
// A round is `relax`, then the segmented inclusive scan of `sums` with the operator min (reedsp/primitives/scan.py),
// whose segments are the edges that end at one vertex, then `finalise`:
//   edge_weights       in   (m) weight of each edge, edges sorted by the vertex that they end at
//   edge_sources       in   (m) source of each edge
//   sums               out  (m) weight of the best known path that ends with each edge
//   prefixes           in   (m) the minimum of these up to each edge within its segment; may be the buffer of `sums`
//   edge_counts        in   (n) number of edges that end at each vertex
//   vertex_edge_index  in   (n) offset of the first of these edges
//   weights            i/o  (n) path weight of each vertex; INF = no path yet
//   predecessors       i/o  (n) with KEEP_PREDECESSORS
//   updates, phase     i/o  whether the last round updated a path weight, and whether this one does; see core/rounds.cl
//   ceiling            path weights from here on are not recorded (INF: all are)
//
// Path weights are read and written by different launches, so that one buffer is enough. A skipped round scans what
// has been scanned already, which changes nothing.

#if !defined(GROUP_SIZE) || !defined(KEEP_PREDECESSORS)
#error "single_source/input_parallel.cl needs the macros GROUP_SIZE and KEEP_PREDECESSORS"
#endif

#include "core/weights.cl"

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

// The edge relax kernel.
__kernel void relax(__global const WEIGHT *restrict edge_weights, __global const int *restrict edge_sources,
                    __global const WEIGHT *restrict weights, __global WEIGHT *restrict sums,
                    __global uint *restrict updates, const uint phase, const ulong m)
{
    const size_t edge = get_global_id(0);
    if (edge < m && !round_is_skipped(updates, phase))
        sums[edge] = path_sum(weights[edge_sources[edge]], edge_weights[edge]);
}

// The finalization kernel.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void finalise(__global const WEIGHT *restrict prefixes, __global const int *restrict edge_sources,
                       __global const uint *restrict edge_counts, __global const ulong *restrict vertex_edge_index,
                       __global WEIGHT *restrict weights, __global int *restrict predecessors,
                       __global uint *restrict updates, const uint phase, const WEIGHT ceiling, const uint n)
{
    __local uint group_updated;
    const size_t vertex = get_global_id(0);
    const bool skipped = round_is_skipped(updates, phase);
    if (vertex == 0)
        prepare_next_round(updates, phase);
    if (get_local_id(0) == 0)
        group_updated = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (vertex < n && edge_counts[vertex] > 0 && !skipped) {
        ulong first = vertex_edge_index[vertex];
        ulong last = first + edge_counts[vertex] - 1;
        const WEIGHT minimum = prefixes[last];
        if (minimum < weights[vertex] && minimum < ceiling) {
            weights[vertex] = minimum;
            atomic_or(&group_updated, 1u);
#if KEEP_PREDECESSORS
            // Prefixes only fall within a segment, so the first minimum is at the edge that gave it.
            while (first < last) {
                const ulong middle = first + (last - first) / 2;
                if (prefixes[middle] == minimum)
                    last = middle;
                else
                    first = middle + 1;
            }
            predecessors[vertex] = edge_sources[first];
#endif
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && group_updated)
        report_update(updates, phase);
}
