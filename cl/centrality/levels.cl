// Betweenness on GPUs: searches from many sources go from level to level together, and back.
//
// Source:       Brandes, "A Faster Algorithm for Betweenness Centrality" (2001), with sums in a fixed order; Then et al.,
//               "The More the Merrier: Efficient Multi-Source Graph Traversal" (2014), for a bit a source in one word.
// NDRange:      a bundle is LANES sources. start: (LANES, bundles); expand, sum_pieces, count, mark, collect and
//               count_reached: (any number of work-groups, bundles); all of them with work-groups (LANES, 1). begin,
//               add_sources and add_edges: one work-item for each word, vertex or edge.
// Local memory: of sum_pieces, count and collect 2 * LANES + 1 words.
// Macros:       LANES, 32; SOURCES, sources of a block, a divisor of LANES; PIECE, edges of a vertex that are summed up
//               at a time, a multiple of LANES; EDGES, 1: sums of edges, too; OFFSET, type of first_edge; SCALED
//               (centrality/counts.cl); core/loads.cl.
//   first_edge, targets  in   (n + 1), (m) successors of each vertex, ascending; predecessors for count
//   bits                 i/o  (bundles, 3, n) a bit for each source of which a vertex has a level; one array for each of
//                             three levels in turn, and 0 for all others
//   seen                 i/o  (bundles, n) a bit for each source that has reached a vertex
//   list, masks          i/o  (bundles, n * LANES) vertices by their levels, and of which sources they have that level
//   ends                 i/o  (bundles, n + 3) end in the list of each level
//   counts               i/o  (bundles, n, LANES) numbers of paths
//   coefficients         i/o  the same of what a vertex adds to those before it; the memory of counts unless EDGES
//   dependencies         out  (bundles, n, LANES)
//   levels               out  (bundles, n, LANES) if EDGES
//   partial              i/o  (bundles, pieces, LANES) sums of the pieces of vertices with more than PIECE edges
//   control              i/o  [DEPTH]: the last level; [TOO_LARGE]: whether a count was above the limit
//
// What is appended to a list has no fixed order, but nothing depends on it. Within a launch only `ends` of the next
// level, the bits of that level and control are written by one work-group and used by another one: by atomic operations.

#if !defined(LANES) || !defined(SOURCES) || !defined(PIECE) || !defined(EDGES) || !defined(OFFSET)
#error "centrality/levels.cl needs the macros LANES, SOURCES, PIECE, EDGES and OFFSET"
#endif
#if LANES != 32 || LANES % SOURCES || PIECE % LANES
#error "centrality/levels.cl: LANES has to be 32, SOURCES a divisor and PIECE a multiple of it"
#endif

#include "centrality/counts.cl"
#include "core/loads.cl"

#define DEPTH 0
#define TOO_LARGE 1
#define CONTROL_WORDS 2

#define BITS_OF(bits, level, n) ((bits) + (size_t)((level) % 3) * (n))
#define CAPACITY(n) ((size_t)(n) * LANES)
#define LEVELS_BEYOND 3  // entries of ends beside n

uint lowest_bit(const uint bits)
{
    return 31 - clz(bits & -bits);
}

__kernel void begin(__global uint *restrict bits, __global uint *restrict seen, __global uint *restrict control,
                    const uint n)
{
    const size_t vertex = get_global_id(0), bundle = get_global_id(1);
    if (vertex < n) {
        for (uint level = 0; level < 3; ++level)
            bits[(bundle * 3 + level) * n + vertex] = 0;
        seen[bundle * n + vertex] = 0;
    }
    if (vertex == 0 && bundle == 0) {
        control[DEPTH] = 0;
        control[TOO_LARGE] = 0;
    }
}

