// Connected components, edges taken in both directions, by the work-groups of a GPU.
//
// Source:       Sutton, Ben-Nun and Barak, "Optimizing parallel graph connectivity computation via subgraph sampling",
//               IPDPS 2018: two edges of each vertex are linked, and then those of vertices outside the component that
//               has grown the largest; where vertices have few edges, all of them at once. Vertices on a way to a root
//               skip one each as in ECL-CC (Jaiganesh and Burtscher, HPDC 2018).
// NDRange:      begin, link_first: n; settle: n, and one work-group; write_sources, link_all, link_rest: m; count_roots,
//               write_labels: a work-group for each tile; work-group (GROUP_SIZE).
// Local memory: settle: 2 * GROUP_SIZE words; count_roots: GROUP_SIZE / 32 words, at least one; write_labels:
//               MOST_TILES + GROUP_SIZE words.
// Macros:       GROUP_SIZE, a power of two; MOST_TILES, a multiple of GROUP_SIZE;
//               POINTER, type of row pointers: int, uint, long or ulong, and INDEX, of columns: int or long;
//               components/hook.cl.
//   indptr   in   (n + 1) row pointers
//   indices  in   (m) columns, in any order
//   sources  i/o  (m) rows
//   parents  i/o  (n) components/hook.cl; at last the numbers of components, in the order of their smallest vertices
//   largest  i/o  [0] root of the component that most vertices belong to, or any other
//   numbers  i/o  (n) of roots, among those of their tile
//   counts   i/o  the roots of each tile, and behind them those of all
//   tile     in   vertices of a tile, a multiple of GROUP_SIZE; there are at most MOST_TILES

#if !defined(GROUP_SIZE) || !defined(MOST_TILES) || !defined(POINTER) || !defined(INDEX)
#error "components/groups.cl needs the macros GROUP_SIZE, MOST_TILES, POINTER and INDEX"
#endif
#if GROUP_SIZE & (GROUP_SIZE - 1) || MOST_TILES % GROUP_SIZE
#error "components/groups.cl: GROUP_SIZE has to be a power of two, and MOST_TILES a multiple of it"
#endif

#define ATOMIC 1
#include "components/hook.cl"

#define SAMPLES 1024
#define WORDS ((GROUP_SIZE + 31) / 32)
#define COUNTS_EACH (MOST_TILES / GROUP_SIZE)

// The row of each edge.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void write_sources(__global const POINTER *restrict indptr, __global int *restrict sources, const ulong m,
                            const uint n)
{
    const ulong edge = get_global_id(0);
    if (edge >= m)
        return;
    uint row = 0, end = n;  // the first row that ends behind the edge
    while (row < end) {
        const uint middle = row + (end - row) / 2;
        if ((ulong)indptr[middle + 1] > edge)
            end = middle;
        else
            row = middle + 1;
    }
    sources[edge] = (int)row;
}

// The largest of the smaller ones among the first `looks` neighbours of a vertex becomes its parent: where numbers that
// are near each other belong to vertices that are, trees are of neighbours in memory, too.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void begin(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                    __global int *restrict parents, const uint looks, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex >= n)
        return;
    const POINTER first = indptr[vertex], degree = indptr[vertex + 1] - first;
    INDEX parent = -1;
    for (POINTER edge = first; edge < first + min(degree, (POINTER)looks); ++edge) {
        if (indices[edge] < (INDEX)vertex)
            parent = max(parent, indices[edge]);
    }
    parents[vertex] = parent < 0 ? (int)vertex : (int)parent;
}

// The second edge, and the first one if it leads to a larger vertex; of edges that are there in both directions only those
// to smaller vertices.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void link_first(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                         volatile __global int *parents, const int symmetric, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n) {
        const POINTER first = indptr[vertex], last = indptr[vertex + 1];
        if (!symmetric && first < last && indices[first] > (INDEX)vertex)
            link(parents, (int)vertex, (int)indices[first]);
        if (first + 1 < last && (!symmetric || indices[first + 1] < (INDEX)vertex))
            link(parents, (int)vertex, (int)indices[first + 1]);
    }
}

// Every vertex becomes a child of its root. No other writes its parent meanwhile, and all ways get shorter together:
// however long they are, the work-items that are there at once skip twice as many vertices at each step.
int settled(volatile __global int *parents, const int vertex)
{
    int above = LOAD(&parents[vertex]);
    for (int next = LOAD(&parents[above]); next != above; next = LOAD(&parents[above])) {
        STORE(&parents[vertex], next);
        above = next;
    }
    return above;
}

