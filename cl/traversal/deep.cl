// Levels and predecessors from distances along edges of weight 1, where no vertex has many edges.
//
// Source:       the tree of traversal/bfs_work_groups.cl.
// NDRange:      begin and finish: global n rounded up to the work-group's size.
// Local memory: none.
// Macros:       WIDTH, edges of a vertex in edges/pad.cl; core/out_edges.cl, core/weights.cl.
//   dist          in   (n) INF = not reached
//   padded        in   (n, WIDTH) edges/pad.cl
//   levels        out  (n) -1 = not reached
//   predecessors  i/o  (n) first NO_PREDECESSOR, then the smallest vertex of the level before that leads there

#ifndef WIDTH
#error "traversal/deep.cl needs the macro WIDTH"
#endif

#include "core/out_edges.cl"
#include "traversal/bfs_direction.cl"

__kernel void begin(__global const WEIGHT *restrict dist, __global int *restrict levels,
                    __global uint *restrict predecessors, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n) {
        levels[vertex] = dist[vertex] == INF ? -1 : dist[vertex];
        predecessors[vertex] = NO_PREDECESSOR;
    }
}

__kernel void finish(__global const Edge *restrict padded, __global const int *restrict levels,
                     __global uint *restrict predecessors, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n && levels[vertex] >= 0) {
        for (uint k = 0; k < WIDTH; ++k) {
            const int target = padded[vertex * WIDTH + k].target;
            if (target >= 0 && levels[target] == levels[vertex] + 1)
                atomic_min(&predecessors[target], (uint)vertex);
        }
    }
}
