// Breadth-first search from one vertex in the order of a queue, level after level, for GPUs.
//
// Source:       our own. The order is that of SciPy's breadth_first_order, which is that of every textbook's queue: a
//               vertex belongs to the first one in the queue that leads to it, and those of one vertex stand as its row
//               has them.
// NDRange:      begin: n; search_alone and add_up: one work-group; claim, count and append: a work-group for each
//               GROUP_SIZE vertices of the level; work-group (GROUP_SIZE).
// Local memory: search_alone: VERTICES * GROUP_SIZE * (5 + sizeof(POINTER)) bytes and (GROUP_SIZE + GROUP_SIZE / 16)
//               words; the others (2 * GROUP_SIZE + GROUP_SIZE / 16) words and GROUP_SIZE row pointers; and a few words
//               more.
// Macros:       GROUP_SIZE, a multiple of 32;
//               POINTER, type of row pointers, and INDEX, of columns: int or long;
//               VERTICES, vertices of a level for each work-item, up to which one work-group searches alone;
//               DEGREE_ALONE, edges of each of them, at most 64;
//               ATOMIC_LOADS, 1: claims that others lower meanwhile are not looked at before, as plain loads may be torn.
//
// search_alone does small levels, one after the other. Where one is large, or has a vertex of many edges, claim, count,
// add_up and append do it, one behind the other, the edges of GROUP_SIZE vertices spread over the work-items.
//   indptr        in   (n + 1) row pointers
//   indices       in   (m) columns, none of them twice in a row
//   claims        i/o  (n) one more than the place in the queue of the first vertex that leads to each; 0 for the
//                      start, UINT_MAX where none does
//   queue         i/o  (n) the vertices in the order in which they are reached
//   predecessors  i/o  (n) NO_VERTEX if there is none
//   counts        i/o  one for each work-group: the vertices that it finds, then those that are found before them
//   state         i/o  [HEAD]: place of the level in the queue; [TAIL]: vertices in the queue; [LEVELS] searched so far;
//                      [TOO_LARGE]: whether the next level is not for one work-group

#if !defined(GROUP_SIZE) || !defined(POINTER) || !defined(INDEX) || !defined(VERTICES) || !defined(DEGREE_ALONE) || \
    !defined(ATOMIC_LOADS)
#error "queue_levels.cl needs the macros GROUP_SIZE, POINTER, INDEX, VERTICES, DEGREE_ALONE and ATOMIC_LOADS"
#endif
#if GROUP_SIZE % 32 || DEGREE_ALONE > 64
#error "traversal/queue_levels.cl: GROUP_SIZE has to be a multiple of 32, and DEGREE_ALONE at most 64"
#endif

#include "core/language.cl"
#include "core/no_vertex.cl"

#define HEAD 0
#define TAIL 1
#define LEVELS 2
#define TOO_LARGE 3

#define MOST_ALONE (VERTICES * GROUP_SIZE)
#define EDGES 4
#define SEGMENTS (GROUP_SIZE / 32)
#define SLOT(item) ((item) + (item) / 32)  // so that the work-items that add up segments look at different banks

// What the work-items of a work-group add up together.
typedef struct {
    uint values[SLOT(GROUP_SIZE)];
    uint sums[SEGMENTS];
} Sums;

