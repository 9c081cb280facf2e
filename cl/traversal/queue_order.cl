// Breadth-first search from one vertex in the order of a queue, by one work-item.
//
// Source:       the search of every textbook; the order is that of SciPy's breadth_first_order.
// NDRange:      search (1); begin and write_predecessors a work-item for each PIECE of vertices; work-group (1). A launch
//               of search ends after about `budget` edges, and the next one goes on from there.
// Local memory: none.
// Macros:       PIECE; POINTER, type of row pointers, and INDEX, of columns: int or long;
//               PREFETCH_BUILT_IN (core/prefetch.cl).
//   indptr        in   (n + 1) row pointers
//   indices       in   (m) columns, which a vertex looks at as they come
//   seen          i/o  (n) whether each vertex is in the queue
//   queue         out  (n + 1) the vertices in the order in which they are reached; the last entry is written in vain
//   parents       i/o  (n + 1) the vertex that put each of these into the queue
//   predecessors  out  (n) the same by vertex; NO_VERTEX if there is none
//   state         i/o  [HEAD]: vertices of the queue that have been looked at; [TAIL]: those in the queue

#if !defined(PIECE) || !defined(POINTER) || !defined(INDEX)
#error "traversal/queue_order.cl needs the macros PIECE, POINTER and INDEX"
#endif

#include "core/language.cl"
#include "core/no_vertex.cl"
#include "core/prefetch.cl"

#define HEAD 0
#define TAIL 1
#define LOOK_AHEAD 16  // vertices

WORK_GROUP(1, 1, 1)
__kernel void begin(__global uchar *restrict seen, __global int *restrict queue, __global int *restrict predecessors,
                    __global uint *restrict state, const uint start, const uint n)
{
    const size_t first = get_global_id(0) * PIECE, last = min(first + PIECE, (size_t)n);
    for (size_t vertex = first; vertex < last; ++vertex) {
        seen[vertex] = vertex == start;
        predecessors[vertex] = NO_VERTEX;
    }
    if (first == 0) {
        queue[0] = start;
        state[HEAD] = 0;
        state[TAIL] = 1;
    }
}

// Whether a vertex has been reached before cannot be foreseen: without a branch, each edge writes an entry, and the next
// one replaces it if it was in vain.
WORK_GROUP(1, 1, 1)
__kernel void search(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                     __global uchar *restrict seen, __global int *restrict queue, __global int *restrict parents,
                     __global uint *restrict state, const ulong budget)
{
    uint head = state[HEAD], tail = state[TAIL];
    for (ulong edges = 0; head < tail && edges < budget; ++head) {
        if (head + LOOK_AHEAD < tail) {
            PREFETCH(&indptr[queue[head + LOOK_AHEAD]]);
            PREFETCH(&indices[indptr[queue[head + LOOK_AHEAD / 2]]]);
        }
        const int vertex = queue[head];
        const POINTER first = indptr[vertex], last = indptr[vertex + 1];
        edges += 1 + last - first;
        for (POINTER entry = first; entry < last; ++entry) {
            const INDEX next = indices[entry];
            queue[tail] = (int)next;
            parents[tail] = vertex;
            tail += !seen[next];
            seen[next] = 1;
        }
    }
    state[HEAD] = head;
    state[TAIL] = tail;
}

WORK_GROUP(1, 1, 1)
__kernel void write_predecessors(__global const int *restrict queue, __global const int *restrict parents,
                                 __global int *restrict predecessors, const uint count)
{
    const size_t first = get_global_id(0) * PIECE, last = min(first + PIECE, (size_t)count);
    for (size_t i = max(first, (size_t)1); i < last; ++i)  // the first entry is the start
        predecessors[queue[i]] = parents[i];
}
