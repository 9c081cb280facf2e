// Breadth-first search by frontiers: top-down, level after level, the edges of each shared out by the ladder of balance/.
//
// Source:       Busato and Bombieri (2017), section 2.1, and 5 for the ladder; Merrill, Garland and Grimshaw, "Scalable GPU
//               Graph Traversal" (2012), for prefix sums of the degrees of a frontier.
// NDRange:      begin: global n; settle: any; expand: any global size, several times if there are many edges, work-group
//               (GROUP_SIZE).
// Local memory: expand: LADDER_WORDS (balance/ladder.cl) + GROUP_SIZE * FOUND + 2 words of 32 bits.
// Macros:       FOUND, vertices that a work-item has found before it looks for room in the queue; LADDER and other macros of
//               balance/ladder.cl; that of traversal/bfs_direction.cl.
//
// The vertices of a level stand in the queue behind those of the level before. A level is
//   - settle: its vertices get their level, and their edges are counted
//   - the exclusive scan of these counts, of as many as the frontier has vertices, and one more (reedsp/primitives/scan.py)
//   - expand: an edge offers its source to each vertex that has no level yet. The smallest one stays, which is the
//     predecessor, and the work-item that finds that there was none before brings the vertex into the queue.
//
//   first_edge, targets  in   (n + 1), (m) successors of each vertex
//   queue                i/o  (n) vertices in the order of their levels
//   levels               i/o  (n) -1 = not reached, or found by the last level
//   predecessors         i/o  (n) NO_PREDECESSOR for the source and where not reached
//   prefixes             i/o  (n + 1) edges of each vertex of the frontier and, behind them, 0; then their prefix sums
//   ends                 i/o  (PHASES) where a level ends in the queue: word `phase` of this one, and the next word of what
//                             it finds; the word before is where it begins
//   sizes                i/o  (1) how many vertices the frontier has
//   counts               i/o  (1) how many prefix sums, one more
//   updates, phase       i/o  whether the last level has found vertices, and this one does; see core/rounds.cl
//   plan, turn           in   what the rung of the ladder has prepared for these edges
//   first, last          which of the frontier's edges expand takes, by their numbers
//
// In a launch of expand no work-item writes levels, and of the queue only what is behind the frontier.

#ifndef FOUND
#error "traversal/frontier.cl needs the macro FOUND"
#endif
#if FOUND < 1
#error "traversal/frontier.cl: FOUND has to be at least 1"
#endif

#include "core/language.cl"
#include "core/rounds.cl"
#include "traversal/bfs_direction.cl"

#define PHASES 3

#define BEFORE(phase) (((phase) + PHASES - 1) % PHASES)
#define AFTER(phase) (((phase) + 1) % PHASES)

__kernel void begin(__global uint *restrict queue, __global int *restrict levels, __global uint *restrict predecessors,
                    __global uint *restrict ends, __global uint *restrict updates, const uint source, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n) {
        levels[vertex] = -1;
        predecessors[vertex] = NO_PREDECESSOR;
    }
    if (vertex == 0) {
        queue[0] = source;
        ends[0] = 1;
        ends[BEFORE(0)] = 0;
        updates[0] = 1;
        updates[1] = updates[2] = updates[ROUNDS_RUN] = 0;
    }
}

__kernel void settle(__global const OFFSET *restrict first_edge, __global const uint *restrict queue,
                     __global int *restrict levels, __global OFFSET *restrict prefixes, __global uint *restrict ends,
                     __global uint *restrict sizes, __global uint *restrict counts, __global uint *restrict updates,
                     const uint phase, const int level)
{
    const uint start = ends[BEFORE(phase)], size = ends[phase] - start;
    if (get_global_id(0) == 0) {
        ends[AFTER(phase)] = ends[phase];
        *sizes = size;
        *counts = size + 1;
        prefixes[size] = 0;
        prepare_next_round(updates, phase);
    }
    const size_t stride = (size_t)RUN * get_global_size(0);
    for (size_t run = (size_t)RUN * get_global_id(0); run < size; run += stride) {
        const size_t stop = min(run + RUN, (size_t)size);
        for (size_t item = run; item < stop; ++item) {
            const uint vertex = queue[start + item];
            levels[vertex] = level;
            prefixes[item] = first_edge[vertex + 1] - first_edge[vertex];
        }
    }
}

// What a work-item of expand works with, and what it has found.
typedef struct {
    __global const OFFSET *first_edge;
    __global const int *targets;
    __global const uint *frontier;
    __global uint *queue;
    __global const int *levels;
    __global uint *predecessors;
    __global const OFFSET *prefixes;
    __global uint *end;
    __local uint *found;  // of all work-items, that of this one in each GROUP_SIZE-th word
    uint *count;
} Expansion;

#define BALANCED Expansion
#include "balance/ladder.cl"

// Writes what a work-item has found to the queue.
void append(const Expansion *what, const uint place)
{
    for (uint number = 0; number < *what->count; ++number)
        what->queue[place + number] = what->found[number * GROUP_SIZE];
    *what->count = 0;
}

void visit(const Expansion *what, const uint item, const ulong first, const ulong end, const uint stride)
{
    const uint source = what->frontier[item];
    const ulong shift = (ulong)what->first_edge[source] - what->prefixes[item];  // from its number to an edge's offset
    for (ulong number = first; number < end; number += stride) {
        const uint target = (uint)what->targets[number + shift];
        if (what->levels[target] < 0 && atomic_min(&what->predecessors[target], source) == NO_PREDECESSOR) {
            if (*what->count == FOUND)
                append(what, atomic_add(what->end, FOUND));
            what->found[(*what->count)++ * GROUP_SIZE] = target;
        }
    }
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void expand(__global const OFFSET *restrict first_edge, __global const int *restrict targets,
                     __global uint *queue, __global const int *restrict levels, __global uint *restrict predecessors,
                     __global const OFFSET *restrict prefixes, __global uint *restrict ends,
                     __global const uint *restrict sizes, __global uint *restrict updates,
                     __global const uint *restrict plan, const uint phase, const uint turn, const ulong first,
                     const ulong last)
{
#if LADDER_WORDS
    __local uint words[LADDER_WORDS];
#else
    __local uint *words = 0;
#endif
    __local uint found[GROUP_SIZE * FOUND], together, room;
    const uint own = get_local_id(0);
    uint count = 0;
    const Expansion what = {
        first_edge,   targets,  queue + ends[BEFORE(phase)], queue,       levels,
        predecessors, prefixes, &ends[AFTER(phase)],         found + own, &count,
    };
    const Items items = items_of(prefixes, *sizes, first, last);
    if (own == 0)
        together = 0;
    share_out(&what, &items, plan, turn, words);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint place = count == 0 ? 0 : atomic_add(&together, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own == 0 && together > 0) {
        room = atomic_add(&ends[AFTER(phase)], together);
        report_update(updates, phase);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (count > 0)
        append(&what, room + place);
}