// Returns the sum of what the work-items before this one give, and that of all. There is a barrier to be passed before
// the same memory is used again.
uint sum_before(const uint value, __local Sums *shared, uint *total)
{
    const uint item = get_local_id(0);
    shared->values[SLOT(item)] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < SEGMENTS) {
        uint sum = 0;
#pragma unroll
        for (uint i = 0; i < 32; ++i)
            sum += shared->values[SLOT(32 * item + i)];
        shared->sums[item] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = 0, all = 0;
#pragma unroll
    for (uint i = 0; i < 32; ++i)
        before += i < item % 32 ? shared->values[SLOT(item / 32 * 32 + i)] : 0;
#pragma unroll
    for (uint segment = 0; segment < SEGMENTS; ++segment) {
        before += segment < item / 32 ? shared->sums[segment] : 0;
        all += shared->sums[segment];
    }
    *total = all;
    return before;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void begin(__global uint *restrict claims, __global int *restrict queue, __global int *restrict predecessors,
                    __global uint *restrict state, const uint start, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n) {
        claims[vertex] = vertex == start ? 0 : UINT_MAX;
        predecessors[vertex] = NO_VERTEX;
    }
    if (vertex == 0) {
        queue[0] = (int)start;
        state[HEAD] = state[LEVELS] = state[TOO_LARGE] = 0;
        state[TAIL] = 1;
    }
}

// Up to EDGES edges of a vertex, at which a work-item looks together.
typedef struct {
    INDEX ends[EDGES];
} Ends;

// The ends of the edges from `first` on; where there are fewer, the last one again.
Ends ends_of(__global const INDEX *restrict indices, const POINTER first, const POINTER last)
{
    Ends found;
#pragma unroll
    for (uint edge = 0; edge < EDGES; ++edge)
        found.ends[edge] = first < last ? indices[min(first + (POINTER)edge, last - 1)] : 0;
    return found;
}

// A level of the queue: where the edges of each vertex begin, and how many they are, at most one more than DEGREE_ALONE.
typedef struct {
    int vertices[MOST_ALONE];
    POINTER first[MOST_ALONE];
    uchar counts[MOST_ALONE];
} Level;

uchar count_of(const POINTER first, const POINTER last)
{
    return (uchar)min(last - first, (POINTER)DEGREE_ALONE + 1);
}

void put(__local Level *level, const uint place, const int vertex, const POINTER first, const uchar count)
{
    if (place < MOST_ALONE) {
        level->vertices[place] = vertex;
        level->first[place] = first;
        level->counts[place] = count;
    }
}

