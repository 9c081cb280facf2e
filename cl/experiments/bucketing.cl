// Bucketing: delta-stepping whose buckets are runs of a sorted list.
//
// Source:       Busato and Bombieri (2017), section 3.1, after Davidson, Baxter, Garland and Owens.
// NDRange:      initialise: global n; relax: count * WIDTH; rebuild: count and pushes, together. Work-groups are free.
// Local memory: none.
// Macros:       WIDTH, work-items that share the edges of a vertex; OFFSET and ATOMIC_LOADS, see core/out_edges.cl and
//               core/loads.cl; those of core/weights.cl, of which WEIGHT is int.
//
// Entries of the list are pairs of a bucket and a vertex, in the order of their buckets. The distance of a vertex, over
// `delta`, is its bucket. A round is:
//   - relax: the edges that leave the vertices of the first bucket. A vertex whose distance is lowered is pushed, once
//   - rebuild: the entries of other buckets that vertices are still in, and one for each vertex that was pushed and has
//     none there yet, are written to another list
//   - the sort of that list by its buckets (reedsp/primitives/sort)
//   first_edge, edges      in   (n + 1), (m) see core/out_edges.cl
//   buckets, vertices      in   (count) the list
//   dist                   i/o  (n) distance of each vertex; NONE = no path yet
//   waits_in               i/o  (n) bucket of the entry of each vertex, or NONE
//   rounds                 i/o  (n) the last round in which each vertex was pushed
//   pushed, pushes         i/o  (n), (1) the vertices pushed in this round, and how many there are
//   new_buckets, new_vertices, new_count  out  (n), (n), (1) the other list, and how many entries it has

#ifndef WIDTH
#error "experiments/bucketing.cl needs the macro WIDTH"
#endif

#include "core/loads.cl"
#include "core/out_edges.cl"

#define NONE 0xFFFFFFFFu

__kernel void initialise(__global uint *restrict dist, __global uint *restrict waits_in, __global uint *restrict rounds,
                         __global uint *restrict buckets, __global uint *restrict vertices,
                         __global uint *restrict pushes, const uint source, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n) {
        dist[vertex] = vertex == source ? 0 : NONE;
        waits_in[vertex] = vertex == source ? 0 : NONE;
        rounds[vertex] = 0;
    }
    if (vertex == 0) {
        buckets[0] = 0;
        vertices[0] = source;
        *pushes = 0;
    }
}

__kernel void relax(__global const OFFSET *restrict first_edge, __global const Edge *restrict edges,
                    __global const uint *restrict buckets, __global const uint *restrict vertices,
                    __global uint *restrict dist, __global uint *restrict waits_in, __global uint *restrict rounds,
                    __global uint *restrict pushed, __global uint *restrict pushes, __global uint *restrict new_count,
                    const uint count, const uint round)
{
    const size_t entry = get_global_id(0) / WIDTH;
    const uint lane = get_global_id(0) % WIDTH;
    if (get_global_id(0) == 0)
        *new_count = 0;
    if (entry >= count || buckets[entry] != buckets[0])
        return;
    const uint vertex = vertices[entry];
    if (lane == 0)
        waits_in[vertex] = NONE;
    const uint before = LOAD(&dist[vertex]);
    const ulong end = first_edge[vertex + 1];
    for (ulong i = first_edge[vertex] + lane; i < end; i += WIDTH) {
        const Edge edge = edges[i];
        const uint sum = before + (uint)edge.weight;
        if (sum < LOAD(&dist[edge.target]) && sum < atomic_min(&dist[edge.target], sum)) {
            if (atomic_xchg(&rounds[edge.target], round) != round)
                pushed[atomic_inc(pushes)] = edge.target;
        }
    }
}

__kernel void rebuild(__global const uint *restrict buckets, __global const uint *restrict vertices,
                      __global const uint *restrict dist, __global uint *restrict waits_in,
                      __global const uint *restrict pushed, __global uint *restrict new_buckets,
                      __global uint *restrict new_vertices, __global uint *restrict new_count, const uint delta,
                      const uint count, const uint all)
{
    const size_t i = get_global_id(0);
    if (i >= all)
        return;
    const uint vertex = i < count ? vertices[i] : pushed[i - count];
    const uint bucket = dist[vertex] / delta;
    if (i < count) {
        if (buckets[i] == buckets[0] || buckets[i] != bucket)
            return;
    } else {
        if (waits_in[vertex] == bucket)
            return;
        waits_in[vertex] = bucket;
    }
    const uint place = atomic_inc(new_count);
    new_buckets[place] = bucket;
    new_vertices[place] = vertex;
}
