// Breadth-first search from one vertex in the order of a queue, by one work-item, which a second one may help.
//
// Source:       the search of every textbook; the order is that of SciPy's breadth_first_order.
// NDRange:      search (1) or (2); the others a work-item for each PIECE of vertices; work-group (1). A launch of search ends
//               after about `budget` edges, and the next one goes on from there.
// Local memory: none.
// Macros:       PIECE, a multiple of 32; POINTER, type of row pointers, and INDEX, of columns: int or long; ATOMIC_LOADS,
//               1: words that the other work-item writes meanwhile are read by atomic operations; 0: by plain loads;
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
//   turn          local to the kernels: (TURN_WORDS) what the two work-items tell each other
//   own_marks, own_list, own_parents
//                 local to the kernels: as marks, queue and parents, of the second work-item
//   window        vertices that are looked at before the budget is
//   worth_help    the fewest of which the second work-item takes half
//
// Vertices that are in the queue are looked at in windows. The second work-item lists what is new to it in the second half of
// a window, while the first one appends what is new in the first half; then that one appends what it has not found itself.
// So the order is that of one work-item. Nothing says that work-groups run at the same time: the one that begins first is
// the first, and it only waits for what the other has taken on, which therefore runs. What one has written the other
// reads behind fences, in the order in which it was written: of processors that keep the order of stores.

#if !defined(PIECE) || !defined(POINTER) || !defined(INDEX) || !defined(ATOMIC_LOADS)
#error "traversal/queue_order.cl needs the macros PIECE, POINTER, INDEX and ATOMIC_LOADS"
#endif
#if PIECE % 32
#error "PIECE has to be a multiple of 32: no two work-items write to one word of marks"
#endif

#if ATOMIC_LOADS
#define LOAD(word) atomic_or(word, 0u)
#else
#define LOAD(word) (*(volatile __global uint *)(word))
#endif

#include "core/language.cl"
#include "core/no_vertex.cl"
#include "core/prefetch.cl"

#define HEAD 0
#define LEVEL 1
#define END 2
#define TAIL 3
#define LOOK_AHEAD 32     // vertices
#define BLOCK 64          // edges
#define FEW 6             // edges
#define PATIENCE 1000000  // looks for something to do, about a millisecond

// Words that the two write in turn, in cache lines of their own.
#define BEGUN 0    // how many work-items have
#define TURN 32    // whose it is, as follows
#define MIDDLE 64  // the half of a window
#define STOP 65
#define UNKNOWN 66  // vertices of the queue that the second work-item may not know of
#define UNKNOWN_STOP 67
#define FOUND 96  // how many vertices it has listed
#define TURN_WORDS 128

#define FIRST_ALONE 0
#define HALF_OFFERED 1
#define HALF_TAKEN 2
#define HALF_DONE 3
#define OVER 4  // the first launch; 5: the second one, and so on