// Searches small levels until there are none, or `most_levels` are done. A work-item has up to VERTICES vertices next to
// each other in the queue, and looks at the first EDGES edges of all of these together, because each look takes long;
// where the edges of their ends begin, which the next level needs to know, at the same time as it claims them. What it
// keeps of them is in registers only where the loops are unrolled.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void search_alone(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                           volatile __global uint *restrict claims, __global int *restrict queue,
                           __global int *restrict predecessors, __global uint *restrict state, const uint most_levels)
{
    __local Sums sums;
    __local Level level;
    __local uint has_hub;
    const uint item = get_local_id(0);
    uint head = state[HEAD], tail = state[TAIL], levels = 0;
    if (item == 0)
        has_hub = 0;
    for (uint i = item; i < MOST_ALONE && head + i < tail; i += GROUP_SIZE) {
        const int vertex = queue[head + i];
        put(&level, i, vertex, indptr[vertex], count_of(indptr[vertex], indptr[vertex + 1]));
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    while (levels < most_levels && head < tail && tail - head <= MOST_ALONE) {
        const uint each = (tail - head + GROUP_SIZE - 1) / GROUP_SIZE, first_place = head + item * each;
        int vertices[VERTICES];
        POINTER first[VERTICES], last[VERTICES];
        Ends ends[VERTICES];
        POINTER next_first[VERTICES][EDGES];  // of the ends
        uchar next_counts[VERTICES][EDGES];
#pragma unroll
        for (uint v = 0; v < VERTICES; ++v) {
            if (v < each) {
                const bool is_there = first_place + v < tail;
                vertices[v] = is_there ? level.vertices[first_place + v - head] : 0;
                first[v] = is_there ? level.first[first_place + v - head] : 0;
                last[v] = first[v] + (POINTER)(is_there ? level.counts[first_place + v - head] : 0);
            }
        }
#pragma unroll
        for (uint v = 0; v < VERTICES; ++v)
            if (v < each)
                ends[v] = ends_of(indices, first[v], last[v]);
#pragma unroll
        for (uint v = 0; v < VERTICES; ++v) {
            if (v < each) {
#pragma unroll
                for (uint edge = 0; edge < EDGES; ++edge)
                    if (first[v] + (POINTER)edge < last[v])
                        atomic_min(&claims[ends[v].ends[edge]], first_place + v + 1);
                if (last[v] - first[v] > DEGREE_ALONE)
                    atomic_xchg(&has_hub, 1u);
                else
                    for (POINTER entry = first[v] + EDGES; entry < last[v]; ++entry)
                        atomic_min(&claims[indices[entry]], first_place + v + 1);
            }
        }
#pragma unroll
        for (uint v = 0; v < VERTICES; ++v) {
            if (v < each) {
#pragma unroll
                for (uint edge = 0; edge < EDGES; ++edge) {
                    const INDEX end = ends[v].ends[edge];
                    next_first[v][edge] = indptr[end];
                    next_counts[v][edge] = count_of(indptr[end], indptr[end + 1]);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (has_hub)
            break;
        ulong won[VERTICES];  // a bit for each edge
        uint count = 0, found;
#pragma unroll
        for (uint v = 0; v < VERTICES; ++v) {
            if (v < each) {
                uint owners[EDGES];
#pragma unroll
                for (uint edge = 0; edge < EDGES; ++edge)
                    owners[edge] = claims[ends[v].ends[edge]];
                won[v] = 0;
#pragma unroll
                for (uint edge = 0; edge < EDGES; ++edge)
                    if (first[v] + (POINTER)edge < last[v])
                        won[v] |= (ulong)(owners[edge] == first_place + v + 1) << edge;
            }
        }
#pragma unroll
        for (uint v = 0; v < VERTICES; ++v) {
            if (v < each) {
                for (POINTER entry = first[v] + EDGES; entry < last[v]; ++entry)
                    won[v] |= (ulong)(claims[indices[entry]] == first_place + v + 1) << (entry - first[v]);
                count += (uint)popcount(won[v]);
            }
        }
        uint to = sum_before(count, &sums, &found);
#pragma unroll
        for (uint v = 0; v < VERTICES; ++v) {
            if (v < each) {
#pragma unroll
                for (uint edge = 0; edge < EDGES; ++edge) {
                    if (won[v] >> edge & 1) {
                        const int end = (int)ends[v].ends[edge];
                        queue[tail + to] = end;
                        predecessors[end] = vertices[v];
                        put(&level, to, end, next_first[v][edge], next_counts[v][edge]);
                        ++to;
                    }
                }
                won[v] >>= EDGES;
                for (POINTER entry = first[v] + EDGES; won[v]; ++entry, won[v] >>= 1) {
                    if (won[v] & 1) {
                        const int end = (int)indices[entry];
                        queue[tail + to] = end;
                        predecessors[end] = vertices[v];
                        put(&level, to, end, indptr[end], count_of(indptr[end], indptr[end + 1]));
                        ++to;
                    }
                }
            }
        }
        head = tail;
        tail += found;
        ++levels;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    if (item == 0) {
        state[HEAD] = head;
        state[TAIL] = tail;
        state[LEVELS] += levels;
        state[TOO_LARGE] = has_hub || tail - head > MOST_ALONE;
    }
}

// The edges that leave the vertices of a work-group, one after the other.
typedef struct {
    POINTER first[GROUP_SIZE];
    uint ends[GROUP_SIZE];  // the edges of the vertices up to each
    uint total;
} Edges;

// Fills in the edges of the vertices of this work-group, and returns where the first of these stands in the queue.
uint spread(__global const POINTER *restrict indptr, __global const int *restrict queue,
            __global const uint *restrict state, __local Edges *edges, __local Sums *sums)
{
    const uint item = get_local_id(0), first_place = state[HEAD] + (uint)get_group_id(0) * GROUP_SIZE;
    const uint place = first_place + item;
    uint count = 0, total;
    if (place < state[TAIL]) {
        edges->first[item] = indptr[queue[place]];
        count = (uint)(indptr[queue[place] + 1] - edges->first[item]);
    }
    edges->ends[item] = count + sum_before(count, sums, &total);
    if (item == 0)
        edges->total = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    return first_place;
}

// Returns the vertex of an edge by its number in the work-group, and the edge itself.
uint origin_of(const uint edge, __local const Edges *edges, POINTER *entry)
{
    uint vertex = 0, last = GROUP_SIZE - 1;  // look for the first one that ends behind the edge
    while (vertex < last) {
        const uint middle = (vertex + last) / 2;
        if (edges->ends[middle] > edge)
            last = middle;
        else
            vertex = middle + 1;
    }
    *entry = edges->first[vertex] + (POINTER)(edge - (vertex == 0 ? 0 : edges->ends[vertex - 1]));
    return vertex;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void claim(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                    __global const int *restrict queue, volatile __global uint *restrict claims,
                    __global const uint *restrict state)
{
    __local Edges edges;
    __local Sums sums;
    const uint first_place = spread(indptr, queue, state, &edges, &sums);
    for (uint edge = get_local_id(0); edge < edges.total; edge += GROUP_SIZE) {
        POINTER entry;
        const uint place = first_place + origin_of(edge, &edges, &entry);
#if !ATOMIC_LOADS
        if (claims[indices[entry]] <= place + 1)  // most edges lead back, or to what is claimed already
            continue;
#endif
        atomic_min(&claims[indices[entry]], place + 1);
    }
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void count(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                    __global const int *restrict queue, __global const uint *restrict claims,
                    __global uint *restrict counts, __global const uint *restrict state)
{
    __local Edges edges;
    __local Sums sums;
    const uint first_place = spread(indptr, queue, state, &edges, &sums);
    uint won = 0, total;
    for (uint edge = get_local_id(0); edge < edges.total; edge += GROUP_SIZE) {
        POINTER entry;
        const uint place = first_place + origin_of(edge, &edges, &entry);
        won += claims[indices[entry]] == place + 1;
    }
    sum_before(won, &sums, &total);
    if (get_local_id(0) == 0)
        counts[get_group_id(0)] = total;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void add_up(__global uint *restrict counts, const uint groups)
{
    __local Sums sums;
    uint before = 0;
    for (uint first = 0; first < groups; first += GROUP_SIZE) {
        const uint group = first + get_local_id(0);
        uint total;
        const uint sum = sum_before(group < groups ? counts[group] : 0, &sums, &total);
        if (group < groups)
            counts[group] = before + sum;
        before += total;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (get_local_id(0) == 0)
        counts[groups] = before;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void append(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                     __global int *restrict queue, __global const uint *restrict claims,
                     __global const uint *restrict counts, __global int *restrict predecessors,
                     __global const uint *restrict state)
{
    __local Edges edges;
    __local Sums sums;
    const uint first_place = spread(indptr, queue, state, &edges, &sums);
    uint to = state[TAIL] + counts[get_group_id(0)];
    for (uint first = 0; first < edges.total; first += GROUP_SIZE) {
        const uint edge = first + get_local_id(0);
        uint won = 0, place = 0, found;
        POINTER entry = 0;
        if (edge < edges.total) {
            place = first_place + origin_of(edge, &edges, &entry);
            won = claims[indices[entry]] == place + 1;
        }
        const uint before = sum_before(won, &sums, &found);
        if (won) {
            queue[to + before] = (int)indices[entry];
            predecessors[indices[entry]] = queue[place];
        }
        to += found;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// After the others, because these read where the level stands.
WORK_GROUP(1, 1, 1)
__kernel void next_level(__global const uint *restrict counts, __global uint *restrict state, const uint groups)
{
    state[HEAD] = state[TAIL];
    state[TAIL] += counts[groups];
    state[LEVELS] += 1;
    state[TOO_LARGE] = state[TAIL] - state[HEAD] > MOST_ALONE;
}
