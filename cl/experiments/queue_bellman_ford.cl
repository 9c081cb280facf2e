// Bellman-Ford with a queue, by one work-item: what searches on devices are compared with.
//
// Source:       Busato and Bombieri (2017), Algorithm 5, which enqueues nothing as printed.
// NDRange:      initialise: global n; relax: one work-item.
// Local memory: none.
// Macros:       OFFSET, see core/out_edges.cl; those of core/weights.cl, of which WEIGHT is int.
//
// A launch of relax ends when the queue is empty, or when `most` edges have been relaxed, and goes on from there.
//   first_edge, edges  in   (n + 1), (m) see core/out_edges.cl
//   dist               i/o  (n) distance of each vertex; NONE = no path yet
//   queued             i/o  (n) 1 if the vertex is in the queue
//   queue              i/o  (n) a ring; no vertex is in it twice
//   state              i/o  (2) index of the first vertex of the queue, and how many there are

#include "core/out_edges.cl"

#define NONE 0xFFFFFFFFu

__kernel void initialise(__global uint *restrict dist, __global uchar *restrict queued, __global uint *restrict queue,
                         __global uint *restrict state, const uint source, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n) {
        dist[vertex] = vertex == source ? 0 : NONE;
        queued[vertex] = vertex == source;
    }
    if (vertex == 0) {
        queue[0] = source;
        state[0] = 0;
        state[1] = 1;
    }
}

WORK_GROUP(1, 1, 1)
__kernel void relax(__global const OFFSET *restrict first_edge, __global const Edge *restrict edges,
                    __global uint *restrict dist, __global uchar *restrict queued, __global uint *restrict queue,
                    __global uint *restrict state, const ulong most, const uint n)
{
    uint head = state[0], count = state[1];
    for (ulong relaxed = 0; count > 0 && relaxed < most;) {
        const uint vertex = queue[head];
        head = head + 1 == n ? 0 : head + 1;
        --count;
        queued[vertex] = 0;
        const uint before = dist[vertex];
        const ulong end = first_edge[vertex + 1];
        for (ulong i = first_edge[vertex]; i < end; ++i) {
            const Edge edge = edges[i];
            const uint sum = before + (uint)edge.weight;
            if (sum < dist[edge.target]) {
                dist[edge.target] = sum;
                if (!queued[edge.target]) {
                    queued[edge.target] = 1;
                    const ulong last = (ulong)head + count;
                    queue[last < n ? last : last - n] = edge.target;
                    ++count;
                }
            }
        }
        relaxed += 1 + end - first_edge[vertex];
    }
    state[0] = head;
    state[1] = count;
}
