// Breadth-first search by work-groups, for GPUs: top-down with a queue, bottom-up with one bit a vertex.
//
// Source:       Beamer, Asanovic and Patterson, "Direction-Optimizing Breadth-First Search" (2012); Merrill, Garland
//               and Grimshaw, "Scalable GPU Graph Traversal" (2012), for spreading edges over a work-group; the tree is
//               that of shortest paths in which every edge weighs 1.
// NDRange:      begin: global n rounded up to GROUP_SIZE; search and settle, one behind the other again and again: any
//               number of work-groups; work-group (GROUP_SIZE).
// Local memory: search: (4 + sizeof(OFFSET) / 4 + 2 * EDGES_PER_ITEM) * GROUP_SIZE words and a few more.
// Macros:       GROUP_SIZE, work-items of a work-group, a power of two from 32 on; PIECE, largest number of edges of a
//               piece, and of those that a work-item looks at bottom-up before its work-group helps; EDGES_PER_ITEM,
//               edges that a work-item looks at between two barriers; SMALL, number of pieces up to which one
//               work-group searches alone unless they have many edges, level after level, MOST_LEVELS of them in one
//               launch; that of traversal/bfs_direction.cl.
//
// A queue holds the edges of a vertex in pieces of PIECE, each the number of the piece above the vertex, so that the
// edges of a hub are spread over many work-groups. A vertex without edges is one piece, too.
//   first_edge, targets  in   (n + 1), (m) successors of each vertex, ascending
//   first_in, sources    in   (n + 1), (m) predecessors of each vertex, ascending
//   levels               i/o  (n) -1 = not reached
//   predecessors         i/o  (n) NO_PREDECESSOR for the source and where not reached
//   queues               i/o  (2, capacity) the pieces of even levels, and of odd ones
//   visited              i/o  (words of 32) one bit for each vertex reached before the last level that was searched
//                             top-down; not kept while the search goes bottom-up
//   frontiers            i/o  (2, words) bottom-up: one bit for each vertex of an even level, and of an odd one
//   control              i/o  (CONTROL_WORDS)
//
// Nothing that one work-group writes is read by another one in the same launch, but for words that are changed and
// read by the same atomic operation: search reads HERE and writes SEARCHED, settle reads SEARCHED and writes HERE.

#if !defined(GROUP_SIZE) || !defined(PIECE) || !defined(EDGES_PER_ITEM) || !defined(SMALL) || !defined(MOST_LEVELS)
#error "traversal/bfs_work_groups.cl needs GROUP_SIZE, PIECE, EDGES_PER_ITEM, SMALL and MOST_LEVELS"
#endif
#if GROUP_SIZE < 32 || GROUP_SIZE & (GROUP_SIZE - 1)
#error "traversal/bfs_work_groups.cl: GROUP_SIZE has to be a power of two from 32 on"
#endif

#include "core/language.cl"
#include "traversal/bfs_direction.cl"
#define NUMBER uint
#include "traversal/deal_out.cl"

#define GROUP_WORDS (GROUP_SIZE / 32)
#define LIST (GROUP_SIZE * EDGES_PER_ITEM)
#define NOWHERE 0xFFFFFFFFu

#define PIECE_OF(vertex, number) ((ulong)(number) << 32 | (vertex))
#define VERTEX_OF(piece) ((uint)(piece))
#define NUMBER_OF(piece) ((uint)((piece) >> 32))

// Words of control: where the search stands before search, and before settle;
#define HERE 0
#define SEARCHED 5
#define STEP 0
#define LEVEL 1       // that is searched from; after search, the last one
#define UNEXPLORED 2  // edges that leave vertices which are not reached yet, in the unit of `counted`
#define BOTTOM_UP_LEVELS 3
#define UNREACHED 4  // vertices: where there are none, no launch has to find that out
// what a work-group that searched alone has found, and whether there was one;
#define FOUND_ALONE 10
// and how much there is of an even level, and of an odd one.
#define COUNTS(level) (14 + ((level) & 1) * 4)
#define VERTICES 0
#define EDGES 1  // in the unit of `counted`
#define PIECES 2
#define ALONE 3
#define EDGE_FACTOR 22  // of bottom_up_pays
#define LAUNCHES 23     // of settle that had something to do
#define CONTROL_WORDS 24

