// Distances in a contraction hierarchy from many sources side by side: a climb from each, then sweeps down, round by round.
//
// Source:       GPHAST, the form of PHAST for GPUs (Delling, Goldberg, Nowatzyk and Werneck, 2011), and RPHAST (Delling,
//               Goldberg and Werneck, 2011), whose sweep is over those vertices only from which targets are reached.
// NDRange:      climb, search_from_both_ends: a work-group a source, of TEAM for each vertex at hand. sweep_round: a
//               work-item for SIDE_BY_SIDE lanes of a vertex, in work-groups for all lanes of some. sweep_rounds: a
//               work-group for SIDE_BY_SIDE lanes, of (work-items that share a vertex, vertices). write_rows: a work-group
//               a tile. weigh_paths, find_meeting: a work-item a vertex. trace: one work-group.
// Local memory: climbs: 2 x WAITING vertices. sweep_rounds: GROUP x SIDE_BY_SIDE distances. write_rows: TILE x (TILE_LANES + 1) distances.
//               trace: a word.
// Macros:       WAITING, the most vertices that wait for their rounds; TEAM; GROUP, the most work-items of a work-group;
//               TILE, targets of a tile, and TILE_LANES, a multiple of SIDE_BY_SIDE; core/atomic_min.cl;
//               contraction/results.cl; core/weights.cl, with an INF that no path weighs, and twice of which fits.
//   first_upper, upper    in   edges that lead from each vertex, called by its rank, to higher ones
//   first_lower, lower    in   the same by the vertex that they lead to, which come from lower ones
//   first_higher, higher  in   edges that come from higher vertices to each
//   first_below, below    in   the same by the vertex that they come from, which lead to lower ones
//   members               in   ranks of the vertices that the sweep down is over, in ascending order
//   rounds                in   the first member of each round, then how many there are
//   dist                 i/o   (n, lanes) INF before; lanes are a power of two, and SIDE_BY_SIDE at least

#if !defined(WAITING) || !defined(TEAM) || !defined(GROUP) || !defined(TILE) || !defined(TILE_LANES)
#error "contraction/wide.cl needs the macros WAITING, TEAM, GROUP, TILE and TILE_LANES"
#endif

#include "contraction/results.cl"
#include "core/atomic_min.cl"

#define SIDE_BY_SIDE 4
typedef VECTOR(WEIGHT, 4) Side;

// Where the distance of a vertex lies in one lane.
size_t entry_of(const size_t vertex, const size_t lane, const uint lanes)
{
    return vertex * lanes + lane;
}

// Lowers the distance of the vertex that an edge leads to from one at distance `own`; returns whether it had none.
bool reaches(const Edge edge, const WEIGHT own, volatile __global WEIGHT *dist, const size_t lane, const uint lanes)
{
    volatile __global WEIGHT *above = &dist[entry_of(edge.target, lane, lanes)];
    return LOWER((volatile __global Key *)above, AS_KEY(own + edge.weight)) == NO_KEY;
}

// Adds a vertex to those that wait, if there is room: afterwards `count` tells whether there was.
void add(const uint vertex, __local uint *waiting, __local uint *count, __local uint *lowest)
{
    const uint index = atomic_inc(count);
    if (index < WAITING)
        waiting[index] = vertex;
    atomic_min(lowest, vertex);
}

