// Distances in a contraction hierarchy, a batch of sources a work-item: a climb from each, then one sweep down for all.
//
// Source:       PHAST (Delling, Goldberg, Nowatzyk and Werneck, 2011), basic and of multiple trees, and RPHAST (Delling,
//               Goldberg and Werneck, 2011): the sweep may be over those vertices only from which targets are reached.
// NDRange:      solve_batches: one work-item a batch of 16 sources, work-groups of one. meet: one work-item.
// Local memory: none.
// Macros:       contraction/results.cl; core/weights.cl, with an INF that no path weighs, and twice of which fits.
//   first_up, up_edges      in     edges that lead from each vertex, called by its rank, to higher ones
//   first_down, down_edges  in     edges that come from higher ones to each vertex
//   first, edges            in     the same of the vertices of the sweep, by their indices in it, in the order of ranks
//   index_of                in     (n) index of each vertex in the sweep; -1 if it has none
//   targets                 in     (targets) their indices in the sweep
//   sources                 in     (rows) their ranks
//   results                 out    (rows, targets) distances
//   above                  i/o     (work-items, n) INF, before and after
//   heap                   local to a work-item, (work-items, n)
//   dist                   local to a work-item, (work-items, length of the sweep, LANES)
//   is_set                 i/o     (work-items, length of the sweep) whether a vertex has distances already; 0 before and after

#include "contraction/results.cl"

#define LANES 16
#define BLOCK 64  // targets whose distances are turned from columns to rows while a cache holds them

typedef VECTOR(WEIGHT, 16) Side;

// Adds a vertex to a heap whose first one is the lowest.
void push(__global int *restrict heap, uint *count, const int vertex)
{
    uint child = (*count)++;
    while (child > 0 && heap[(child - 1) / 2] > vertex) {
        heap[child] = heap[(child - 1) / 2];
        child = (child - 1) / 2;
    }
    heap[child] = vertex;
}

// Takes the lowest vertex from a heap.
int pop(__global int *restrict heap, uint *count)
{
    const int lowest = heap[0], last = heap[--(*count)];
    uint parent = 0;
    for (uint child = 1; child < *count; child = 2 * parent + 1) {
        child += child + 1 < *count && heap[child + 1] < heap[child];
        if (heap[child] >= last)
            break;
        heap[parent] = heap[child];
        parent = child;
    }
    heap[parent] = last;
    return lowest;
}

// Finds the distances along paths that lead up only, for one lane of a batch.
void climb_from(const int source, const uint lane, __global const OFFSET *restrict first_up,
                __global const Edge *restrict up_edges, __global const int *restrict index_of,
                __global WEIGHT *restrict above, __global int *restrict heap, __global WEIGHT *restrict dist,
                __global uchar *restrict is_set)
{
    uint count = 0;
    above[source] = 0;
    push(heap, &count, source);
    while (count > 0) {
        const int vertex = pop(heap, &count);
        const WEIGHT own = above[vertex];
        above[vertex] = INF;
        const int index = index_of[vertex];
        if (index >= 0) {
            if (!is_set[index])
                vstore16((Side)INF, (size_t)index, dist);
            is_set[index] = 1;
            dist[(size_t)index * LANES + lane] = own;
        }
        const OFFSET last = first_up[vertex + 1];
        for (OFFSET edge = first_up[vertex]; edge < last; ++edge) {
            const Edge next = up_edges[edge];
            const WEIGHT sum = own + next.weight, known = above[next.target];
            if (sum < known) {
                above[next.target] = sum;
                if (known == INF)
                    push(heap, &count, next.target);
            }
        }
    }
}

