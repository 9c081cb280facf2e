// Statistics of rows of distances: how many vertices are reached, how far the farthest is, and the sum of the distances.
//
// Vertex v belongs to lane v % LANES. Each lane is added up in ascending order, then the lanes pairwise: sums of
// floating-point numbers are the same whatever the size of the work-groups, and on the host.
//
// Source:       our own.
// NDRange:      global (rows * GROUP_SIZE), work-group (GROUP_SIZE).
// Local memory: GROUP_SIZE * (sizeof(uint) + sizeof(WEIGHT) + sizeof(TOTAL)), if GROUP_SIZE is more than 1.
// Macros:       core/weights.cl; TOTAL, type of the sums: ulong or double; GROUP_SIZE, a power of two up to LANES.
//   dist      in   (rows, stride) distances, of which the first n of a row count; INF where there is no path
//   reached   out  (rows)
//   farthest  out  (rows) the largest distance, at least 0
//   total     out  (rows)

#include "core/weights.cl"

#define LANES 256

#if !defined(TOTAL) || !defined(GROUP_SIZE) || LANES % GROUP_SIZE
#error "edges/statistics.cl needs TOTAL and a GROUP_SIZE that divides LANES"
#endif

#define LANES_EACH (LANES / GROUP_SIZE)

typedef struct {
    TOTAL total;
    WEIGHT farthest;
    uint reached;
} Statistics;

Statistics with_distance(Statistics known, const WEIGHT dist)
{
    const bool is_reached = dist != INF;
    const WEIGHT counted = is_reached ? dist : 0;
    known.total += (TOTAL)counted;
    known.farthest = max(known.farthest, counted);
    known.reached += is_reached;
    return known;
}

Statistics together(Statistics one, const Statistics other)
{
    one.total += other.total;
    one.farthest = max(one.farthest, other.farthest);
    one.reached += other.reached;
    return one;
}

#if GROUP_SIZE > 1
// Adds up what the work-items of a group have, for the first of them.
Statistics of_group(Statistics own, __local Statistics *shared)
{
    const uint item = get_local_id(0);
    for (uint apart = GROUP_SIZE / 2; apart > 0; apart /= 2) {
        shared[item] = own;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < apart)
            own = together(own, shared[item + apart]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return own;
}
#endif

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void row_statistics(__global const WEIGHT *restrict dist, __global uint *restrict reached,
                             __global WEIGHT *restrict farthest, __global TOTAL *restrict total, const ulong stride,
                             const uint n)
{
    const size_t row = get_global_id(0) / GROUP_SIZE;
    const uint item = get_local_id(0);
    __global const WEIGHT *own = dist + row * stride;
    Statistics lanes[LANES_EACH];
    for (uint lane = 0; lane < LANES_EACH; ++lane)
        lanes[lane] = (Statistics){0, 0, 0};
    uint first = 0;
    for (; first + LANES <= n; first += LANES)
        for (uint lane = 0; lane < LANES_EACH; ++lane)
            lanes[lane] = with_distance(lanes[lane], own[first + lane * GROUP_SIZE + item]);
    for (uint lane = 0; lane < LANES_EACH; ++lane)
        if (lane * GROUP_SIZE + item < n - first)
            lanes[lane] = with_distance(lanes[lane], own[first + lane * GROUP_SIZE + item]);
    for (uint apart = LANES_EACH / 2; apart > 0; apart /= 2)
        for (uint lane = 0; lane < apart; ++lane)
            lanes[lane] = together(lanes[lane], lanes[lane + apart]);
#if GROUP_SIZE > 1
    __local Statistics shared[GROUP_SIZE];
    const Statistics found = of_group(lanes[0], shared);
#else
    const Statistics found = lanes[0];
#endif
    if (item == 0) {
        reached[row] = found.reached;
        farthest[row] = found.farthest;
        total[row] = found.total;
    }
}