// Puts the different sources of each bundle, `starts` of which `start_bits` says whose they are, into the first level.
WORK_GROUP(LANES, 1, 1)
__kernel void start(__global const int *restrict starts, __global const uint *restrict start_bits,
                    __global uint *restrict bits, __global uint *restrict seen, __global int *restrict list,
                    __global uint *restrict masks, __global uint *restrict ends, __global Count *restrict counts,
                    __global int *restrict levels, const uint n)
{
    const size_t bundle = get_global_id(1);
    const uint item = (uint)get_local_id(0);
    const uint mask = start_bits[bundle * LANES + item];
    if (mask) {
        const int vertex = starts[bundle * LANES + item];
        list[bundle * CAPACITY(n) + item] = vertex;
        masks[bundle * CAPACITY(n) + item] = mask;
        bits[bundle * 3 * n + vertex] = mask;
        seen[bundle * n + vertex] = mask;
        for (uint left = mask; left; left &= left - 1) {
            const size_t entry = (bundle * n + vertex) * LANES + lowest_bit(left);
            counts[entry] = count_of(1.0);
#if EDGES
            levels[entry] = 0;
#endif
        }
    }
    if (item == 0) {
        uint length = 0;
        for (uint each = 0; each < LANES; ++each)
            length += start_bits[bundle * LANES + each] != 0;
        ends[bundle * (n + LEVELS_BEYOND)] = ends[bundle * (n + LEVELS_BEYOND) + 1] = length;
    }
}

// Finds the vertices of the next level.
WORK_GROUP(LANES, 1, 1)
__kernel void expand(__global const OFFSET *restrict first_edge, __global const int *restrict targets,
                     __global uint *restrict bits, __global const uint *restrict seen, __global int *list,
                     __global const uint *restrict masks, __global uint *ends, const uint level, const uint n)
{
    const size_t bundle = get_global_id(1);
    bits += bundle * 3 * n;
    seen += bundle * n;
    list += bundle * CAPACITY(n);
    masks += bundle * CAPACITY(n);
    ends += bundle * (n + LEVELS_BEYOND);
    __global uint *next = BITS_OF(bits, level + 1, n);
    const uint end = ends[level];
    for (size_t index = (level ? ends[level - 1] : 0) + get_group_id(0); index < end; index += get_num_groups(0)) {
        const int vertex = list[index];
        const uint mask = masks[index];
        const OFFSET last = first_edge[vertex + 1];
        for (OFFSET edge = first_edge[vertex] + get_local_id(0); edge < last; edge += LANES) {
            const int target = targets[edge];
            const uint fresh = mask & ~seen[target];
            if (fresh && fresh & ~LOAD(&next[target]) && atomic_or(&next[target], fresh) == 0)
                list[atomic_inc(&ends[level + 1])] = target;
        }
    }
}

// Returns the sum of the numbers of some edges' other ends, of those that have a bit of `mask`, for the lane of a
// work-item. All work-items of a work-group call it with the same edges.
Count sum_of(OFFSET edge, const OFFSET last, __global const int *restrict vertices, __global const uint *restrict bits,
             const uint mask, __global const Count *numbers, __local int *others, __local uint *theirs,
             __local uint *any)
{
    const uint lane = (uint)get_local_id(0);
    Count sum = count_of(0.0);
    for (; edge < last; edge += LANES) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane == 0)
            *any = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < last - edge) {
            others[lane] = vertices[edge + lane];
            theirs[lane] = bits[others[lane]] & mask;
            if (theirs[lane])
                atomic_or(any, 1u << lane);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint left = *any; left; left &= left - 1) {
            const uint each = lowest_bit(left);
            if (theirs[each] >> lane & 1)
                sum = plus(sum, numbers[(size_t)others[each] * LANES + lane]);
        }
    }
    return sum;
}

// Returns the same for all edges of a vertex, of whose pieces the sums are there if it has several.
Count sum_at(const int vertex, __global const OFFSET *restrict first_edge, __global const int *restrict vertices,
             __global const uint *restrict first_piece, __global const Count *restrict partial,
             __global const uint *restrict bits, const uint mask, __global const Count *numbers, __local int *others,
             __local uint *theirs, __local uint *any)
{
    const uint first = first_piece[vertex], last = first_piece[vertex + 1];
    if (first == last)
        return sum_of(first_edge[vertex], first_edge[vertex + 1], vertices, bits, mask, numbers, others, theirs, any);
    Count sum = count_of(0.0);
    for (uint piece = first; piece < last; ++piece)
        sum = plus(sum, partial[(size_t)piece * LANES + get_local_id(0)]);
    return sum;
}

