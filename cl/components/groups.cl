// Connected components, edges taken in both directions, by the work-groups of a GPU.
//
// Source:       Sutton, Ben-Nun and Barak, "Optimizing parallel graph connectivity computation via subgraph sampling",
//               IPDPS 2018: two edges of each vertex are linked, and then those of vertices outside the component that
//               has grown the largest. Vertices on a way to a root skip one each as in ECL-CC (Jaiganesh and Burtscher,
//               HPDC 2018).
// NDRange:      begin, link_first: n; write_sources: m; settle: n / PER_ITEM; link_rest: m / PER_ITEM; count_roots and
//               write_labels: a work-group for each TILE vertices; find_largest and add_up: one work-group; work-group
//               (GROUP_SIZE).
// Local memory: find_largest: 2 * GROUP_SIZE words; count_roots: TILE / 32 words; add_up: GROUP_SIZE words.
// Macros:       GROUP_SIZE, a power of two; PER_ITEM, vertices or edges of a work-item; TILE = GROUP_SIZE * PER_ITEM, a
//               multiple of 32;
//               POINTER, type of row pointers: int, uint, long or ulong, and INDEX, of columns: int or long;
//               components/hook.cl.
//   indptr   in   (n + 1) row pointers
//   indices  in   (m) columns, in any order
//   sources  i/o  (m) rows
//   parents  i/o  (n) components/hook.cl
//   largest  i/o  [0] root of the component that most vertices belong to, or any other
//   numbers  i/o  (n) of roots, among those of their tile
//   counts   i/o  the roots of each tile, then those before it, and at last those of all
//   labels   out  (n) numbers of components, in the order of their smallest vertices

#if !defined(GROUP_SIZE) || !defined(PER_ITEM) || !defined(POINTER) || !defined(INDEX)
#error "components/groups.cl needs the macros GROUP_SIZE, PER_ITEM, POINTER and INDEX"
#endif
#if GROUP_SIZE & (GROUP_SIZE - 1) || GROUP_SIZE * PER_ITEM % 32
#error "components/groups.cl: GROUP_SIZE has to be a power of two, and GROUP_SIZE * PER_ITEM a multiple of 32"
#endif

#define ATOMIC 1
#include "components/hook.cl"

#define SAMPLES 1024
#define TILE (GROUP_SIZE * PER_ITEM)
#define WORDS (TILE / 32)

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

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void settle(volatile __global int *parents, const uint n)
{
    const size_t first = get_global_id(0) / GROUP_SIZE * TILE + get_local_id(0);
    for (uint i = 0; i < PER_ITEM; ++i)
        if (first + i * GROUP_SIZE < n)
            settled(parents, (int)(first + i * GROUP_SIZE));
}

// The root that more than half of a sample have, if there is one, by Boyer and Moore's vote: each part of the sample has
// a candidate, and votes that it is ahead by.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void find_largest(__global const int *restrict parents, __global int *restrict largest, const uint n)
{
    __local int candidates[GROUP_SIZE];
    __local uint ahead[GROUP_SIZE];
    const uint item = get_local_id(0);
    int candidate = 0;
    uint votes = 0;
    for (ulong sample = item; sample < SAMPLES; sample += GROUP_SIZE) {
        const int root = parents[sample * 2654435761ul % n];
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

// Links all edges but those of the largest component, if each is there in both directions, or within it, if not.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void link_rest(__global const int *restrict sources, __global const INDEX *restrict indices,
                        volatile __global int *parents, __global const int *restrict largest, const int symmetric,
                        const ulong m)
{
    const ulong first = get_global_id(0) / GROUP_SIZE * TILE + get_local_id(0);
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
                          __global uint *restrict counts, const uint n)
{
    __local uint is_root[WORDS];  // a bit for each vertex
    const uint item = get_local_id(0);
    const size_t first = (size_t)get_group_id(0) * TILE;
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
            uint before = popcount(is_root[place / 32] & ((1u << place % 32) - 1));
            for (uint word = 0; word < place / 32; ++word)
                before += popcount(is_root[word]);
            numbers[first + place] = (int)before;
        }
    }
    if (item == 0) {
        uint roots = 0;
        for (uint word = 0; word < WORDS; ++word)
            roots += popcount(is_root[word]);
        counts[get_group_id(0)] = roots;
    }
}

// Each work-item adds up some counts next to each other, then those of the work-items before it.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void add_up(__global uint *restrict counts, const uint tiles)
{
    __local uint sums[GROUP_SIZE];
    const uint item = get_local_id(0), each = (tiles + GROUP_SIZE - 1) / GROUP_SIZE;
    const uint first = min(item * each, tiles), last = min(first + each, tiles);
    uint sum = 0;
    for (uint tile = first; tile < last; ++tile)
        sum += counts[tile];
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < GROUP_SIZE; distance *= 2) {
        const uint before = item >= distance ? sums[item - distance] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[item] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint before = sums[item] - sum;
    for (uint tile = first; tile < last; ++tile) {
        const uint count = counts[tile];
        counts[tile] = before;
        before += count;
    }
    if (item == GROUP_SIZE - 1)
        counts[tiles] = sums[item];
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void write_labels(__global const int *restrict parents, __global const int *restrict numbers,
                           __global const uint *restrict counts, __global int *restrict labels, const uint n)
{
    const size_t first = (size_t)get_group_id(0) * TILE + get_local_id(0);
    for (uint i = 0; i < PER_ITEM; ++i) {
        const size_t vertex = first + i * GROUP_SIZE;
        if (vertex < n) {
            const int root = parents[vertex];
            labels[vertex] = (int)counts[root / TILE] + numbers[root];
        }
    }
}
