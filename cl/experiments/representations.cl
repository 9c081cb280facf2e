// A graph as a matrix, as rows of edges (CSR) and as a list of edges (COO): an edge is looked for, a round is relaxed.
//
// Source:       Busato and Bombieri (2017), section 1 and table 1.
// NDRange:      find_*: global count; relax_matrix, relax_rows: n; relax_list, relax_records: m / RUN, rounded up.
//               Work-groups are free.
// Local memory: none.
// Macros:       SEARCHED, 1: an edge is looked for by binary search, 0: from the first one on; RUN, edges of a list that
//               are left to one work-item; those of core/out_edges.cl and core/weights.cl, of which WEIGHT is int.
//   matrix       in   (n, n) weight of each edge; NO_EDGE where there is none
//   first_edge, edges          in  (n + 1), (m) the rows, see core/out_edges.cl
//   sources, targets, weights  in  (m) the list, by source, then by target
//   records      in   (m) the list, what belongs to an edge together
//   queries      in   (count) source and target
//   found        out  (count) weight of each edge; NO_EDGE where there is none
//   dist, active in   (n) weight of a path to each vertex; whether the edges that leave it are relaxed
//   lowered      i/o  (n) minimum of what is there and of the path weights by way of an active vertex

#if !defined(SEARCHED) || !defined(RUN) || RUN < 1
#error "experiments/representations.cl needs the macros SEARCHED and RUN of at least 1"
#endif

#include "core/out_edges.cl"

#define NO_EDGE 0x7FFFFFFF

typedef struct {
    int source, target, weight;
} Record;

// The first of some edges that does not come before one; `last` if there is none.
#define FIRST_FROM(first, last, comes_before)       \
    {                                               \
        while ((first) < (last)) {                  \
            const ulong i = ((first) + (last)) / 2; \
            if (comes_before)                       \
                (first) = i + 1;                    \
            else                                    \
                (last) = i;                         \
        }                                           \
    }

__kernel void find_in_matrix(__global const int *restrict matrix, __global const uint2 *restrict queries,
                             __global int *restrict found, const uint n, const uint count)
{
    const size_t i = get_global_id(0);
    if (i < count)
        found[i] = matrix[(size_t)queries[i].s0 * n + queries[i].s1];
}

__kernel void find_in_rows(__global const OFFSET *restrict first_edge, __global const Edge *restrict edges,
                           __global const uint2 *restrict queries, __global int *restrict found, const uint count)
{
    if (get_global_id(0) >= count)
        return;
    const uint2 query = queries[get_global_id(0)];
    const int target = (int)query.s1;
    const ulong end = first_edge[query.s0 + 1];
    ulong first = first_edge[query.s0];
#if SEARCHED
    ulong last = end;
    FIRST_FROM(first, last, edges[i].target < target)
#else
    while (first < end && edges[first].target != target)
        ++first;
#endif
    found[get_global_id(0)] = first < end && edges[first].target == target ? (int)edges[first].weight : NO_EDGE;
}

__kernel void find_in_list(__global const int *restrict sources, __global const int *restrict targets,
                           __global const int *restrict weights, __global const uint2 *restrict queries,
                           __global int *restrict found, const uint count, const ulong m)
{
    if (get_global_id(0) >= count)
        return;
    const uint2 query = queries[get_global_id(0)];
    const int source = (int)query.s0, target = (int)query.s1;
    ulong first = 0;
#if SEARCHED
    ulong last = m;
    FIRST_FROM(first, last, sources[i] < source || (sources[i] == source && targets[i] < target))
#else
    while (first < m && (sources[first] != source || targets[first] != target))
        ++first;
#endif
    const bool is_there = first < m && sources[first] == source && targets[first] == target;
    found[get_global_id(0)] = is_there ? weights[first] : NO_EDGE;
}

// All edges that end at a vertex are in its column: no other work-item lowers it.
__kernel void relax_matrix(__global const int *restrict matrix, __global const int *restrict dist,
                           __global const uchar *restrict active, __global int *restrict lowered, const uint n)
{
    const size_t target = get_global_id(0);
    if (target >= n)
        return;
    int minimum = lowered[target];
    for (uint source = 0; source < n; ++source) {
        if (active[source]) {
            const int weight = matrix[(size_t)source * n + target];
            minimum = weight == NO_EDGE ? minimum : min(minimum, dist[source] + weight);
        }
    }
    lowered[target] = minimum;
}

__kernel void relax_rows(__global const OFFSET *restrict first_edge, __global const Edge *restrict edges,
                         __global const int *restrict dist, __global const uchar *restrict active,
                         __global int *restrict lowered, const uint n)
{
    const size_t source = get_global_id(0);
    if (source >= n || !active[source])
        return;
    const ulong end = first_edge[source + 1];
    for (ulong i = first_edge[source]; i < end; ++i)
        atomic_min(&lowered[edges[i].target], dist[source] + (int)edges[i].weight);
}

__kernel void relax_list(__global const int *restrict sources, __global const int *restrict targets,
                         __global const int *restrict weights, __global const int *restrict dist,
                         __global const uchar *restrict active, __global int *restrict lowered, const ulong m)
{
    const ulong first = (ulong)get_global_id(0) * RUN, last = min(first + RUN, m);
    for (ulong i = first; i < last; ++i) {
        if (active[sources[i]])
            atomic_min(&lowered[targets[i]], dist[sources[i]] + weights[i]);
    }
}

__kernel void relax_records(__global const Record *restrict records, __global const int *restrict dist,
                            __global const uchar *restrict active, __global int *restrict lowered, const ulong m)
{
    const ulong first = (ulong)get_global_id(0) * RUN, last = min(first + RUN, m);
    for (ulong i = first; i < last; ++i) {
        const Record edge = records[i];
        if (active[edge.source])
            atomic_min(&lowered[edge.target], dist[edge.source] + edge.weight);
    }
}