// Each work-item climbs from the sources of a batch, sweeps, and writes their rows.
__kernel void solve_batches(__global const OFFSET *restrict first_up, __global const Edge *restrict up_edges,
                            __global const OFFSET *restrict first, __global const Edge *restrict edges,
                            __global const int *restrict index_of, __global const int *restrict targets,
                            __global const int *restrict sources, __global RESULT *restrict results,
                            __global WEIGHT *restrict above, __global int *restrict heap,
                            __global WEIGHT *restrict dist, __global uchar *restrict is_set, const uint n,
                            const uint length, const uint target_count, const uint first_row, const uint rows)
{
    const size_t worker = get_global_id(0), row = first_row + worker * LANES;
    if (row >= rows)
        return;
    const uint lanes = min((uint)LANES, (uint)(rows - row));
    __global WEIGHT *own = dist + worker * length * LANES;
    __global uchar *set = is_set + worker * length;
    for (uint lane = 0; lane < lanes; ++lane)
        climb_from(sources[row + lane], lane, first_up, up_edges, index_of, above + worker * n, heap + worker * n, own,
                   set);
    for (size_t index = length; index-- > 0;) {
        Side nearest = set[index] ? vload16(index, own) : (Side)INF;
        set[index] = 0;
        const OFFSET last = first[index + 1];
        for (OFFSET edge = first[index]; edge < last; ++edge)
            nearest = min(nearest, vload16((size_t)edges[edge].target, own) + edges[edge].weight);
        vstore16(nearest, index, own);
    }
    for (size_t begin = 0; begin < target_count; begin += BLOCK) {
        const size_t end = min(begin + BLOCK, (size_t)target_count);
        for (uint lane = 0; lane < lanes; ++lane) {
            __global RESULT *out = results + (row + lane) * target_count;
            for (size_t target = begin; target < end; ++target)
                out[target] = result_of(own[(size_t)targets[target] * LANES + lane]);
        }
    }
}

// Climbs from a source and, against the edges, from a target, until they meet, and lists the edges between.
//   above    i/o  (2, n) INF, before and after
//   scratch  local to the work-item, (6, n)
//   meeting  out  where the shortest path is highest, or -1; how many of its edges lead up, and down; then these, up from
//                 the highest vertex back to the source, and down from it back to the target
//   weight   out  of the path; INF if there is none
__kernel void meet(__global const OFFSET *restrict first_up, __global const Edge *restrict up_edges,
                   __global const OFFSET *restrict first_down, __global const Edge *restrict down_edges,
                   __global WEIGHT *restrict above, __global int *restrict scratch, __global int *restrict meeting,
                   __global WEIGHT *restrict weight, const uint n, const int source, const int target)
{
    __global int *heap = scratch, *order = scratch + n;
    WEIGHT best = INF;
    int highest = -1;
    uint reached = 0;
    for (uint side = 0; side < 2; ++side) {
        __global const OFFSET *first = side == 0 ? first_up : first_down;
        __global const Edge *edges = side == 0 ? up_edges : down_edges;
        __global WEIGHT *own = above + (size_t)side * n;
        __global int *before = scratch + (2 + 2 * side) * (size_t)n, *by = before + n;
        const int start = side == 0 ? source : target;
        uint count = 0;
        own[start] = 0;
        before[start] = -1;
        push(heap, &count, start);
        while (count > 0) {
            const int vertex = pop(heap, &count);
            const WEIGHT dist = own[vertex];
            if (side == 0) {
                order[reached++] = vertex;
            } else {
                own[vertex] = INF;
                if (dist + above[vertex] < best) {
                    best = dist + above[vertex];
                    highest = vertex;
                }
                if (dist >= best)
                    continue;
            }
            const OFFSET last = first[vertex + 1];
            for (OFFSET edge = first[vertex]; edge < last; ++edge) {
                const Edge next = edges[edge];
                const WEIGHT sum = dist + next.weight, known = own[next.target];
                if (sum < known) {
                    own[next.target] = sum;
                    before[next.target] = vertex;
                    by[next.target] = (int)edge;
                    if (known == INF)
                        push(heap, &count, next.target);
                }
            }
        }
    }
    while (reached > 0)
        above[order[--reached]] = INF;
    meeting[0] = highest;
    *weight = best;
    uint listed = 0;
    for (uint side = 0; side < 2; ++side) {
        __global const int *before = scratch + (2 + 2 * side) * (size_t)n, *by = before + n;
        const uint begin = listed;
        for (int vertex = highest; vertex >= 0 && before[vertex] >= 0; vertex = before[vertex])
            meeting[3 + listed++] = by[vertex];
        meeting[1 + side] = (int)(listed - begin);
    }
}
