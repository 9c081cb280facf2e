// Breadth-first search from one vertex in the order of a queue, by one work-item.
//
// Source:       the search of every textbook; the order is that of SciPy's breadth_first_order.
// NDRange:      search (1); the others a work-item for each PIECE of vertices; work-group (1). A launch of search ends after
//               about `budget` edges, and the next one goes on from there.
// Local memory: none.
// Macros:       PIECE, a multiple of MARKS; POINTER, type of row pointers, and INDEX, of columns: int or long
//               (traversal/queue.cl); PREFETCH_BUILT_IN (core/prefetch.cl).
//   indptr        in   (n + 1) row pointers
//   indices       in   (m) columns, which a vertex looks at as they come
//   marks         i/o  (n / MARKS, rounded up) traversal/queue.cl
//   queue         out  (n + BLOCK) the vertices in the order in which they are reached; what follows is written in vain
//   ends          i/o  (n) traversal/queue.cl
//   predecessors  out  (n) the vertex that put each of those in the queue there, but for the first
//   level_ends    i/o  (n) where each level ends in the queue
//   distances     out  (n) the level of each vertex; infinity if it is not reached; where there is double precision
//   state         i/o  [HEAD]: vertices of the queue that have been looked at; [TAIL]: those in the queue; [LEVEL]: the
//                      last one whose end is known; [END]: that end

#if !defined(PIECE) || !defined(POINTER) || !defined(INDEX)
#error "traversal/queue_order.cl needs the macros PIECE, POINTER and INDEX"
#endif

#include "core/language.cl"
#include "core/prefetch.cl"
#include "traversal/queue.cl"

#if PIECE % MARKS
#error "PIECE has to be a multiple of MARKS: no two work-items write to one word of marks"
#endif

#define HEAD 0
#define LEVEL 1
#define END 2
#define TAIL 3
#define LOOK_AHEAD 32  // vertices

WORK_GROUP(1, 1, 1)
__kernel void begin(__global ulong *restrict marks, __global int *restrict queue, __global uint *restrict level_ends,
                    __global uint *restrict state, const uint start, const uint n)
{
    const size_t first = get_global_id(0) * PIECE, last = min(first + PIECE, (size_t)n);
    for (size_t word = first / MARKS; MARKS * word < last; ++word)
        marks[word] = word == start / MARKS ? 1ul << start % MARKS : 0;
    if (first == 0) {
        queue[0] = start;
        level_ends[0] = 1;
        state[HEAD] = state[LEVEL] = 0;
        state[END] = state[TAIL] = 1;
    }
}

WORK_GROUP(1, 1, 1)
__kernel void search(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                     __global ulong *restrict marks, __global int *restrict queue, __global uint *restrict ends,
                     __global uint *restrict level_ends, __global uint *restrict state, const ulong budget)
{
    size_t head = state[HEAD], tail = state[TAIL];
    uint level = state[LEVEL], level_end = state[END];
    for (ulong edges = 0; head < tail && edges < budget; ++head) {
        if (head + LOOK_AHEAD < tail) {
            PREFETCH(&indptr[queue[head + LOOK_AHEAD]]);
            const int soon = queue[head + LOOK_AHEAD / 2];
            PREFETCH(&indices[indptr[soon]]);
            PREFETCH(&indices[indptr[soon + 1] - 1]);  // most rows lie in one cache line or two
        }
        if (head == level_end)
            level_ends[++level] = level_end = (uint)tail;
        const int vertex = queue[head];
        const POINTER first = indptr[vertex], last = indptr[vertex + 1];
        edges += 1 + last - first;
        tail = append_all(indices, first, last, marks, queue, tail);
        ends[head] = (uint)tail;
    }
    state[HEAD] = (uint)head;
    state[LEVEL] = level;
    state[END] = level_end;
    state[TAIL] = (uint)tail;
}

// Of vertices that can be reached.
WORK_GROUP(1, 1, 1)
__kernel void write_predecessors(__global const int *restrict queue, __global const uint *restrict ends,
                                 __global int *restrict predecessors, const uint count)
{
    const size_t first = get_global_id(0) * PIECE, last = min(first + PIECE, (size_t)count);
    size_t place = first == 0 ? 1 : ends[first - 1];  // the first entry is the start
    for (size_t i = first; i < last; ++i)
        for (; place < ends[i]; ++place)
            predecessors[queue[place]] = queue[i];
}

#ifdef cl_khr_fp64
WORK_GROUP(1, 1, 1)
__kernel void clear_distances(__global double *restrict distances, const uint n)
{
    const size_t first = get_global_id(0) * PIECE, last = min(first + PIECE, (size_t)n);
    for (size_t vertex = first; vertex < last; ++vertex)
        distances[vertex] = INFINITY;
}

WORK_GROUP(1, 1, 1)
__kernel void write_distances(__global const int *restrict queue, __global const uint *restrict level_ends,
                              __global double *restrict distances, const uint last_level, const uint count)
{
    const size_t first = get_global_id(0) * PIECE, last = min(first + PIECE, (size_t)count);
    uint level = 0;
    for (uint above = last_level; level < above;) {  // the first level that ends behind `first`
        const uint middle = level + (above - level) / 2;
        if (level_ends[middle] > first)
            above = middle;
        else
            level = middle + 1;
    }
    for (size_t i = first; i < last; ++i) {
        level += i == level_ends[level];
        distances[queue[i]] = level;
    }
}
#endif
