// Known-answer test of a device: local memory, barriers, 64-bit integers, infinities and subnormal numbers.
//
// Source:       our own; local memory and barriers as in thesis section 3.1.1.
// NDRange:      global (groups * GROUP_SIZE), work-group (GROUP_SIZE).
// Local memory: GROUP_SIZE * sizeof(WEIGHT).
// Macros:       GROUP_SIZE; core/weights.cl.
//   dist     in   (groups * GROUP_SIZE) path weights, INF among them
//   weights  in   (groups * GROUP_SIZE) edge weights
//   minimum  out  (groups) minimum path sum of each work-group
//   sums     out  (groups * GROUP_SIZE) each path sum, in reverse order within its work-group

#ifndef GROUP_SIZE
#error "core/self_test.cl needs the macro GROUP_SIZE"
#endif

#include "core/weights.cl"

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void self_test(__global const WEIGHT *restrict dist, __global const WEIGHT *restrict weights,
                        __global WEIGHT *restrict minimum, __global WEIGHT *restrict sums)
{
    __local WEIGHT path[GROUP_SIZE];
    const size_t item = get_global_id(0);
    const uint slot = get_local_id(0);
    path[slot] = path_sum(dist[item], weights[item]);
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] = path[GROUP_SIZE - 1 - slot];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint stride = GROUP_SIZE / 2; stride > 0; stride /= 2) {
        if (slot < stride)
            path[slot] = path[slot + stride] < path[slot] ? path[slot + stride] : path[slot];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (slot == 0)
        minimum[get_group_id(0)] = path[0];
}
