// Boruvka's algorithm for GPUs, on a list of edges that gets shorter from round to round.
//
// Source:       Boruvka (1926); one list for the edges between trees, two kernels a round: Fallin, Gonzalez, Seo and
//               Burtscher, "A High-Performance MST Implementation for GPUs" (2023).
// NDRange:      any number of work-groups (GROUP_SIZE).
// Local memory: gather and shorten: 8 bytes.
// Macros:       those of forests/keys.cl; INDEX, the type of columns: int or long; ATOMICS_64, 1: the device has 64-bit
//               atomic operations; GROUP_SIZE; those of forests/trees.cl.
//
// A round: `gather`, and after the first one `shorten`, leaves the edges whose ends are in different trees, and begins
// to find the first in order that leaves each tree; `lower` goes on with the next words of the order; `join` chooses
// these edges and has each tree point to the one at the other end of its own.
//   edges   in   a list; tail and head are trees of an earlier round
//   left    out  the same without edges inside of trees, in any order
//   counts  i/o  by round: edges of the list that the round has begun with
//   best    i/o  (2, WORDS, n) the first edge that leaves each tree, word by word; those of even and of odd rounds
//   next    i/o  (n) trees, as in forests/trees.cl
//   chosen  i/o  (m) by place: 1 for edges of the forest

#if !defined(INDEX) || !defined(ATOMICS_64) || !defined(GROUP_SIZE)
#error "forests/boruvka.cl needs the macros INDEX, ATOMICS_64 and GROUP_SIZE"
#endif

#include "forests/keys.cl"
#include "forests/trees.cl"

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

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void begin(__global int *restrict next, const uint n)
{
    for (size_t vertex = get_global_id(0); vertex < n; vertex += get_global_size(0))
        next[vertex] = (int)vertex;
}

// Before the first round of a list.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void clear(__global Word *restrict best, const uint n)
{
    for (size_t i = get_global_id(0); i < (size_t)2 * WORDS * n; i += get_global_size(0))
        best[i] = NO_WORD;
}

// Leave the edges of the work-items of a work-group that have one: in a list, and as the first of their trees if they
// are. `kept` and `offset` are in local memory.
void leave(const Edge edge, const bool leaves, __local uint *kept, __local uint *offset, __global Edge *left,
           __global uint *counts, volatile __global Word *best, const uint round, const uint n)
{
    if (get_local_id(0) == 0)
        *kept = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint index = leaves ? atomic_inc(kept) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        *offset = atomic_add(&counts[round + 1], *kept);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (leaves) {
        left[*offset + index] = edge;
        lower_to(&words_of(best, round, 0, n)[edge.tail], word_of(edge, 0));
        lower_to(&words_of(best, round, 0, n)[edge.head], word_of(edge, 0));
        for (uint number = 0; number < WORDS; ++number) {
            words_of(best, round + 1, number, n)[edge.tail] = NO_WORD;
            words_of(best, round + 1, number, n)[edge.head] = NO_WORD;
        }
    }
}

// The first round of a list: the edges of a matrix, or as they are given, whose key is from `low` to `high`.
//   roots  in  (n) the tree of each vertex, for FILTERS
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void gather(__global const INDEX *restrict tails, __global const INDEX *restrict indices,
                     __global const VALUE *restrict values, __global const int *restrict roots,
                     __global Edge *restrict left, __global uint *restrict counts, volatile __global Word *best,
                     const ulong origin, const ulong low, const ulong high, const ulong m, const uint n,
                     const uint flags)
{
    __local uint kept, offset;
    for (ulong begin = get_group_id(0) * (size_t)GROUP_SIZE; begin < m; begin += get_global_size(0)) {
        const ulong i = begin + get_local_id(0);
        Edge edge;
        bool leaves = false;
        if (i < m) {
            edge.place = (uint)i;
            edge.tail = (int)tails[i];
            edge.head = (int)indices[i];
            CLEAR_UNUSED(edge);
            edge.key = key_of(values[i], origin, flags);
            leaves =
                (flags & UPPER ? edge.head > edge.tail : edge.head != edge.tail) && edge.key >= low && edge.key <= high;
            if (flags & FILTERS && leaves) {
                edge.tail = roots[edge.tail];
                edge.head = roots[edge.head];
                leaves = edge.tail != edge.head;
            }
        }
        leave(edge, leaves, &kept, &offset, left, counts, best, 0, n);
    }
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void shorten(__global const Edge *restrict edges, __global Edge *restrict left, __global uint *restrict counts,
                      volatile __global Word *best, __global int *next, const uint round, const uint n)
{
    __local uint kept, offset;
    const uint count = counts[round], item = (uint)get_local_id(0);
    for (size_t begin = get_group_id(0) * (size_t)GROUP_SIZE; begin < count; begin += get_global_size(0)) {
        Edge edge;
        bool leaves = false;
        if (begin + item < count) {
            edge = edges[begin + item];
            edge.tail = root_of(next, edge.tail);
            edge.head = root_of(next, edge.head);
            leaves = edge.tail != edge.head;
        }
        leave(edge, leaves, &kept, &offset, left, counts, best, round, n);
    }
}

// `edges` is the list that has been left, here and in join.
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
                   volatile __global Word *best, __global int *restrict next, __global uchar *restrict chosen,
                   const uint round, const uint n)
{
    const uint count = counts[round + 1];
    for (size_t i = get_global_id(0); i < count; i += get_global_size(0)) {
        const Edge edge = edges[i];
        volatile __global const Word *words = words_of(best, round, 0, n);
        if (is_best(words, edge, edge.tail, WORDS, n)) {
            chosen[edge.place] = 1;
            next[edge.tail] = edge.head;
        }
        if (is_best(words, edge, edge.head, WORDS, n)) {
            chosen[edge.place] = 1;
            next[edge.head] = edge.tail;
        }
    }
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void find_roots(__global int *next, __global int *restrict roots, const uint n)
{
    for (size_t vertex = get_global_id(0); vertex < n; vertex += get_global_size(0))
        roots[vertex] = root_of(next, (int)vertex);
}