// Steps.
#define TOP_DOWN 0
#define BOTTOM_UP 1
#define DONE 2

// A number of edges in a unit in which all edges of the graph can be counted by 32 bits.
uint counted(const OFFSET edges)
{
    return sizeof(OFFSET) == 4 ? (uint)edges : (uint)(edges / 16 + (edges % 16 != 0));
}

uint pieces_of(const OFFSET edges)
{
    return max(1u, (uint)(edges / PIECE) + (edges % PIECE != 0));
}

// Whether one work-group does a level faster than it takes to launch another kernel.
bool is_small(const uint pieces, const uint edges)
{
    return pieces <= SMALL && edges <= 8 * SMALL;
}

uint less(const uint from, const uint amount)
{
    return from - min(from, amount);
}

bool bit_of(__global const uint *words, const uint vertex)
{
    return words[vertex / 32] >> (vertex % 32) & 1;
}

__kernel void begin(__global const OFFSET *restrict first_edge, __global int *restrict levels,
                    __global uint *restrict predecessors, __global ulong *restrict queues,
                    __global uint *restrict visited, __global uint *restrict control, const uint source,
                    const uint edge_factor, const uint n)
{
    const size_t vertex = get_global_id(0);
    const OFFSET edges = first_edge[source + 1] - first_edge[source];
    if (vertex < n) {
        levels[vertex] = vertex == source ? 0 : -1;
        predecessors[vertex] = NO_PREDECESSOR;
    }
    if (vertex * 32 < n)
        visited[vertex] = vertex == source / 32 ? 1u << (source % 32) : 0;
    if (vertex < pieces_of(edges))
        queues[vertex] = PIECE_OF(source, vertex);
    if (vertex == 0) {
        for (uint word = 0; word < CONTROL_WORDS; ++word)
            control[word] = 0;
        control[EDGE_FACTOR] = edge_factor;
        control[HERE + STEP] = TOP_DOWN;
        control[HERE + UNEXPLORED] = less(counted(first_edge[n]), counted(edges));
        control[HERE + UNREACHED] = n - 1;
        control[COUNTS(0) + EDGES] = counted(edges);
        control[COUNTS(0) + PIECES] = pieces_of(edges);
    }
}

// What the work-items of a work-group share while they search top-down.
typedef struct {
    OFFSET first[GROUP_SIZE];  // edge of each piece
    uint source[GROUP_SIZE];
    uint ends[2][GROUP_SIZE];  // edges of the pieces up to each, the second time for the scan
    uint list[LIST];           // vertices found
    uint offsets[LIST];        // of their pieces
    uint found, edges, pieces, reserved;
} TopDown;

// Searches from at most GROUP_SIZE pieces, whose edges are spread evenly over the work-items, and appends what is found
// to the queue of the next level, which other work-groups append to as well unless this one is alone. Each work-item
// adds what its work-group has found to `totals`: VERTICES, EDGES and PIECES.
//
// The minimum source that reaches a vertex is its predecessor. The one that came first, and therefore finds none before
// it, brings the vertex into the queue.
void search_from(__global const ulong *pieces, const uint count, __global const OFFSET *restrict first_edge,
                 __global const int *restrict targets, __global int *levels, __global uint *predecessors,
                 __global ulong *next_queue, __global uint *queued, const bool alone, __global const uint *visited,
                 const uint level, uint *totals, __local TopDown *shared)
{
    const uint item = get_local_id(0);
    uint edges = 0;
    if (item < count) {
        const uint source = VERTEX_OF(pieces[item]);
        const OFFSET first = first_edge[source] + (OFFSET)NUMBER_OF(pieces[item]) * PIECE;
        edges = (uint)min((OFFSET)PIECE, first_edge[source + 1] - first);
        shared->first[item] = first;
        shared->source[item] = source;
    }
    __local const uint *ends = ends_of(edges, shared->ends);
    const uint total = ends[GROUP_SIZE - 1];
    uint start = 0;
    do {
        if (item == 0)
            shared->found = shared->edges = shared->pieces = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint stop = min(start + LIST, total);
        for (uint edge = start + item; edge < stop; edge += GROUP_SIZE) {
            const uint piece = place_of(edge, ends, count);
            const uint before = piece == 0 ? 0 : ends[piece - 1];
            const uint target = (uint)targets[shared->first[piece] + (edge - before)];
            if (!bit_of(visited, target) && atomic_min(&predecessors[target], shared->source[piece]) == NO_PREDECESSOR)
                shared->list[atomic_inc(&shared->found)] = target;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint found = shared->found;
        for (uint index = item; index < found; index += GROUP_SIZE) {
            const uint vertex = shared->list[index];
            const OFFSET own = first_edge[vertex + 1] - first_edge[vertex];
            levels[vertex] = (int)level + 1;
            shared->offsets[index] = atomic_add(&shared->pieces, pieces_of(own));
            atomic_add(&shared->edges, counted(own));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == 0 && found > 0)
            shared->reserved = alone ? totals[PIECES] : atomic_add(queued, shared->pieces);
        totals[VERTICES] += found;
        totals[EDGES] += shared->edges;
        totals[PIECES] += shared->pieces;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint index = item; index < found; index += GROUP_SIZE) {
            const uint vertex = shared->list[index];
            const uint own = pieces_of(first_edge[vertex + 1] - first_edge[vertex]);
            for (uint piece = 0; piece < own; ++piece)
                next_queue[shared->reserved + shared->offsets[index] + piece] = PIECE_OF(vertex, piece);
        }
        start += LIST;
    } while (start < total);
}

