// Distances in a contraction hierarchy from many sources side by side: sweeps up and down, round by round.
//
// Source:       GPHAST, the form of PHAST for GPUs (Delling, Goldberg, Nowatzyk and Werneck, 2011), and RPHAST (Delling,
//               Goldberg and Werneck, 2011), whose sweep is over those vertices only from which targets are reached.
// NDRange:      begin: a work-item a lane. climb and sweep: (lanes, PARTS, vertices), where PARTS is 1 for one round and
//               several for some rounds, for which there is one work-group for its lanes. write_rows: (targets, lanes),
//               work-groups of (TILE, TILE_ROWS). trace: one work-group.
// Local memory: sweep: GROUP distances. write_rows: a tile of TILE x TILE distances. trace: a word.
// Macros:       GROUP, the most work-items of a work-group; TILE and TILE_ROWS, a divisor of it; core/atomic_min.cl;
//               contraction/results.cl; core/weights.cl, with an INF that no path weighs, and twice of which fits.
//   first_upper, upper    in   edges that lead from each vertex, called by its rank, to higher ones
//   first_lower, lower    in   the same by the vertex that they lead to, which come from lower ones
//   first_higher, higher  in   edges that come from higher vertices to each
//   members               in   ranks of the vertices that the sweep down is over, in ascending order
//   rounds                in   the first vertex, or member, of each round, then how many there are
//   dist                 i/o   (n, lanes) INF before

#if !defined(GROUP) || !defined(TILE) || !defined(TILE_ROWS)
#error "contraction/wide.cl needs the macros GROUP, TILE and TILE_ROWS"
#endif

#include "contraction/results.cl"
#include "core/atomic_min.cl"

// Where the distance of a vertex lies in one lane.
size_t entry_of(const size_t vertex, const size_t lane, const uint lanes)
{
    return vertex * lanes + lane;
}

// Places the sources of a batch.
//   sources  in  (rows) their ranks
__kernel void begin(__global const int *restrict sources, __global WEIGHT *restrict dist, const uint lanes,
                    const uint first_row, const uint used)
{
    const size_t lane = get_global_id(0);
    if (lane < used)
        dist[entry_of(sources[first_row + lane], lane, lanes)] = 0;
}

// Lowers the distance of the vertex that an edge leads to from one at distance `own`.
void reach(const Edge edge, const WEIGHT own, volatile __global WEIGHT *dist, const size_t lane, const uint lanes)
{
    volatile __global WEIGHT *above = &dist[entry_of(edge.target, lane, lanes)];
    LOWER((volatile __global Key *)above, AS_KEY(own + edge.weight));
}