// Finds the distances along paths that lead up only from a source, up to the first vertices that are not below `limit`:
// round after round, by way of the vertices alone that are reached; in the end of all, where most of them are reached,
// or more than there is room for.
//   ends  in  (n) where the round of each vertex ends
void climb_from(const uint source, __global const OFFSET *restrict first_upper, __global const Edge *restrict upper,
                __global const uint *restrict ends, volatile __global WEIGHT *dist, const size_t lane, const uint lanes,
                const uint limit, __local uint (*waiting)[WAITING], __local uint *counts, __local uint *lowest)
{
    const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0), part = item % TEAM;
    if (item == 0) {
        dist[entry_of(source, lane, lanes)] = 0;
        counts[0] = 0;
        lowest[0] = limit;
        if (source < limit)
            add(source, waiting[0], &counts[0], &lowest[0]);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    uint now = 0, count = counts[0], begin = lowest[0];
    while (count <= WAITING && count < (limit - begin) / 2) {
        const uint end = ends[begin], next = 1 - now;
        if (item == 0) {
            counts[next] = 0;
            lowest[next] = limit;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint before = 0; before < count; before += items / TEAM) {
            const uint each = before + item / TEAM, vertex = each < count ? waiting[now][each] : 0;
            if (each < count && vertex < end) {
                const WEIGHT own = dist[entry_of(vertex, lane, lanes)];
                const OFFSET last = first_upper[vertex + 1];
                for (OFFSET edge = first_upper[vertex] + part; edge < last; edge += TEAM) {
                    const Edge up = upper[edge];
                    if (reaches(up, own, dist, lane, lanes) && (uint)up.target < limit)
                        add((uint)up.target, waiting[next], &counts[next], &lowest[next]);
                }
            } else if (each < count && part == 0) {
                add(vertex, waiting[next], &counts[next], &lowest[next]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        now = next;
        count = counts[now];
        begin = lowest[now];
    }
    for (uint end = begin; begin < limit; begin = end) {
        end = min(ends[begin], limit);
        uint team = items;  // of those that share a vertex
        while (team > TEAM && team * (end - begin) > items)
            team /= 2;
        const uint place = item / team;
        for (uint vertex = begin + place; vertex < end; vertex += items / team) {
            const WEIGHT own = dist[entry_of(vertex, lane, lanes)];
            const OFFSET last = own < INF ? first_upper[vertex + 1] : 0;
            for (OFFSET edge = first_upper[vertex] + (item - place * team); edge < last; edge += team)
                reaches(upper[edge], own, dist, lane, lanes);
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

// Climbs from some of the sources, each in a lane.
//   sources  in  (rows) their ranks
__kernel void climb(__global const int *restrict sources, __global const OFFSET *restrict first_upper,
                    __global const Edge *restrict upper, __global const uint *restrict ends,
                    volatile __global WEIGHT *dist, const uint lanes, const uint first_row, const uint limit)
{
    __local uint waiting[2][WAITING], counts[2], lowest[2];
    const size_t lane = get_group_id(0);
    climb_from((uint)sources[first_row + lane], first_upper, upper, ends, dist, lane, lanes, limit, waiting, counts,
               lowest);
}

// The distances by way of one of the edges to a vertex.
Side side_over(const Edge edge, __global const Side *dist, const size_t side, const uint sides)
{
    return dist[entry_of(edge.target, side, sides)] + edge.weight;
}

// The least of `nearest` and the distances by way of every so manieth of the edges to a vertex, from `edge` on. Several
// are read at a time.
Side nearest_above(Side nearest, __global const Edge *restrict higher, OFFSET edge, const OFFSET last,
                   const OFFSET step, __global const Side *dist, const size_t side, const uint sides)
{
    for (; edge + 3 * step < last; edge += 4 * step) {
        const Side a = side_over(higher[edge], dist, side, sides),
                   b = side_over(higher[edge + step], dist, side, sides);
        const Side c = side_over(higher[edge + 2 * step], dist, side, sides);
        const Side d = side_over(higher[edge + 3 * step], dist, side, sides);
        nearest = min(nearest, min(min(a, b), min(c, d)));
    }
    for (; edge < last; edge += 2 * step) {  // both are read at once, be they the same
        const OFFSET other = edge + step < last ? edge + step : edge;
        const Side a = side_over(higher[edge], dist, side, sides), b = side_over(higher[other], dist, side, sides);
        nearest = min(nearest, min(a, b));
    }
    return nearest;
}

// Goes on downwards, to the vertices of one round.
__kernel void sweep_round(__global const OFFSET *restrict first_higher, __global const Edge *restrict higher,
                          __global const int *restrict members, __global Side *dist, const uint lanes, const uint begin,
                          const uint end)
{
    const uint sides = lanes / SIDE_BY_SIDE, item = (uint)get_local_id(0), place = item / sides;
    const uint side = item - place * sides;
    const size_t member = begin + get_group_id(0) * (get_local_size(0) / sides) + place;
    if (member >= end)
        return;
    const int vertex = members[member];
    __global Side *own = &dist[entry_of(vertex, side, sides)];
    *own = nearest_above(*own, higher, first_higher[vertex], first_higher[vertex + 1], 1, dist, side, sides);
}

// Goes on downwards, from the last of some rounds to the first.
__kernel void sweep_rounds(__global const OFFSET *restrict first_higher, __global const Edge *restrict higher,
                           __global const int *restrict members, __global const uint *restrict rounds,
                           __global Side *dist, const uint lanes, const uint begin, const uint end)
{
    __local Side by_part[GROUP];
    const uint sides = lanes / SIDE_BY_SIDE, parts = (uint)get_local_size(0), part = (uint)get_local_id(0);
    const uint first = (uint)get_local_id(1) * parts;
    const size_t side = get_group_id(0);
    for (uint round = end; round-- > begin;) {
        const uint last = rounds[round + 1];
        for (uint before = rounds[round]; before < last; before += (uint)get_local_size(1)) {
            const uint member = before + (uint)get_local_id(1);
            const int vertex = member < last ? members[member] : 0;
            __global Side *own = &dist[entry_of(vertex, side, sides)];
            Side nearest = (Side)INF;
            if (member < last)
                nearest = nearest_above(part == 0 ? *own : nearest, higher, first_higher[vertex] + part,
                                        first_higher[vertex + 1], parts, dist, side, sides);
            by_part[first + part] = nearest;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (part == 0 && member < last) {
                for (uint other = 1; other < parts; ++other)
                    nearest = min(nearest, by_part[first + other]);
                *own = nearest;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

// Writes the rows of a batch, by way of tiles: what lies side by side in `dist` lies far apart in the results.
//   targets  in   (targets) their ranks
//   results  out  (rows, targets) distances
__kernel void write_rows(__global const Side *restrict dist, __global const int *restrict targets,
                         __global RESULT *restrict results, const uint target_count, const uint lanes,
                         const uint first_row, const uint used)
{
    __local WEIGHT tile[TILE][TILE_LANES + 1];
    const uint across = min(lanes, (uint)TILE_LANES), sides = across / SIDE_BY_SIDE,
               tiles = (used + across - 1) / across;
    const size_t row_of_tiles = get_group_id(0) / tiles, first_target = row_of_tiles * TILE;
    const size_t first_lane = (get_group_id(0) - row_of_tiles * tiles) * across;
    const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
    for (uint each = item; each < TILE * sides; each += items) {
        const uint row = each / sides, side = each - row * sides;
        if (first_target + row < target_count)
            vstore4(dist[entry_of(targets[first_target + row], first_lane / SIDE_BY_SIDE + side, lanes / SIDE_BY_SIDE)],
                    0, &tile[row][SIDE_BY_SIDE * side]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint each = item; each < TILE * across; each += items) {
        const uint row = each / TILE, column = each % TILE;
        if (first_target + column < target_count && first_lane + row < used)
            results[(first_row + first_lane + row) * target_count + first_target + column] =
                result_of(tile[column][row]);
    }
}

// Climbs from the ends of a path: from its source, and against the edges from its target.
//   source_and_target  in   (2) their ranks
//   dist               i/o  (n, 2) INF before; from the source to each vertex, and from there to the target
__kernel void search_from_both_ends(__global const int *restrict source_and_target,
                                    __global const OFFSET *restrict first_upper, __global const Edge *restrict upper,
                                    __global const OFFSET *restrict first_higher, __global const Edge *restrict higher,
                                    __global const uint *restrict ends, volatile __global WEIGHT *dist, const uint n)
{
    __local uint waiting[2][WAITING], counts[2], lowest[2];
    const size_t lane = get_group_id(0);
    const bool is_source = lane == 0;
    climb_from((uint)source_and_target[lane], is_source ? first_upper : first_higher, is_source ? upper : higher, ends,
               dist, lane, 2, n, waiting, counts, lowest);
}

typedef VECTOR(WEIGHT, 2) Both;

// The weight of the path that both climbs make by way of a vertex; INF at least, if there is none.
WEIGHT path_by_way_of(__global const Both *restrict dist, const size_t vertex)
{
    const Both both = dist[vertex];
    return both.x + both.y;
}

// Finds the least weight of these paths.
//   weight  i/o  INF before
__kernel void weigh_paths(__global const Both *restrict dist, volatile __global Key *weight, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n && path_by_way_of(dist, vertex) < INF)
        LOWER(weight, AS_KEY(path_by_way_of(dist, vertex)));
}

// Finds the lowest vertex by way of which there is one.
//   meeting  i/o  n before
__kernel void find_meeting(__global const Both *restrict dist, __global const WEIGHT *restrict weight,
                           volatile __global uint *meeting, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n && path_by_way_of(dist, vertex) == *weight)
        atomic_min(meeting, (uint)vertex);
}

// The first edge from whose other end on a path of a climb weighs `wanted`, with the weight of the edge.
uint edge_over_which(__local uint *found, const OFFSET first, const OFFSET last, __global const Edge *restrict edges,
                     __global const WEIGHT *restrict dist, const size_t lane, const WEIGHT wanted)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        *found = last;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (OFFSET edge = first + (OFFSET)get_local_id(0); edge < last; edge += get_local_size(0))
        if (dist[entry_of(edges[edge].target, lane, 2)] + edges[edge].weight == wanted)
            atomic_min(found, (uint)edge);
    barrier(CLK_LOCAL_MEM_FENCE);
    return *found;
}

// Lists the edges from a vertex to one end of the path; returns how many there are.
uint trace_to(const int end, int vertex, __local uint *found, __global const OFFSET *restrict first,
              __global const Edge *restrict edges, __global const WEIGHT *restrict dist, const size_t lane,
              __global int *restrict path)
{
    uint count = 0;
    while (vertex != end) {
        const WEIGHT wanted = dist[entry_of(vertex, lane, 2)];
        const uint edge = edge_over_which(found, first[vertex], first[vertex + 1], edges, dist, lane, wanted);
        if (get_local_id(0) == 0)
            path[count] = (int)edge;
        ++count;
        vertex = edges[edge].target;
    }
    return count;
}

// Lists the edges of a shortest path: from the vertex where both climbs meet those that lead up to it, against their
// direction, then those that lead down from it.
//   path  out  how many edges lead up, or -1 if there is no path, and down; then these
__kernel void trace(__global const OFFSET *restrict first_lower, __global const Edge *restrict lower,
                    __global const OFFSET *restrict first_below, __global const Edge *restrict below,
                    __global const WEIGHT *restrict dist, __global const WEIGHT *restrict weight,
                    __global const uint *restrict meeting, __global int *restrict path, const int source,
                    const int target)
{
    __local uint found;
    int ups = -1, downs = 0;
    if (*weight < INF) {
        ups = (int)trace_to(source, (int)*meeting, &found, first_lower, lower, dist, 0, path + 2);
        downs = (int)trace_to(target, (int)*meeting, &found, first_below, below, dist, 1, path + 2 + ups);
    }
    if (get_local_id(0) == 0) {
        path[0] = ups;
        path[1] = downs;
    }
}