// Sums up each piece of the vertices that have several: numbers of the level `other`, for the vertices of `level`.
WORK_GROUP(LANES, 1, 1)
__kernel void sum_pieces(__global const OFFSET *restrict first_edge, __global const int *restrict vertices,
                         __global const uint *restrict first_piece, __global const int *restrict vertex_of_piece,
                         __global Count *restrict partial, __global const uint *restrict bits,
                         __global const Count *restrict numbers, const uint other, const uint level, const uint pieces,
                         const uint n)
{
    __local int others[LANES];
    __local uint theirs[LANES], any;
    const size_t bundle = get_global_id(1);
    bits += bundle * 3 * n;
    partial += bundle * pieces * LANES;
    numbers += bundle * n * LANES;
    for (size_t piece = get_group_id(0); piece < pieces; piece += get_num_groups(0)) {
        const int vertex = vertex_of_piece[piece];
        const uint mask = BITS_OF(bits, level, n)[vertex];
        if (mask) {
            const OFFSET first = first_edge[vertex] + (OFFSET)(piece - first_piece[vertex]) * PIECE;
            const OFFSET last = first + min((OFFSET)PIECE, first_edge[vertex + 1] - first);
            partial[piece * LANES + get_local_id(0)] =
                sum_of(first, last, vertices, BITS_OF(bits, other, n), mask, numbers, others, theirs, &any);
        }
    }
}

// Counts the paths to the vertices of a level, and forgets the bits of the second one above it.
WORK_GROUP(LANES, 1, 1)
__kernel void count(__global const OFFSET *restrict first_edge, __global const int *restrict vertices,
                    __global const uint *restrict first_piece, __global const Count *restrict partial,
                    __global uint *bits, __global uint *restrict seen, __global const int *restrict list,
                    __global uint *restrict masks, __global uint *ends, __global Count *counts,
                    __global int *restrict levels, __global uint *control, const double limit, const uint pieces,
                    const uint level, const uint n)
{
    __local int others[LANES];
    __local uint theirs[LANES], any;
    const size_t bundle = get_global_id(1);
    const uint lane = (uint)get_local_id(0);
    bits += bundle * 3 * n;
    seen += bundle * n;
    list += bundle * CAPACITY(n);
    masks += bundle * CAPACITY(n);
    ends += bundle * (n + LEVELS_BEYOND);
    partial += bundle * pieces * LANES;
    counts += bundle * n * LANES;
#if EDGES
    levels += bundle * n * LANES;
#endif
    const uint first = ends[level - 1], end = ends[level];
    for (size_t index = first + get_group_id(0); index < end; index += get_num_groups(0)) {
        const int vertex = list[index];
        const uint mask = BITS_OF(bits, level, n)[vertex];
        const Count paths = sum_at(vertex, first_edge, vertices, first_piece, partial, BITS_OF(bits, level - 1, n),
                                   mask, counts, others, theirs, &any);
        if (mask >> lane & 1) {
            counts[(size_t)vertex * LANES + lane] = paths;
#if EDGES
            levels[(size_t)vertex * LANES + lane] = (int)level;
#endif
#if !SCALED
            if (paths > limit)
                atomic_or(&control[TOO_LARGE], 1u);
#endif
        }
        if (lane == 0) {
            masks[index] = mask;
            seen[vertex] |= mask;
        }
    }
    if (level > 1) {
        const uint above = level > 2 ? ends[level - 3] : 0, above_end = ends[level - 2];
        for (size_t index = above + get_global_id(0); index < above_end; index += get_global_size(0))
            BITS_OF(bits, level - 2, n)[list[index]] = 0;
    }
    if (get_global_id(0) == 0) {
        ends[level + 1] = end;
        if (end > first)
            atomic_max(&control[DEPTH], level);
    }
}

// Sets the bits of a level, and forgets those of the second one below it, on the way back.
__kernel void mark(__global uint *restrict bits, __global const int *restrict list, __global const uint *restrict masks,
                   __global const uint *restrict ends, const uint level, const uint n)
{
    const size_t bundle = get_global_id(1);
    bits += bundle * 3 * n;
    list += bundle * CAPACITY(n);
    masks += bundle * CAPACITY(n);
    ends += bundle * (n + LEVELS_BEYOND);
    const uint end = ends[level], below = ends[level + 1], below_end = ends[level + 2];
    for (size_t index = (level ? ends[level - 1] : 0) + get_global_id(0); index < end; index += get_global_size(0))
        BITS_OF(bits, level, n)[list[index]] = masks[index];
    for (size_t index = below + get_global_id(0); index < below_end; index += get_global_size(0))
        BITS_OF(bits, level + 2, n)[list[index]] = 0;
}