void mark_visited(__global const ulong *queue, const uint pieces, __global uint *visited, const size_t first,
                  const size_t step)
{
    for (size_t index = first; index < pieces; index += step) {
        const uint vertex = VERTEX_OF(queue[index]);
        if (NUMBER_OF(queue[index]) == 0)
            atomic_or(&visited[vertex / 32], 1u << (vertex % 32));
    }
}

// What the work-items of a work-group share while they search bottom-up.
typedef struct {
    uint words[GROUP_WORDS];   // bits of the vertices found
    uint waiting[GROUP_SIZE];  // vertices with many edges
    uint waiters, nearest, found, edges;
} BottomUp;

void reach(const uint vertex, const uint predecessor, const uint level, __global const OFFSET *restrict first_edge,
           __global int *levels, __global uint *predecessors, __local BottomUp *shared)
{
    levels[vertex] = (int)level + 1;
    predecessors[vertex] = predecessor;
    atomic_or(&shared->words[vertex % GROUP_SIZE / 32], 1u << (vertex % 32));
    atomic_inc(&shared->found);
    atomic_add(&shared->edges, counted(first_edge[vertex + 1] - first_edge[vertex]));
}

// Each work-item looks for the predecessor of one vertex: the first among its sources that is in the last level.
void search_to(__global const OFFSET *restrict first_edge, __global const OFFSET *restrict first_in,
               __global const int *restrict sources, __global int *levels, __global uint *predecessors,
               __global const uint *last_level, __global uint *next_level, __global uint *counts, const uint level,
               const uint n, __local BottomUp *shared)
{
    const uint item = get_local_id(0);
    if (item == 0) {
        shared->found = 0;
        shared->edges = 0;
    }
    for (size_t base = get_group_id(0) * (size_t)GROUP_SIZE; base < n; base += get_num_groups(0) * (size_t)GROUP_SIZE) {
        const size_t vertex = base + item;
        if (item < GROUP_WORDS)
            shared->words[item] = 0;
        if (item == 0)
            shared->waiters = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (vertex < n && levels[vertex] < 0) {
            OFFSET edge = first_in[vertex];
            const OFFSET last = first_in[vertex + 1], stop = last - edge > PIECE ? edge + PIECE : last;
            while (edge < stop && !bit_of(last_level, (uint)sources[edge]))
                ++edge;
            if (edge < stop)
                reach((uint)vertex, (uint)sources[edge], level, first_edge, levels, predecessors, shared);
            else if (stop < last)
                shared->waiting[atomic_inc(&shared->waiters)] = (uint)vertex;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        // All of the work-group goes through the other edges of a vertex.
        for (uint waiter = 0; waiter < shared->waiters; ++waiter) {
            const uint waiting = shared->waiting[waiter];
            const OFFSET last = first_in[waiting + 1];
            OFFSET chunk = first_in[waiting] + PIECE;
            uint nearest = NOWHERE;
            while (nearest == NOWHERE && chunk < last) {
                if (item == 0)
                    shared->nearest = NOWHERE;
                barrier(CLK_LOCAL_MEM_FENCE);
                const uint length = (uint)min((OFFSET)LIST, last - chunk);
                for (uint index = item; index < length; index += GROUP_SIZE) {
                    if (bit_of(last_level, (uint)sources[chunk + index])) {
                        atomic_min(&shared->nearest, index);
                        break;
                    }
                }
                barrier(CLK_LOCAL_MEM_FENCE);
                nearest = shared->nearest;
                if (nearest == NOWHERE)
                    chunk += length;
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            if (nearest != NOWHERE && waiting == vertex)
                reach(waiting, (uint)sources[chunk + nearest], level, first_edge, levels, predecessors, shared);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < GROUP_WORDS && base + 32 * item < n)
            next_level[base / 32 + item] = shared->words[item];
    }
    if (item == 0 && shared->found > 0) {
        atomic_add(&counts[VERTICES], shared->found);
        atomic_add(&counts[EDGES], shared->edges);
    }
}

// Searches one level, or, as long as there is little to do, several.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void search(__global const OFFSET *restrict first_edge, __global const int *restrict targets,
                     __global const OFFSET *restrict first_in, __global const int *restrict sources,
                     __global int *levels, __global uint *predecessors, __global ulong *queues, __global uint *visited,
                     __global uint *frontiers, __global uint *control, const uint capacity, const uint n)
{
    __local union {
        TopDown top_down;
        BottomUp bottom_up;
    } shared;
    const size_t words = n / 32 + (n % 32 != 0);
    const uint step = control[HERE + STEP];
    uint level = control[HERE + LEVEL], unexplored = control[HERE + UNEXPLORED], unreached = control[HERE + UNREACHED];
    uint pieces = control[COUNTS(level) + PIECES];
    const bool alone = step == TOP_DOWN && is_small(pieces, control[COUNTS(level) + EDGES]);
    uint totals[3] = {0, 0, 0};
    if (alone && get_group_id(0) == 0) {
        uint rounds = 0;
        bool again = true;
        while (again) {
            __global const ulong *queue = queues + (level & 1) * (size_t)capacity;
            __global ulong *next_queue = queues + (1 - (level & 1)) * (size_t)capacity;
            totals[VERTICES] = totals[EDGES] = totals[PIECES] = 0;
            for (uint first = 0; first < pieces; first += GROUP_SIZE)
                search_from(queue + first, min((uint)GROUP_SIZE, pieces - first), first_edge, targets, levels,
                            predecessors, next_queue, 0, true, visited, level, totals, &shared.top_down);
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            pieces = totals[PIECES];
            const uint rest = less(unexplored, totals[EDGES]);
            ++rounds;
            again = 0 < pieces && is_small(pieces, totals[EDGES]) && rounds < MOST_LEVELS &&
                    !bottom_up_pays(totals[EDGES], rest, control[EDGE_FACTOR], n);
            if (again) {
                // What settle does otherwise.
                mark_visited(next_queue, pieces, visited, get_local_id(0), GROUP_SIZE);
                unexplored = rest;
                unreached -= totals[VERTICES];
                ++level;
                barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            }
        }
    } else if (step == TOP_DOWN && !alone) {
        const uint groups = (uint)get_num_groups(0);
        const uint share = min(1 + (pieces - 1) / groups, (uint)GROUP_SIZE);
        __global const ulong *queue = queues + (level & 1) * (size_t)capacity;
        __global uint *counts = control + COUNTS(level + 1);
        for (size_t first = get_group_id(0) * (size_t)share; first < pieces; first += (size_t)groups * share)
            search_from(queue + first, (uint)min((size_t)share, pieces - first), first_edge, targets, levels,
                        predecessors, queues + (1 - (level & 1)) * (size_t)capacity, counts + PIECES, false, visited,
                        level, totals, &shared.top_down);
        if (get_local_id(0) == 0 && totals[VERTICES] > 0) {
            atomic_add(&counts[VERTICES], totals[VERTICES]);
            atomic_add(&counts[EDGES], totals[EDGES]);
        }
    } else if (step == BOTTOM_UP) {
        search_to(first_edge, first_in, sources, levels, predecessors, frontiers + (level & 1) * words,
                  frontiers + (1 - (level & 1)) * words, control + COUNTS(level + 1), level, n, &shared.bottom_up);
    }
    if (get_global_id(0) == 0) {
        control[SEARCHED + STEP] = step;
        control[SEARCHED + LEVEL] = level;
        control[SEARCHED + UNEXPLORED] = unexplored;
        control[SEARCHED + UNREACHED] = unreached;
        control[SEARCHED + BOTTOM_UP_LEVELS] = control[HERE + BOTTOM_UP_LEVELS] + (step == BOTTOM_UP);
        control[FOUND_ALONE + ALONE] = alone;
        if (alone)
            for (uint word = 0; word < ALONE; ++word)
                control[FOUND_ALONE + word] = totals[word];
    }
}

// Ends a level: chooses the direction of the next one, and writes down the level in the way that this direction needs.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void settle(__global const OFFSET *restrict first_edge, __global const int *restrict levels,
                     __global ulong *restrict queues, __global uint *restrict visited,
                     __global uint *restrict frontiers, __global uint *restrict control, const uint capacity,
                     const uint n)
{
    __local uint words[GROUP_WORDS];
    __local uint pieces, reserved;
    const uint item = get_local_id(0), step = control[SEARCHED + STEP];
    const uint searched = control[SEARCHED + LEVEL], level = searched + (step != DONE);
    const bool alone = control[FOUND_ALONE + ALONE];
    __global uint *counts = control + (alone ? FOUND_ALONE : COUNTS(level));
    const uint found = step == DONE ? 0 : counts[VERTICES], edges = counts[EDGES];
    const uint unexplored = less(control[SEARCHED + UNEXPLORED], edges);
    const bool pays = bottom_up_pays(edges, unexplored, control[EDGE_FACTOR], n);
    const uint unreached = control[SEARCHED + UNREACHED] - found;
    const uint next = found == 0 || unreached == 0 ? DONE : pays ? BOTTOM_UP : TOP_DOWN;
    queues += (level & 1) * (size_t)capacity;
    if (step == TOP_DOWN && next == TOP_DOWN) {
        mark_visited(queues, counts[PIECES], visited, get_global_id(0), get_global_size(0));
    } else if (step != next && next != DONE) {
        // From one direction to the other: bits of the level, or a queue of its pieces and bits of all before it.
        __global uint *bits = next == BOTTOM_UP ? frontiers + (level & 1) * (n / 32 + (n % 32 != 0)) : visited;
        for (size_t base = get_group_id(0) * (size_t)GROUP_SIZE; base < n;
             base += get_num_groups(0) * (size_t)GROUP_SIZE) {
            const size_t vertex = base + item;
            if (item < GROUP_WORDS)
                words[item] = 0;
            if (item == 0)
                pieces = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            const int own = vertex < n ? levels[vertex] : -1;
            const bool in_level = own == (int)level;
            if (next == BOTTOM_UP ? in_level : own >= 0)
                atomic_or(&words[item / 32], 1u << (item % 32));
            const bool queued = next == TOP_DOWN && in_level;
            const uint own_pieces = queued ? pieces_of(first_edge[vertex + 1] - first_edge[vertex]) : 0;
            const uint index = queued ? atomic_add(&pieces, own_pieces) : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item < GROUP_WORDS && base + 32 * item < n)
                bits[base / 32 + item] = words[item];
            if (item == 0 && pieces > 0)
                reserved = atomic_add(&counts[PIECES], pieces);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint piece = 0; piece < own_pieces; ++piece)
                queues[reserved + index + piece] = PIECE_OF(vertex, piece);
        }
    }
    if (get_global_id(0) == 0) {
        control[HERE + STEP] = next;
        control[HERE + LEVEL] = level;
        control[HERE + UNEXPLORED] = unexplored;
        control[HERE + UNREACHED] = unreached;
        control[HERE + BOTTOM_UP_LEVELS] = control[SEARCHED + BOTTOM_UP_LEVELS];
        if (step != DONE) {
            control[LAUNCHES] += 1;
            control[COUNTS(searched) + VERTICES] = control[COUNTS(searched) + EDGES] =
                control[COUNTS(searched) + PIECES] = 0;
        }
        if (alone) {
            control[COUNTS(level) + EDGES] = counts[EDGES];
            control[COUNTS(level) + PIECES] = counts[PIECES];
        }
    }
}
