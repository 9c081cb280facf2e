// Kruskal's algorithm for CPU devices: edges are sorted by several work-items, and joined by one.
//
// Source:       Kruskal, "On the Shortest Spanning Subtree of a Graph" (1956); least significant digit first radix sort;
//               Osipov, Sanders and Singler, "The Filter-Kruskal Minimum Spanning Tree Algorithm" (2009), for what comes
//               between: light edges are joined before heavy ones are looked at.
// NDRange:      join, scan_digits (1), the others a work-item a chunk; work-group (1). A launch of join ends after
//               `budget` edges, and the next one goes on from there.
// Local memory: none.
// Macros:       those of forests/keys.cl and core/prefetch.cl; DIGITS, values of a digit of keys.
//   counts   i/o  (chunks, DIGITS + 1) how many edges of each chunk have each value of a digit, and all of them; after
//                 scan_digits, where they go
//   edges    in   the edges of a list
//   sorted   out  the same by a digit, and in the order of the list where it is equal
//   parent   i/o  (n) trees: a vertex on the way to the root of its tree, which is its own
//   chosen   i/o  (m) by place: 1 for edges of the forest
//   state    i/o  [NEXT]: edges of the list that have been looked at; [COUNT]: those of the list; [FOUND]: edges of the
//                 forest

#ifndef DIGITS
#error "forests/kruskal.cl needs the macro DIGITS"
#endif

#include "forests/keys.cl"
#include "core/prefetch.cl"

#define NEXT 0
#define COUNT 1
#define FOUND 2
#define STATE_WORDS 3
#define LOOK_AHEAD 12  // edges

#define DIGIT(edge, shift) ((uint)((edge).key >> (shift)) & (DIGITS - 1))

ulong chunk_begin(const ulong count, const size_t chunk, const uint chunks)
{
    return count / chunks * chunk + min((ulong)chunk, count % chunks);
}

WORK_GROUP(1, 1, 1)
__kernel void begin(__global int *restrict parent, const uint n, const uint chunks)
{
    const size_t chunk = get_global_id(0);
    const uint last = (uint)chunk_begin(n, chunk + 1, chunks);
    for (uint vertex = (uint)chunk_begin(n, chunk, chunks); vertex < last; ++vertex)
        parent[vertex] = (int)vertex;
}

WORK_GROUP(1, 1, 1)
__kernel void count_digits(__global const Edge *restrict edges, __global const uint *restrict state,
                           __global uint *restrict counts, const uint shift, const uint chunks)
{
    const size_t chunk = get_global_id(0);
    const ulong count = state[COUNT], last = chunk_begin(count, chunk + 1, chunks);
    uint of_digit[DIGITS];
    for (uint digit = 0; digit < DIGITS; ++digit)
        of_digit[digit] = 0;
    for (ulong i = chunk_begin(count, chunk, chunks); i < last; ++i)
        ++of_digit[DIGIT(edges[i], shift)];
    for (uint digit = 0; digit < DIGITS; ++digit)
        counts[chunk * (DIGITS + 1) + digit] = of_digit[digit];
}

// After gather_chunks it also begins a list: `is_first`.
WORK_GROUP(1, 1, 1)
__kernel void scan_digits(__global uint *restrict counts, __global uint *restrict state, const uint chunks,
                          const uint is_first)
{
    uint sum = 0;
    for (uint digit = 0; digit < DIGITS; ++digit)
        for (uint chunk = 0; chunk < chunks; ++chunk) {
            const size_t at = chunk * (size_t)(DIGITS + 1) + digit;
            const uint count = counts[at];
            counts[at] = sum;
            sum += count;
        }
    if (is_first) {
        state[NEXT] = 0;
        state[COUNT] = sum;
    }
}

// `gaps` is 0, or else the number of places: then each chunk of edges stands where gather_chunks has put it.
WORK_GROUP(1, 1, 1)
__kernel void sort_digits(__global const Edge *restrict edges, __global const uint *restrict counts,
                          __global const uint *restrict state, __global Edge *restrict sorted, const uint shift,
                          const ulong gaps, const uint chunks)
{
    const size_t chunk = get_global_id(0);
    const ulong first = chunk_begin(gaps ? gaps : state[COUNT], chunk, chunks);
    const ulong last =
        gaps ? first + counts[chunk * (DIGITS + 1) + DIGITS] : chunk_begin(state[COUNT], chunk + 1, chunks);
    uint next[DIGITS];
    for (uint digit = 0; digit < DIGITS; ++digit)
        next[digit] = counts[chunk * (DIGITS + 1) + digit];
    for (ulong i = first; i < last; ++i) {
        const Edge edge = edges[i];
        sorted[next[DIGIT(edge, shift)]++] = edge;
    }
}

int root_of(__global int *parent, int vertex)
{
    int up = parent[vertex];
    while (up != vertex) {
        const int next = parent[up];
        parent[vertex] = next;  // the way is half as long the next time
        vertex = next;
        up = parent[vertex];
    }
    return vertex;
}

WORK_GROUP(1, 1, 1)
__kernel void join(__global const Edge *restrict edges, __global int *restrict parent, __global uchar *restrict chosen,
                   __global uint *restrict state, const ulong budget, const uint n)
{
    const uint count = state[COUNT], first = state[NEXT], last = min((ulong)count, first + budget);
    uint found = state[FOUND];
    uint i = first;
    for (; i < last && found + 1 < n; ++i) {
        if (i + LOOK_AHEAD < count) {
            PREFETCH(&parent[edges[i + LOOK_AHEAD].tail]);
            PREFETCH(&parent[edges[i + LOOK_AHEAD].head]);
        }
        const int tail = root_of(parent, edges[i].tail), head = root_of(parent, edges[i].head);
        if (tail != head) {
            parent[max(tail, head)] = min(tail, head);
            chosen[edges[i].place] = 1;
            ++found;
        }
    }
    state[NEXT] = found + 1 < n ? i : count;
    state[FOUND] = found;
}

WORK_GROUP(1, 1, 1)
__kernel void find_roots(__global const int *restrict parent, __global int *restrict roots, const uint n,
                         const uint chunks)
{
    const size_t chunk = get_global_id(0);
    const uint last = (uint)chunk_begin(n, chunk + 1, chunks);
    for (uint vertex = (uint)chunk_begin(n, chunk, chunks); vertex < last; ++vertex) {
        int root = parent[vertex];
        for (int up = parent[root]; up != root; up = parent[root])
            root = up;
        roots[vertex] = root;
    }
}
