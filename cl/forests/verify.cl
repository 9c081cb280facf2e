// Whether some edges are the spanning forest of a graph, by a rule that no method of finding one uses.
//
// Source:       the cycle rule: an edge is outside of the forest if and only if all edges of the forest on the way from
//               one of its ends to the other come before it. The heaviest of these is the last that a union by size
//               without short cuts passes, which takes as many steps as the number of vertices has bits.
// NDRange:      unite (1), work-group (1): a launch ends after about `budget` steps, and the next one goes on from there;
//               the others any number of work-groups (GROUP_SIZE).
// Local memory: none.
// Macros:       those of forests/keys.cl; INDEX, type of columns; GROUP_SIZE.
//   ends     in   (count, 2) the edges of the forest in the order of their weights
//   weights  in   (count) these
//   parent   i/o  (n) what each vertex was united with when it had been the root of the smaller set; or itself
//   since    i/o  (n) which edge has done so, counted from 1; NEVER for roots
//   sizes    i/o  (n) of sets, by their roots
//   state    i/o  [NEXT]: edges that have been united; [CYCLE]: the edge that closes a cycle, or NEVER
//   tails, heads, values  in  (m) the edges of the graph
//   found    i/o  (count) 1 for edges of the forest that are in the graph
//   offenders  i/o  the first edge of the graph that [SPLIT]: joins two trees; [BETTER]: comes before an edge of the way;
//                   or NEVER

#if !defined(INDEX) || !defined(GROUP_SIZE)
#error "forests/verify.cl needs the macros INDEX and GROUP_SIZE"
#endif

#include "forests/keys.cl"

#define NEVER 0xFFFFFFFFu
#define NEXT 0
#define CYCLE 1
#define SPLIT 0
#define BETTER 1

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void begin(__global int *restrict parent, __global uint *restrict since, __global uint *restrict sizes,
                    const uint n)
{
    for (size_t vertex = get_global_id(0); vertex < n; vertex += get_global_size(0)) {
        parent[vertex] = (int)vertex;
        since[vertex] = NEVER;
        sizes[vertex] = 1;
    }
}

WORK_GROUP(1, 1, 1)
__kernel void unite(__global const int *restrict ends, __global int *restrict parent, __global uint *restrict since,
                    __global uint *restrict sizes, __global uint *restrict state, const ulong budget, const uint count)
{
    uint edge = state[NEXT];
    for (ulong steps = 0; edge < count && steps < budget && state[CYCLE] == NEVER; ++edge, ++steps) {
        int small = ends[2 * (size_t)edge], large = ends[2 * (size_t)edge + 1];
        for (; parent[small] != small; ++steps)
            small = parent[small];
        for (; parent[large] != large; ++steps)
            large = parent[large];
        if (small == large) {
            state[CYCLE] = edge;
        } else {
            if (sizes[small] > sizes[large]) {
                const int other = small;
                small = large;
                large = other;
            }
            parent[small] = large;
            since[small] = edge + 1;
            sizes[large] += sizes[small];
        }
    }
    state[NEXT] = edge;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void check(__global const INDEX *restrict tails, __global const INDEX *restrict heads,
                    __global const VALUE *restrict values, __global const int *restrict ends,
                    __global const VALUE *restrict weights, __global const int *restrict parent,
                    __global const uint *restrict since, __global uchar *restrict found,
                    volatile __global uint *restrict offenders, const uint flags, const uint first, const uint end)
{
    for (size_t i = first + get_global_id(0); i < end; i += get_global_size(0)) {
        int tail = (int)tails[i], head = (int)heads[i];
        if (tail == head)
            continue;
        const int smaller = min(tail, head), larger = max(tail, head);
        uint last = 0;
        while (tail != head && last != NEVER) {
            const bool from_tail = since[tail] < since[head];
            last = from_tail ? since[tail] : since[head];
            if (last != NEVER && from_tail)
                tail = parent[tail];
            else if (last != NEVER)
                head = parent[head];
        }
        if (last == NEVER) {
            atomic_min(&offenders[SPLIT], (uint)i);
            continue;
        }
        const size_t edge = last - 1;
        const ulong own = in_order(values[i]), its = in_order(weights[edge]);
        const bool is_equal = smaller == ends[2 * edge] && larger == ends[2 * edge + 1];
        const bool is_smaller = smaller < ends[2 * edge] || (smaller == ends[2 * edge] && larger < ends[2 * edge + 1]);
        if (flags & MAXIMUM ? own > its : own < its)
            atomic_min(&offenders[BETTER], (uint)i);
        else if (own == its && is_smaller)
            atomic_min(&offenders[BETTER], (uint)i);
        else if (own == its && is_equal)
            found[edge] = 1;
    }
}