WORK_GROUP(1, 1, 1)
__kernel void begin(__global uint *restrict marks, __global int *restrict queue, __global uint *restrict ends,
                    __global uint *restrict state, __global uint *restrict turn, __global uint *restrict own_marks,
                    const uint start, const uint n)
{
    const size_t first = get_global_id(0) * PIECE, last = min(first + PIECE, (size_t)n);
    for (size_t word = first / 32; 32 * word < last; ++word) {
        marks[word] = word == start / 32 ? 1u << start % 32 : 0;
        own_marks[word] = 0;
    }
    if (first == 0) {
        turn[BEGUN] = 0;
        turn[TURN] = FIRST_ALONE;
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

// Looks at the edges of vertices `head` to `end`-1 of the queue, and lists vertices that are new. Returns the end of the
// list, and adds up the edges.
//
// Whether a vertex has been reached before cannot be foreseen: without a branch, each edge writes an entry, and the next
// one replaces it if it was in vain. Where a vertex has more than a few edges, marks are only read at first, so that no
// edge waits for the one before, and written for what is left.
inline uint look(__global const POINTER *indptr, __global const INDEX *indices, __global const int *queue, uint head,
                 const uint end, const uint ahead, __global uint *marks, __global int *list, __global int *parents,
                 uint tail, ulong *edges)
{
    for (; head < end; ++head) {
        if (head + LOOK_AHEAD < ahead) {
            PREFETCH(&indptr[queue[head + LOOK_AHEAD]]);
            const int soon = queue[head + LOOK_AHEAD / 2];
            PREFETCH(&indices[indptr[soon]]);
            PREFETCH(&indices[indptr[soon + 1] - 1]);  // most rows lie in one cache line or two
        }
        const int vertex = queue[head];
        const POINTER first = indptr[vertex], last = indptr[vertex + 1];
        *edges += 1 + last - first;
        if (last - first < FEW) {
            for (POINTER entry = first; entry < last; ++entry)
                tail = append((uint)indices[entry], vertex, marks, list, parents, tail);
            continue;
        }
        for (POINTER begin = first; begin < last; begin += BLOCK) {
            const POINTER stop = min(begin + BLOCK, last);
            uint new = tail;
            for (POINTER entry = begin; entry < stop; ++entry) {
                list[new] = (int)indices[entry];
                new += !is_marked(marks, (uint)indices[entry]);
            }
            for (uint i = tail, count = new - tail; count; ++i, --count)
                tail = append((uint)list[i], vertex, marks, list, parents, tail);  // it may occur twice
        }
    }
    return tail;
}

// Takes over halves of windows until the launch is over, or there has been none for long.
void help(__global const POINTER *indptr, __global const INDEX *indices, __global const int *queue,
          __global uint *marks, __global int *list, __global int *parents, __global uint *turn, const uint over)
{
    for (uint looks = 0; looks < PATIENCE; ++looks) {
        const uint now = LOAD(&turn[TURN]);
        if (now == over)
            return;
        if (now != HALF_OFFERED || atomic_cmpxchg(&turn[TURN], HALF_OFFERED, HALF_TAKEN) != HALF_OFFERED)
            continue;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        const uint stop = turn[STOP], unknown_stop = turn[UNKNOWN_STOP];
        for (uint i = turn[UNKNOWN]; i < unknown_stop; ++i)
            marks[queue[i] / 32] |= 1u << queue[i] % 32;
        ulong edges = 0;
        turn[FOUND] = look(indptr, indices, queue, turn[MIDDLE], stop, stop, marks, list, parents, 0, &edges);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_xchg(&turn[TURN], HALF_DONE);
        looks = 0;
    }
}

WORK_GROUP(1, 1, 1)
__kernel void search(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                     __global uint *restrict marks, __global int *queue, __global int *parents,
                     __global uint *restrict ends, __global uint *restrict state, __global uint *turn,
                     __global uint *own_marks, __global int *own_list, __global int *own_parents, const uint window,
                     const uint worth_help, const ulong budget)
{
    const uint others = get_global_size(0) - 1, ticket = atomic_inc(&turn[BEGUN]), over = OVER + (ticket >> others);
    if (ticket & others) {
        help(indptr, indices, queue, own_marks, own_list, own_parents, turn, over);
        return;
    }
    uint head = state[HEAD], tail = state[TAIL], level = state[LEVEL], level_end = state[END];
    uint unknown = 0, unknown_stop = tail;
    for (ulong edges = 0; head < tail && edges < budget;) {
        if (head == level_end)
            ends[++level] = level_end = tail;
        const uint end = min(level_end, head + window);
        if (others == 0 || end - head < worth_help) {
            tail = look(indptr, indices, queue, head, end, tail, marks, queue, parents, tail, &edges);
            unknown_stop = tail;
        } else {
            const uint middle = head + (end - head) / 2, before = tail;
            turn[MIDDLE] = middle;
            turn[STOP] = end;
            turn[UNKNOWN] = unknown;
            turn[UNKNOWN_STOP] = unknown_stop;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(&turn[TURN], HALF_OFFERED);
            tail = look(indptr, indices, queue, head, middle, tail, marks, queue, parents, tail, &edges);
            unknown_stop = tail;
            if (atomic_cmpxchg(&turn[TURN], HALF_OFFERED, FIRST_ALONE) == HALF_OFFERED) {
                tail = look(indptr, indices, queue, middle, end, tail, marks, queue, parents, tail, &edges);
                unknown_stop = tail;
            } else {
                while (LOAD(&turn[TURN]) != HALF_DONE)
                    ;
                atomic_xchg(&turn[TURN], FIRST_ALONE);  // behind which no compiler reads what it has read before
                mem_fence(CLK_GLOBAL_MEM_FENCE);
                const uint found = turn[FOUND];
                for (uint i = 0; i < found; ++i)
                    tail = append((uint)own_list[i], own_parents[i], marks, queue, parents, tail);
                unknown = before;
            }
        }
        head = end;
    }
    state[HEAD] = head;
    state[LEVEL] = level;
    state[END] = level_end;
    state[TAIL] = tail;
    atomic_xchg(&turn[TURN], over);
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
