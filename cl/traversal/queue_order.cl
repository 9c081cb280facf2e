// Breadth-first search from one vertex in the order of a queue, by one work-item.
//
// Source:       the search of every textbook; the order is that of SciPy's breadth_first_order.
// NDRange:      search (1); the others a work-item for each PIECE of vertices; work-group (1). A launch of search ends after
//               about `budget` edges, and the next one goes on from there.
// Local memory: none.
// Macros:       PIECE, a multiple of 32; POINTER, type of row pointers, and INDEX, of columns: int or long;
//               PREFETCH_BUILT_IN (core/prefetch.cl).
//   indptr        in   (n + 1) row pointers
//   indices       in   (m) columns, which a vertex looks at as they come
//   marks         i/o  (n / 32, rounded up) a bit for each vertex: whether it is in the queue
//   queue         out  (n + BLOCK) the vertices in the order in which they are reached; what follows is written in vain
//   parents       i/o  (n + 1) the vertex that put each of these into the queue
//   predecessors  out  (n) the same by vertex; NO_VERTEX if there is none
//   ends          i/o  (n) where each level ends in the queue
//   distances     out  (n) the level of each vertex; infinity if it is not reached; where there is double precision
//   state         i/o  [HEAD]: vertices of the queue that have been looked at; [TAIL]: those in the queue; [LEVEL]: the
//                      last one whose end is known; [END]: that end

#if !defined(PIECE) || !defined(POINTER) || !defined(INDEX)
#error "traversal/queue_order.cl needs the macros PIECE, POINTER and INDEX"
#endif
#if PIECE % 32
#error "PIECE has to be a multiple of 32: no two work-items write to one word of marks"
#endif

#include "core/language.cl"
#include "core/no_vertex.cl"
#include "core/prefetch.cl"

#define HEAD 0
#define LEVEL 1
#define END 2
#define TAIL 3
#define LOOK_AHEAD 32  // vertices
#define BLOCK 64       // edges
#define FEW 6          // edges

WORK_GROUP(1, 1, 1)
__kernel void begin(__global uint *restrict marks, __global int *restrict queue, __global uint *restrict ends,
                    __global uint *restrict state, const uint start, const uint n)
{
    const size_t first = get_global_id(0) * PIECE, last = min(first + PIECE, (size_t)n);
    for (size_t word = first / 32; 32 * word < last; ++word)
        marks[word] = word == start / 32 ? 1u << start % 32 : 0;
    if (first == 0) {
        queue[0] = start;
        ends[0] = 1;
        state[HEAD] = state[LEVEL] = 0;
        state[END] = state[TAIL] = 1;
    }
}

inline uint is_marked(__global const uint *marks, const uint vertex)
{
    return marks[vertex / 32] >> vertex % 32 & 1;
}

// Write a vertex to the end of the queue, and return the new end, which is the old one if it has been in the queue.
inline uint append(const uint vertex, const int parent, __global uint *marks, __global int *queue,
                   __global int *parents, const uint tail)
{
    const uint mask = 1u << vertex % 32, word = marks[vertex / 32];
    queue[tail] = (int)vertex;
    parents[tail] = parent;
    marks[vertex / 32] = word | mask;
    return tail + !(word & mask);
}

// Whether a vertex has been reached before cannot be foreseen: without a branch, each edge writes an entry, and the next
// one replaces it if it was in vain. Where a vertex has more than a few edges, marks are only read at first, so that no
// edge waits for the one before, and written for what is left.
WORK_GROUP(1, 1, 1)
__kernel void search(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                     __global uint *restrict marks, __global int *restrict queue, __global int *restrict parents,
                     __global uint *restrict ends, __global uint *restrict state, const ulong budget)
{
    uint head = state[HEAD], tail = state[TAIL], level = state[LEVEL], level_end = state[END];
    for (ulong edges = 0; head < tail && edges < budget; ++head) {
        if (head + LOOK_AHEAD < tail) {
            PREFETCH(&indptr[queue[head + LOOK_AHEAD]]);
            const int soon = queue[head + LOOK_AHEAD / 2];
            PREFETCH(&indices[indptr[soon]]);
            PREFETCH(&indices[indptr[soon + 1] - 1]);  // most rows lie in one cache line or two
        }
        if (head == level_end)
            ends[++level] = level_end = tail;
        const int vertex = queue[head];
        const POINTER first = indptr[vertex], last = indptr[vertex + 1];
        edges += 1 + last - first;
        if (last - first < FEW) {
            for (POINTER entry = first; entry < last; ++entry)
                tail = append((uint)indices[entry], vertex, marks, queue, parents, tail);
            continue;
        }
        for (POINTER begin = first; begin < last; begin += BLOCK) {
            const POINTER end = min(begin + BLOCK, last);
            uint new = tail;
            for (POINTER entry = begin; entry < end; ++entry) {
                queue[new] = (int)indices[entry];
                new += !is_marked(marks, (uint)indices[entry]);
            }
            for (uint i = tail, count = new - tail; count; ++i, --count)
                tail = append((uint)queue[i], vertex, marks, queue, parents, tail);  // it may occur twice
        }
    }
    state[HEAD] = head;
    state[LEVEL] = level;
    state[END] = level_end;
    state[TAIL] = tail;
}

WORK_GROUP(1, 1, 1)
__kernel void clear_predecessors(__global int *restrict predecessors, const uint n)
{
    const size_t first = get_global_id(0) * PIECE, last = min(first + PIECE, (size_t)n);
    for (size_t vertex = first; vertex < last; ++vertex)
        predecessors[vertex] = NO_VERTEX;
}

WORK_GROUP(1, 1, 1)
__kernel void write_predecessors(__global const int *restrict queue, __global const int *restrict parents,
                                 __global int *restrict predecessors, const uint count)
{
    const size_t first = get_global_id(0) * PIECE, last = min(first + PIECE, (size_t)count);
    for (size_t i = max(first, (size_t)1); i < last; ++i)  // the first entry is the start
        predecessors[queue[i]] = parents[i];
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
__kernel void write_distances(__global const int *restrict queue, __global const uint *restrict ends,
                              __global double *restrict distances, const uint last_level, const uint count)
{
    const size_t first = get_global_id(0) * PIECE, last = min(first + PIECE, (size_t)count);
    uint level = 0;
    for (uint above = last_level; level < above;) {  // the first level that ends behind `first`
        const uint middle = level + (above - level) / 2;
        if (ends[middle] > first)
            above = middle;
        else
            level = middle + 1;
    }
    for (size_t i = first; i < last; ++i) {
        level += i == ends[level];
        distances[queue[i]] = level;
    }
}
#endif