// The root that more than half of a sample have, if there is one, by Boyer and Moore's vote: each part of the sample has
// a candidate, and votes that it is ahead by. For a whole work-group.
void find_largest(volatile __global int *parents, __global int *restrict largest, __local int *candidates,
                  __local uint *ahead, const uint n)
{
    const uint item = get_local_id(0);
    int candidate = 0;
    uint votes = 0;
    for (ulong sample = item; sample < SAMPLES; sample += GROUP_SIZE) {
        const int root = root_of(parents, (int)(sample * 2654435761ul % n));
        candidate = votes == 0 ? root : candidate;
        votes += root == candidate ? 1 : -1;
    }
    candidates[item] = candidate;
    ahead[item] = votes;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = GROUP_SIZE / 2; width > 0; width /= 2) {
        if (item < width) {
            const int other = candidates[item + width];
            const uint against = ahead[item + width];
            if (other == candidate) {
                votes += against;
            } else if (against > votes) {
                candidate = other;
                votes = against - votes;
            } else {
                votes -= against;
            }
            candidates[item] = candidate;
            ahead[item] = votes;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        largest[0] = candidate;
}

// The last work-group looks for the largest component, whose root is the same all the time.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void settle(volatile __global int *parents, __global int *restrict largest, const uint n)
{
    __local int candidates[GROUP_SIZE];
    __local uint ahead[GROUP_SIZE];
    if (get_group_id(0) == get_num_groups(0) - 1)
        find_largest(parents, largest, candidates, ahead, n);
    else if (get_global_id(0) < n)
        settled(parents, (int)get_global_id(0));
}

// Links all edges; of edges that are there in both directions only those to smaller vertices.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void link_all(__global const int *restrict sources, __global const INDEX *restrict indices,
                       volatile __global int *parents, const int symmetric, const ulong m)
{
    const ulong edge = get_global_id(0);
    if (edge < m) {
        const int source = sources[edge], target = (int)indices[edge];
        if (target < source || (!symmetric && target > source))
            link(parents, source, target);
    }
}

// Links all edges but those of the largest component, if each is there in both directions, or within it, if not.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void link_rest(__global const int *restrict sources, __global const INDEX *restrict indices,
                        volatile __global int *parents, __global const int *restrict largest, const int symmetric,
                        const ulong m)
{
    const ulong edge = get_global_id(0);
    if (edge < m) {
        const int source = sources[edge], own = LOAD(&parents[source]);
        if (!symmetric || own != largest[0]) {
            const int target = (int)indices[edge];
            if (LOAD(&parents[target]) != own)
                link(parents, source, target);
        }
    }
}

// Settles, and numbers the roots of each tile.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void count_roots(volatile __global int *parents, __global int *restrict numbers,
                          __global uint *restrict counts, const uint tile, const uint n)
{
    __local uint is_root[WORDS];  // a bit for each vertex
    const uint item = get_local_id(0), bit = 1u << item % 32;
    uint roots = 0;
    for (uint step = 0; step < tile; step += GROUP_SIZE) {
        const size_t vertex = (size_t)get_group_id(0) * tile + step + item;
        for (uint word = item; word < WORDS; word += GROUP_SIZE)
            is_root[word] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        const bool is_own = vertex < n && settled(parents, (int)vertex) == (int)vertex;
        if (is_own)
            atomic_or(&is_root[item / 32], bit);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (is_own) {
            uint before = roots + popcount(is_root[item / 32] & (bit - 1));
            for (uint word = 0; word < item / 32; ++word)
                before += popcount(is_root[word]);
            numbers[vertex] = (int)before;
        }
        for (uint word = 0; word < WORDS; ++word)
            roots += popcount(is_root[word]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        counts[get_group_id(0)] = roots;
}

// Each work-group adds up the counts of all tiles: each work-item some next to each other, and then the work-items.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void write_labels(__global int *restrict parents, __global const int *restrict numbers, __global uint *counts,
                           const uint tiles, const uint tile, const uint n)
{
    __local uint before[MOST_TILES];  // roots of the tiles before each
    __local uint sums[GROUP_SIZE];
    const uint item = get_local_id(0);
    uint sum = 0;
    for (uint index = item * COUNTS_EACH; index < (item + 1) * COUNTS_EACH; ++index) {
        before[index] = sum;
        sum += index < tiles ? counts[index] : 0;
    }
    const uint own = sum;
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < GROUP_SIZE; distance *= 2) {
        const uint added = item >= distance ? sums[item - distance] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[item] += added;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint index = item * COUNTS_EACH; index < (item + 1) * COUNTS_EACH; ++index)
        before[index] += sums[item] - own;
    barrier(CLK_LOCAL_MEM_FENCE);
    const size_t first = (size_t)get_group_id(0) * tile;
    for (uint index = item; index < tile; index += GROUP_SIZE) {
        const size_t vertex = first + index;
        if (vertex < n) {
            const int root = parents[vertex];
            parents[vertex] = (int)before[root / tile] + numbers[root];
        }
    }
    if (get_group_id(0) == 0 && item == GROUP_SIZE - 1)
        counts[tiles] = sums[item];
}