// Finds, in the order of rounds, the distances along paths that lead up only.
__kernel void climb(__global const OFFSET *restrict first_upper, __global const Edge *restrict upper,
                    __global const uint *restrict rounds, volatile __global WEIGHT *dist, const uint lanes,
                    const uint begin, const uint end)
{
    const size_t lane = get_global_id(0);
    for (uint round = begin; round < end; ++round) {
        for (size_t vertex = rounds[round] + get_global_id(2); vertex < rounds[round + 1];
             vertex += get_global_size(2)) {
            const WEIGHT own = dist[entry_of(vertex, lane, lanes)];
            if (own == INF)
                continue;
            const OFFSET last = first_upper[vertex + 1], step = (OFFSET)get_local_size(1);
            OFFSET edge = first_upper[vertex] + (OFFSET)get_local_id(1);
            for (; edge + step < last; edge += 2 * step) {
                const Edge a = upper[edge], b = upper[edge + step];
                reach(a, own, dist, lane, lanes);
                reach(b, own, dist, lane, lanes);
            }
            if (edge < last)
                reach(upper[edge], own, dist, lane, lanes);
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

// The distance by way of one of the edges to a vertex.
WEIGHT over(const Edge edge, __global const WEIGHT *dist, const size_t lane, const uint lanes)
{
    return dist[entry_of(edge.target, lane, lanes)] + edge.weight;
}

// The distance by way of every so manieth of the edges from higher vertices, four of them at a time; or INF.
WEIGHT nearest_above(__global const OFFSET *restrict first_higher, __global const Edge *restrict higher,
                     __global const WEIGHT *dist, const size_t vertex, const size_t lane, const uint lanes)
{
    const OFFSET last = first_higher[vertex + 1], step = (OFFSET)get_local_size(1);
    OFFSET edge = first_higher[vertex] + (OFFSET)get_local_id(1);
    WEIGHT nearest = INF;
    for (; edge + 3 * step < last; edge += 4 * step) {
        const WEIGHT a = over(higher[edge], dist, lane, lanes), b = over(higher[edge + step], dist, lane, lanes);
        const WEIGHT c = over(higher[edge + 2 * step], dist, lane, lanes);
        const WEIGHT d = over(higher[edge + 3 * step], dist, lane, lanes);
        nearest = min(nearest, min(min(a, b), min(c, d)));
    }
    for (; edge < last; edge += step)
        nearest = min(nearest, over(higher[edge], dist, lane, lanes));
    return nearest;
}

// Goes on downwards, from the last of some rounds to the first.
__kernel void sweep(__global const OFFSET *restrict first_higher, __global const Edge *restrict higher,
                    __global const int *restrict members, __global const uint *restrict rounds, __global WEIGHT *dist,
                    const uint lanes, const uint begin, const uint end)
{
    __local WEIGHT by_part[GROUP];
    const size_t lane = get_global_id(0);
    const uint width = (uint)get_local_size(0), parts = (uint)get_local_size(1);
    const uint first = ((uint)get_local_id(2) * parts * width) + (uint)get_local_id(0);
    const uint part = (uint)get_local_id(1);
    for (uint round = end; round-- > begin;) {
        const size_t last = rounds[round + 1];
        for (size_t before = rounds[round]; before < last; before += get_global_size(2)) {
            const size_t member = before + get_global_id(2);
            const size_t vertex = member < last ? members[member] : 0;
            WEIGHT nearest = INF;
            if (member < last)
                nearest = nearest_above(first_higher, higher, dist, vertex, lane, lanes);
            if (parts > 1) {
                by_part[first + part * width] = nearest;
                barrier(CLK_LOCAL_MEM_FENCE);
                if (part == 0)
                    for (uint other = 1; other < parts; ++other)
                        nearest = min(nearest, by_part[first + other * width]);
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            if (part == 0 && member < last) {
                __global WEIGHT *own = &dist[entry_of(vertex, lane, lanes)];
                *own = min(nearest, *own);
            }
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

// Writes the rows of a batch, by way of tiles: what lies side by side in `dist` lies far apart in the results.
//   targets  in   (targets) their ranks
//   results  out  (rows, targets) distances
__kernel void write_rows(__global const WEIGHT *restrict dist, __global const int *restrict targets,
                         __global RESULT *restrict results, const uint target_count, const uint lanes,
                         const uint first_row, const uint used)
{
    __local WEIGHT tile[TILE][TILE + 1];
    const size_t first_target = get_group_id(0) * TILE, first_lane = get_group_id(1) * TILE;
    const uint column = (uint)get_local_id(0);
    for (uint row = (uint)get_local_id(1); row < TILE; row += TILE_ROWS)
        if (first_target + row < target_count && first_lane + column < used)
            tile[row][column] = dist[entry_of(targets[first_target + row], first_lane + column, lanes)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint row = (uint)get_local_id(1); row < TILE; row += TILE_ROWS)
        if (first_target + column < target_count && first_lane + row < used)
            results[(first_row + first_lane + row) * target_count + first_target + column] =
                result_of(tile[column][row]);
}

// The first of the edges to a vertex over which a path leads that weighs `wanted`, in the first lane; NO_EDGE if none does.
#define NO_EDGE 0xffffffffu
uint edge_over_which(__local uint *found, __global const OFFSET *restrict first, __global const Edge *restrict edges,
                     __global const WEIGHT *restrict dist, const uint lanes, const int vertex, const WEIGHT wanted)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        *found = NO_EDGE;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (OFFSET edge = first[vertex] + (OFFSET)get_local_id(0); edge < first[vertex + 1]; edge += get_local_size(0))
        if (over(edges[edge], dist, 0, lanes) == wanted)
            atomic_min(found, (uint)edge);
    barrier(CLK_LOCAL_MEM_FENCE);
    return *found;
}

// Lists the edges of a shortest path, against its direction: those that lead down to the target, then those that lead up.
//   climbed  in   (n, lanes) distances along paths that lead up only
//   path     out  how many edges lead up, or -1 if there is no path, and down; then these
//   weight   out  of the path
__kernel void trace(__global const OFFSET *restrict first_lower, __global const Edge *restrict lower,
                    __global const OFFSET *restrict first_higher, __global const Edge *restrict higher,
                    __global const WEIGHT *restrict climbed, __global const WEIGHT *restrict dist,
                    __global int *restrict path, __global WEIGHT *restrict weight, const uint lanes, const int source,
                    const int target)
{
    __local uint found;
    const bool writes = get_local_id(0) == 0;
    int vertex = target, ups = 0, downs = 0;
    const WEIGHT whole = dist[entry_of(target, 0, lanes)];
    if (writes)
        *weight = whole;
    if (whole >= INF) {
        if (writes)
            path[0] = -1;
        return;
    }
    while (climbed[entry_of(vertex, 0, lanes)] > dist[entry_of(vertex, 0, lanes)]) {
        const WEIGHT wanted = dist[entry_of(vertex, 0, lanes)];
        const uint edge = edge_over_which(&found, first_higher, higher, dist, lanes, vertex, wanted);
        if (writes)
            path[2 + downs] = (int)edge;
        ++downs;
        vertex = higher[edge].target;
    }
    while (vertex != source) {
        const WEIGHT wanted = climbed[entry_of(vertex, 0, lanes)];
        const uint edge = edge_over_which(&found, first_lower, lower, climbed, lanes, vertex, wanted);
        if (writes)
            path[2 + downs + ups] = (int)edge;
        ++ups;
        vertex = lower[edge].target;
    }
    if (writes) {
        path[0] = ups;
        path[1] = downs;
    }
}
