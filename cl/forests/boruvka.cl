// Boruvka's algorithm for GPUs, on a list of edges that gets shorter from round to round.
//
// Source:       Boruvka (1926); one list for the edges between trees, two kernels a round: Fallin, Gonzalez, Seo and
//               Burtscher, "A High-Performance MST Implementation for GPUs" (2023).
// NDRange:      any number of work-groups (GROUP_SIZE).
// Local memory: shorten: 8 bytes.
// Macros:       those of forests/keys.cl; ATOMICS_64, 1: the device has 64-bit atomic operations;
//               GROUP_SIZE; core/loads.cl.
//
// A round: `shorten` leaves the edges whose ends are in different trees, and begins to find the first in order that
// leaves each tree; `lower` goes on with the next words of the order; `join` chooses these edges and joins the trees.
// Since no two edges are equal, these joins close no cycle, in whatever order they are done.
//   edges   in   a list; tail and head are trees of an earlier round
//   left    out  the same without edges inside of trees, in any order
//   counts  i/o  by round: edges of the list that the round has begun with
//   best    i/o  (2, WORDS, n) the first edge that leaves each tree, word by word; those of even and of odd rounds
//   parent  i/o  (n) trees: a vertex on the way to the root of its tree, which is its own; never a larger one
//   chosen  i/o  (m) by place: 1 for edges of the forest

#if !defined(ATOMICS_64) || !defined(GROUP_SIZE)
#error "forests/boruvka.cl needs the macros ATOMICS_64 and GROUP_SIZE"
#endif

#include "core/loads.cl"
#include "forests/keys.cl"

#if ATOMICS_64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
typedef ulong Word;
#define NO_WORD ULONG_MAX
#define MINIMUM(word, value) atom_min(word, value)
#else
typedef uint Word;
#define NO_WORD UINT_MAX
#define MINIMUM(word, value) atomic_min(word, value)
#endif

// Lower a word. Most attempts are in vain, and where a load can tell there is no need for them.
void lower_to(volatile __global Word *word, const Word value)
{
#if ATOMIC_LOADS
    MINIMUM(word, value);
#else
    if (value < *word)
        MINIMUM(word, value);
#endif
}

// Words of the order.
#if ATOMICS_64 && KEY_BITS == 32
#define WORDS 1
#elif ATOMICS_64 || KEY_BITS == 32
#define WORDS 2
#else
#define WORDS 3
#endif

Word word_of(const Edge edge, const uint number)
{
#if WORDS == 1
    return (ulong)edge.key << 32 | edge.place;
#elif WORDS == 2
    return number == 0 ? (Word)edge.key : (Word)edge.place;
#else
    return number == 0 ? (Word)(edge.key >> 32) : number == 1 ? (Word)edge.key : (Word)edge.place;
#endif
}

// The words of the trees in a round.
volatile __global Word *words_of(volatile __global Word *best, const uint round, const uint number, const uint n)
{
    return best + ((size_t)(round & 1) * WORDS + number) * n;
}

// Whether an edge is the first that leaves a tree, as far as the first `count` words say.
bool is_best(volatile __global const Word *best, const Edge edge, const int tree, const uint count, const uint n)
{
    bool same = true;
    for (uint number = 0; number < count; ++number)
        same = same && best[(size_t)number * n + tree] == word_of(edge, number);
    return same;
}

int root_of(volatile __global int *parent, int vertex)
{
    for (int up = LOAD(&parent[vertex]); up != vertex; up = LOAD(&parent[vertex]))
        vertex = up;
    return vertex;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void begin(__global int *restrict parent, const uint n)
{
    for (size_t vertex = get_global_id(0); vertex < n; vertex += get_global_size(0))
        parent[vertex] = (int)vertex;
}

// Before the first round of a list.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void clear(__global Word *restrict best, const uint n)
{
    for (size_t i = get_global_id(0); i < (size_t)2 * WORDS * n; i += get_global_size(0))
        best[i] = NO_WORD;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void shorten(__global const Edge *restrict edges, __global Edge *restrict left, __global uint *restrict counts,
                      volatile __global Word *best, __global const int *restrict parent, const uint round, const uint n)
{
    __local uint kept, offset;
    const uint count = counts[round], item = (uint)get_local_id(0);
    for (size_t begin = get_group_id(0) * (size_t)GROUP_SIZE; begin < count; begin += get_global_size(0)) {
        Edge edge;
        bool leaves = false;
        if (begin + item < count) {
            edge = edges[begin + item];
            for (int up = parent[edge.tail]; up != edge.tail; up = parent[up])
                edge.tail = up;
            for (int up = parent[edge.head]; up != edge.head; up = parent[up])
                edge.head = up;
            leaves = edge.tail != edge.head;
        }
        if (item == 0)
            kept = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint index = leaves ? atomic_inc(&kept) : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == 0)
            offset = atomic_add(&counts[round + 1], kept);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (leaves) {
            left[offset + index] = edge;
            lower_to(&words_of(best, round, 0, n)[edge.tail], word_of(edge, 0));
            lower_to(&words_of(best, round, 0, n)[edge.head], word_of(edge, 0));
            for (uint number = 0; number < WORDS; ++number) {
                words_of(best, round + 1, number, n)[edge.tail] = NO_WORD;
                words_of(best, round + 1, number, n)[edge.head] = NO_WORD;
            }
        }
    }
}

// `edges` is the list that shorten has left, here and in join.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void lower(__global const Edge *restrict edges, __global const uint *restrict counts,
                    volatile __global Word *best, const uint number, const uint round, const uint n)
{
    const uint count = counts[round + 1];
    for (size_t i = get_global_id(0); i < count; i += get_global_size(0)) {
        const Edge edge = edges[i];
        const int trees[2] = {edge.tail, edge.head};
        for (uint end = 0; end < 2; ++end)
            if (is_best(words_of(best, round, 0, n), edge, trees[end], number, n))
                lower_to(&words_of(best, round, number, n)[trees[end]], word_of(edge, number));
    }
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void join(__global const Edge *restrict edges, __global const uint *restrict counts,
                   volatile __global Word *best, volatile __global int *parent, __global uchar *restrict chosen,
                   const uint round, const uint n)
{
    const uint count = counts[round + 1];
    for (size_t i = get_global_id(0); i < count; i += get_global_size(0)) {
        const Edge edge = edges[i];
        volatile __global const Word *words = words_of(best, round, 0, n);
        if (is_best(words, edge, edge.tail, WORDS, n) || is_best(words, edge, edge.head, WORDS, n)) {
            chosen[edge.place] = 1;
            int tail = edge.tail, head = edge.head;
            do {  // another work-item may have joined the larger root to another tree
                tail = root_of(parent, tail);
                head = root_of(parent, head);
            } while (tail != head &&
                     atomic_cmpxchg(&parent[max(tail, head)], max(tail, head), min(tail, head)) != max(tail, head));
        }
    }
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void find_roots(__global const int *restrict parent, __global int *restrict roots, const uint n)
{
    for (size_t vertex = get_global_id(0); vertex < n; vertex += get_global_size(0)) {
        int root = (int)vertex;
        for (int up = parent[root]; up != root; up = parent[root])
            root = up;
        roots[vertex] = root;
    }
}
