// Connected components, edges taken in both directions, by the work-groups of a GPU.
//
// Source:       Sutton, Ben-Nun and Barak, "Optimizing parallel graph connectivity computation via subgraph sampling",
//               IPDPS 2018: two edges of each vertex are linked, and then those of vertices outside the component that
//               has grown the largest; where vertices have few edges, all of them at once. Vertices on a way to a root
//               skip one each as in ECL-CC (Jaiganesh and Burtscher, HPDC 2018).
// NDRange:      begin, link_first: n; write_sources: m; settle: n / PER_ITEM, and one work-group; link_all, link_rest:
//               m / PER_ITEM; count_roots, write_labels: a work-group for each tile; work-group (GROUP_SIZE).
// Local memory: settle: 2 * GROUP_SIZE words; count_roots: STEP / 32 words; write_labels: MOST_TILES + GROUP_SIZE words.
// Macros:       GROUP_SIZE, a power of two; PER_ITEM, vertices or edges of a work-item; STEP = GROUP_SIZE * PER_ITEM, a
//               multiple of 32; MOST_TILES, a multiple of GROUP_SIZE;
//               POINTER, type of row pointers: int, uint, long or ulong, and INDEX, of columns: int or long;
//               components/hook.cl.
//   indptr   in   (n + 1) row pointers
//   indices  in   (m) columns, in any order
//   sources  i/o  (m) rows
//   parents  i/o  (n) components/hook.cl; at last the numbers of components, in the order of their smallest vertices
//   largest  i/o  [0] root of the component that most vertices belong to, or any other
//   numbers  i/o  (n) of roots, among those of their tile
//   counts   i/o  the roots of each tile, and behind them those of all
//   tile     in   vertices of a tile, a multiple of STEP; there are at most MOST_TILES

#if !defined(GROUP_SIZE) || !defined(PER_ITEM) || !defined(MOST_TILES) || !defined(POINTER) || !defined(INDEX)
#error "components/groups.cl needs the macros GROUP_SIZE, PER_ITEM, MOST_TILES, POINTER and INDEX"
#endif
#if GROUP_SIZE & (GROUP_SIZE - 1) || GROUP_SIZE * PER_ITEM % 32 || MOST_TILES % GROUP_SIZE
#error "components/groups.cl: GROUP_SIZE has to be a power of two, and the others multiples: see above"
#endif

#define ATOMIC 1
#include "components/hook.cl"

#define SAMPLES 1024
#define STEP (GROUP_SIZE * PER_ITEM)
#define WORDS (STEP / 32)
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

// The first edge of a vertex makes its parent, if it leads to a smaller one.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void begin(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                    __global int *restrict parents, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n) {
        const POINTER first = indptr[vertex];
        parents[vertex] = first < indptr[vertex + 1] ? min((int)indices[first], (int)vertex) : (int)vertex;
    }
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

// Every vertex becomes a child of its root.
int settled(volatile __global int *parents, const int vertex)
{
    const int above = LOAD(&parents[vertex]), root = root_of(parents, above);
    if (root != above)
        STORE(&parents[vertex], root);
    return root;
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
    if (get_group_id(0) == get_num_groups(0) - 1) {
        find_largest(parents, largest, candidates, ahead, n);
    } else {
        const size_t first = (size_t)get_group_id(0) * STEP + get_local_id(0);
        for (uint i = 0; i < PER_ITEM; ++i)
            if (first + i * GROUP_SIZE < n)
                settled(parents, (int)(first + i * GROUP_SIZE));
    }
}

// Links all edges; of edges that are there in both directions only those to smaller vertices.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void link_all(__global const int *restrict sources, __global const INDEX *restrict indices,
                       volatile __global int *parents, const int symmetric, const ulong m)
{
    const ulong first = (ulong)get_group_id(0) * STEP + get_local_id(0);
    for (uint i = 0; i < PER_ITEM; ++i) {
        const ulong edge = first + i * GROUP_SIZE;
        if (edge < m) {
            const int source = sources[edge], target = (int)indices[edge];
            if (target < source || (!symmetric && target > source))
                link(parents, source, target);
        }
    }
}

// Links all edges but those of the largest component, if each is there in both directions, or within it, if not.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void link_rest(__global const int *restrict sources, __global const INDEX *restrict indices,
                        volatile __global int *parents, __global const int *restrict largest, const int symmetric,
                        const ulong m)
{
    const ulong first = (ulong)get_group_id(0) * STEP + get_local_id(0);
    const int root = largest[0];
    for (uint i = 0; i < PER_ITEM; ++i) {
        const ulong edge = first + i * GROUP_SIZE;
        if (edge < m) {
            const int source = sources[edge], own = LOAD(&parents[source]);
            if (!symmetric || own != root) {
                const int target = (int)indices[edge];
                if (LOAD(&parents[target]) != own)
                    link(parents, source, target);
            }
        }
    }
}

// Settles, and numbers the roots of each tile.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void count_roots(volatile __global int *parents, __global int *restrict numbers,
                          __global uint *restrict counts, const uint tile, const uint n)
{
    __local uint is_root[WORDS];  // a bit for each vertex
    const uint item = get_local_id(0);
    uint roots = 0;
    for (uint step = 0; step < tile; step += STEP) {
        const size_t first = (size_t)get_group_id(0) * tile + step;
        for (uint word = item; word < WORDS; word += GROUP_SIZE)
            is_root[word] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint own = 0;
        for (uint i = 0; i < PER_ITEM; ++i) {
            const uint place = i * GROUP_SIZE + item;
            if (first + place < n && settled(parents, (int)(first + place)) == (int)(first + place)) {
                own |= 1u << i;
                atomic_or(&is_root[place / 32], 1u << place % 32);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < PER_ITEM; ++i) {
            if (own >> i & 1) {
                const uint place = i * GROUP_SIZE + item;
                uint before = roots + popcount(is_root[place / 32] & ((1u << place % 32) - 1));
                for (uint word = 0; word < place / 32; ++word)
                    before += popcount(is_root[word]);
                numbers[first + place] = (int)before;
            }
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
    for (uint place = item * COUNTS_EACH; place < (item + 1) * COUNTS_EACH; ++place) {
        before[place] = sum;
        sum += place < tiles ? counts[place] : 0;
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
    for (uint place = item * COUNTS_EACH; place < (item + 1) * COUNTS_EACH; ++place)
        before[place] += sums[item] - own;
    barrier(CLK_LOCAL_MEM_FENCE);
    const size_t first = (size_t)get_group_id(0) * tile;
    for (uint place = item; place < tile; place += GROUP_SIZE) {
        const size_t vertex = first + place;
        if (vertex < n) {
            const int root = parents[vertex];
            parents[vertex] = (int)before[root / tile] + numbers[root];
        }
    }
    if (get_group_id(0) == 0 && item == GROUP_SIZE - 1)
        counts[tiles] = sums[item];
}