// Sums up the dependencies on the vertices of a level.
WORK_GROUP(LANES, 1, 1)
__kernel void collect(__global const OFFSET *restrict first_edge, __global const int *restrict vertices,
                      __global const uint *restrict first_piece, __global const Count *restrict partial,
                      __global const uchar *restrict is_target, __global const uint *restrict bits,
                      __global const int *restrict list, __global const uint *restrict masks,
                      __global const uint *restrict ends, __global const Count *counts, __global Count *coefficients,
                      __global double *restrict dependencies, const uint pieces, const uint level, const uint n)
{
    __local int others[LANES];
    __local uint theirs[LANES], any;
    const size_t bundle = get_global_id(1);
    const uint lane = (uint)get_local_id(0);
    bits += bundle * 3 * n;
    list += bundle * CAPACITY(n);
    masks += bundle * CAPACITY(n);
    ends += bundle * (n + LEVELS_BEYOND);
    partial += bundle * pieces * LANES;
    counts += bundle * n * LANES;
    coefficients += bundle * n * LANES;
    dependencies += bundle * n * LANES;
    const uint end = ends[level];
    for (size_t index = (level ? ends[level - 1] : 0) + get_group_id(0); index < end; index += get_num_groups(0)) {
        const int vertex = list[index];
        const uint mask = masks[index];
        const Count sum = sum_at(vertex, first_edge, vertices, first_piece, partial, BITS_OF(bits, level + 1, n), mask,
                                 coefficients, others, theirs, &any);
        if (mask >> lane & 1) {
            const size_t entry = (size_t)vertex * LANES + lane;
            const Count paths = counts[entry];
            const double dependency = product(paths, sum);
            dependencies[entry] = level ? dependency : 0.0;
            coefficients[entry] = divided(product_plus(paths, sum, is_target[vertex]), paths);
        }
    }
}

// Counts the vertices that each source has reached, among every so manyth.
WORK_GROUP(LANES, 1, 1)
__kernel void count_reached(__global const uint *restrict seen, __global uint *restrict reached, const uint n)
{
    const size_t bundle = get_global_id(1), lane = get_local_id(0);
    uint sum = 0;
    for (size_t vertex = get_group_id(0); vertex < n; vertex += get_num_groups(0))
        sum += seen[bundle * n + vertex] >> lane & 1;
    reached[(bundle * get_num_groups(0) + get_group_id(0)) * LANES + lane] = sum;
}

// Adds the dependencies of the sources, block after block.
__kernel void add_sources(__global const uint *restrict seen, __global const double *restrict dependencies,
                          __global double *restrict totals, __global uint *restrict reached_by, const uint bundles,
                          const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex >= n)
        return;
    double total = totals[vertex];
    uint count = 0;
    for (size_t bundle = 0; bundle < bundles; ++bundle) {
        const uint mask = seen[bundle * n + vertex];
        count += popcount(mask);
        for (uint first = 0; first < LANES; first += SOURCES) {
            double sum = 0.0;
            for (uint lane = first; lane < first + SOURCES; ++lane)
                if (mask >> lane & 1)
                    sum += dependencies[(bundle * n + vertex) * LANES + lane];
            total += sum;
        }
    }
    totals[vertex] = total;
    reached_by[vertex] += count;
}

// Adds what of the shortest paths passes each edge, block after block.
__kernel void add_edges(__global const int *restrict tails, __global const int *restrict heads,
                        __global const uint *restrict seen, __global const int *restrict levels,
                        __global const Count *restrict counts, __global const Count *restrict coefficients,
                        __global double *restrict totals, const uint bundles, const uint n, const ulong m)
{
    const size_t edge = get_global_id(0);
    if (edge >= m)
        return;
    double total = totals[edge];
    for (size_t bundle = 0; bundle < bundles; ++bundle) {
        const size_t tail = bundle * n + tails[edge], head = bundle * n + heads[edge];
        const uint mask = seen[tail] & seen[head];
        for (uint first = 0; first < LANES; first += SOURCES) {
            double sum = 0.0;
            for (uint lane = first; lane < first + SOURCES; ++lane)
                if (mask >> lane & 1 && levels[tail * LANES + lane] + 1 == levels[head * LANES + lane])
                    sum = product_plus(counts[tail * LANES + lane], coefficients[head * LANES + lane], sum);
            total += sum;
        }
    }
    totals[edge] = total;
}
