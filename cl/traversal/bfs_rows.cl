// Breadth-first search from several sources, for GPUs: each work-group finds one row after the other by itself.
//
// Source:       level by level with a queue, as Merrill, Garland and Grimshaw, "Scalable GPU Graph Traversal" (2012), a
//               work-group a source as in Ma, Agrawal and Chamberlain (2012, section III.D); the tree is that of
//               traversal/bfs_work_groups.cl.
// NDRange:      global GROUP_SIZE times the number of work-groups; work-group (GROUP_SIZE). A launch ends when each
//               work-group has looked at about `budget` edges, and the next one goes on from there.
// Local memory: (3 * sizeof(OFFSET) + 4) * GROUP_SIZE bytes and two words.
// Macros:       GROUP_SIZE, work-items of a work-group; that of traversal/bfs_direction.cl.
//   first_edge, targets  in   (n + 1), (m) successors of each vertex, ascending
//   starts               in   (rows) the source of each row
//   answers              out  (rows, 2, n) levels, -1 = not reached; and predecessors, NO_PREDECESSOR for the source and
//                             where not reached
//   queues               i/o  (work-groups, n) vertices in the order of their levels
//   counters             i/o  core/rows.cl: steps are levels
//   paused               i/o  (work-groups, PAUSED_WORDS) zeros at first: a row to go on with + 1, where its level begins
//                             and ends in the queue, and which one it is
//
// Levels are written at the end of a level only, so that none is read that is written meanwhile.

#ifndef GROUP_SIZE
#error "traversal/bfs_rows.cl needs GROUP_SIZE"
#endif

#include "core/language.cl"
#include "core/rows.cl"
#include "traversal/bfs_direction.cl"
#define NUMBER OFFSET
#include "traversal/deal_out.cl"

#define PAUSED_WORDS 4
#define SET_AT_ONCE 16  // vertices that are set to "not reached" in the time in which an edge is looked at

// What the work-items of a work-group share.
typedef struct {
    OFFSET first[GROUP_SIZE];    // edge of each vertex
    OFFSET ends[2][GROUP_SIZE];  // edges of the vertices up to each, the second time for the scan
    uint source[GROUP_SIZE];
    uint found, row;
} Shared;

// Appends what is found from at most GROUP_SIZE vertices, whose edges are spread evenly over the work-items, to `found`,
// behind what is there. Returns the number of their edges.
ulong search_from(__global const uint *vertices, const uint count, __global const OFFSET *restrict first_edge,
                  __global const int *restrict targets, __global const int *levels, __global uint *predecessors,
                  __global uint *found, __local Shared *shared)
{
    const uint item = get_local_id(0);
    OFFSET edges = 0;
    if (item < count) {
        const uint vertex = vertices[item];
        shared->source[item] = vertex;
        shared->first[item] = first_edge[vertex];
        edges = first_edge[vertex + 1] - first_edge[vertex];
    }
    __local const OFFSET *ends = ends_of(edges, shared->ends);
    const ulong total = ends[GROUP_SIZE - 1];
    for (ulong edge = item; edge < total; edge += GROUP_SIZE) {
        const uint place = place_of((OFFSET)edge, ends, count);
        const OFFSET before = place == 0 ? 0 : ends[place - 1];
        const uint target = (uint)targets[shared->first[place] + ((OFFSET)edge - before)];
        if (levels[target] < 0 && atomic_min(&predecessors[target], shared->source[place]) == NO_PREDECESSOR)
            found[atomic_inc(&shared->found)] = target;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return total;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void search_rows(__global const OFFSET *restrict first_edge, __global const int *restrict targets,
                          __global const uint *restrict starts, __global int *answers, __global uint *queues,
                          __global uint *restrict counters, __global uint *restrict paused, const ulong budget,
                          const uint n, const uint rows)
{
    __local Shared shared;
    const uint item = get_local_id(0);
    __global uint *own = paused + get_group_id(0) * (size_t)PAUSED_WORDS;
    __global uint *queue = queues + get_group_id(0) * (size_t)n;
    uint resumed = own[0], head = own[1], tail = own[2], level = own[3];
    ulong work = 0;
    uint searched = 0;  // levels in this launch

    // All work-items take the same way, and come to the same barriers.
    while (true) {
        if (item == 0)
            shared.row = resumed ? resumed - 1 : atomic_inc(&counters[ROWS_BEGUN]);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        const uint row = shared.row;
        if (row >= rows)
            break;
        __global int *levels = answers + row * (size_t)2 * n;
        __global uint *predecessors = (__global uint *)(levels + n);
        if (!resumed) {
            const uint start = starts[row];
            for (uint vertex = item; vertex < n; vertex += GROUP_SIZE) {
                levels[vertex] = vertex == start ? 0 : -1;
                predecessors[vertex] = NO_PREDECESSOR;
            }
            if (item == 0)
                queue[0] = start;
            head = level = 0;
            tail = 1;
            work += n / SET_AT_ONCE;
        }
        resumed = 0;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        do {
            if (item == 0)
                shared.found = 0;
            for (uint first = head; first < tail; first += GROUP_SIZE)
                work += search_from(queue + first, min((uint)GROUP_SIZE, tail - first), first_edge, targets, levels,
                                    predecessors, queue + tail, &shared);
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            const uint found = shared.found;
            ++level;
            ++searched;
            for (uint place = item; place < found; place += GROUP_SIZE)
                levels[queue[tail + place]] = (int)level;
            head = tail;
            tail += found;
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        } while (head < tail && work < budget);
        if (head < tail) {
            resumed = row + 1;
            break;
        }
        if (item == 0)
            atomic_inc(&counters[ROWS_DONE]);
    }
    if (item == 0) {
        atomic_add(&counters[STEPS], searched);
        own[0] = resumed;
        own[1] = head;
        own[2] = tail;
        own[3] = level;
    }
}
