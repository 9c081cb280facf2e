// Dijkstra's shortest paths from several sources with arrays: each work-group finds one row of distances after the other.
//
// Source:       Dijkstra (1959), as Ma, Agrawal and Chamberlain (2012, section III.C) take it for Johnson's algorithm
//               with arrays, a multiprocessor a source; for weights that are not negative.
// NDRange:      global GROUP_SIZE times the number of work-groups; work-group (GROUP_SIZE). A launch ends when each
//               work-group has done about `budget` edges and sixteenths of keys, and the next one goes on from there.
// Local memory: CAPACITY keys if IN_LOCAL; GROUP_SIZE keys and vertices.
// Macros:       GROUP_SIZE, a power of two; with 1, as on CPUs, the keys are looked at LANES at a time;
//               LANES, 8 or 16; IN_LOCAL, 1: a work-group has its keys in local memory, and CAPACITY is room for
//               `capacity` of them; 0: in global memory; WIDE, 1 if WEIGHT has 64 bits;
//               COALESCED, neighbouring words that count as one access; single_source/counted.cl; core/out_edges.cl;
//               core/weights.cl.
//   first_edge, edges  in      core/out_edges.cl
//   first_start        in      (rows + 1) offset in `starts` of the first vertex at distance 0 of each row
//   starts             in      vertices, different ones within a row
//   dist               out     (rows, n) INF = not reached
//   kept_keys          local to a work-group, (work-groups, capacity)
//   searches           i/o     (work-groups) zeros at first
//   counters           i/o     core/rows.cl: steps are vertices whose edges were relaxed
//   counts             i/o     (rows, GROUP_SIZE, COUNTED) zeros at first, if COUNTS; else not used
//   ceiling                    path weights from here on are not recorded
//   target                     distances beyond that of this vertex need not be found; n or more: all are
//   capacity                   at least n; a multiple of BLOCK
//
// The key of a vertex is its distance so far, as an unsigned integer: distances are not negative, and so in the same
// order. With the sign bit of a vertex whose edges have been relaxed it is above all keys of others; and as a weight
// below all path weights, so that nothing lowers it any more. A graph has no parallel edges: no two edges of one vertex
// lower the same key.

#if !defined(GROUP_SIZE) || GROUP_SIZE < 1 || (GROUP_SIZE & (GROUP_SIZE - 1)) != 0
#error "single_source/dijkstra_array.cl needs GROUP_SIZE, a power of two"
#endif
#if !defined(LANES) || LANES != 8 && LANES != 16
#error "single_source/dijkstra_array.cl needs LANES, 8 or 16"
#endif
#if !defined(IN_LOCAL) || IN_LOCAL && (!defined(CAPACITY) || CAPACITY < 1)
#error "single_source/dijkstra_array.cl needs IN_LOCAL, and then CAPACITY of at least 1"
#endif
#if !defined(WIDE) || !defined(COALESCED) || COALESCED < 1
#error "single_source/dijkstra_array.cl needs WIDE, and COALESCED of at least 1"
#endif

#include "core/out_edges.cl"
#include "core/rows.cl"
#include "single_source/counted.cl"

#define NO_ROW 0  // stages of a row
#define NOT_BEGUN 1
#define UNDER_WAY 2
#define STATE_BYTES 16  // that a work-group has for what it remembers between two launches
#define BLOCK 128       // keys

#if WIDE
#define KEY ulong
#else
#define KEY uint
#endif
#define AS_KEY(weight) AS_TYPE(KEY, weight)
#define AS_WEIGHT(key) AS_TYPE(WEIGHT, key)
#define NO_KEY AS_KEY((WEIGHT)INF)
#define RELAXED ((KEY)1 << (8 * sizeof(KEY) - 1))
#define KEYS VECTOR(KEY, LANES)

#if IN_LOCAL
#define MEMORY __local
#else
#define MEMORY __global
#endif
#define FENCE (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

// What a work-group remembers between two launches.
typedef struct {
    uint row;
    uint stage;
    KEY aim;  // the target's, once its edges have been relaxed
} Progress;

typedef char ProgressFits[sizeof(Progress) <= STATE_BYTES ? 1 : -1];

typedef struct {
    KEY key;
    uint vertex;  // the smallest one of this key
} Minimum;

// By one work-item, for all.
#define COUNT_ALONE(which, number) COUNT(totals, which, item == 0 ? (number) : 0)

// Rounded up.
ulong pieces(const ulong count, const ulong size)
{
    return (count + size - 1) / size;
}

#if GROUP_SIZE == 1

KEY lowest_of(const KEYS keys)
{
#if LANES == 16
    const VECTOR(KEY, 8) eight = min(keys.lo, keys.hi);
#else
    const VECTOR(KEY, 8) eight = keys;
#endif
    const VECTOR(KEY, 4) four = min(eight.lo, eight.hi);
    const VECTOR(KEY, 2) two = min(four.lo, four.hi);
    return min(two.x, two.y);
}

// Returns the minimum of all keys, block by block: only in the last one that was below the others is its place sought.
Minimum minimum_of(MEMORY const KEY *keys, const uint capacity)
{
    Minimum found = {~(KEY)0, 0};
    for (uint block = 0; block < capacity; block += BLOCK) {
        KEYS lowest = VECTOR(vload, LANES)(0, keys + block);
        for (uint i = LANES; i < BLOCK; i += LANES)
            lowest = min(lowest, VECTOR(vload, LANES)(0, keys + block + i));
        const KEY key = lowest_of(lowest);
        if (key < found.key) {
            found.key = key;
            found.vertex = block;
        }
    }
    while (keys[found.vertex] > found.key)
        found.vertex += 1;
    return found;
}

#else

bool comes_before(const Minimum one, const Minimum other)
{
    return one.key < other.key || (one.key == other.key && one.vertex < other.vertex);
}

// Returns the minimum of all keys to each work-item, which look at every GROUP_SIZE-th one and then pair by pair at each
// other's. They have to meet before the next call.
Minimum minimum_of(MEMORY const KEY *keys, const uint n, __local Minimum *minima, ulong *totals)
{
    const uint item = get_local_id(0);
    Minimum own = {~(KEY)0, n};
    for (uint vertex = item; vertex < n; vertex += GROUP_SIZE) {
        const KEY key = keys[vertex];
        COUNT(totals, OPERATIONS, 1);
        if (key < own.key) {
            own.key = key;
            own.vertex = vertex;
        }
    }
    minima[item] = own;
    barrier(FENCE);
    for (uint apart = GROUP_SIZE / 2; apart > 0; apart /= 2) {
        if (item < apart) {
            COUNT(totals, OPERATIONS, 1);
            if (comes_before(minima[item + apart], minima[item]))
                minima[item] = minima[item + apart];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return minima[0];
}

#endif

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void solve_rows(__global const OFFSET *restrict first_edge, __global const Edge *restrict edges,
                         __global const uint *restrict first_start, __global const int *restrict starts,
                         __global WEIGHT *restrict dist, __global KEY *restrict kept_keys,
                         __global Progress *restrict searches, __global uint *restrict counters,
                         __global ulong *restrict counts, const WEIGHT ceiling, const uint target, const ulong budget,
                         const uint capacity, const uint n, const uint rows)
{
    const size_t group = get_group_id(0);
    const uint item = get_local_id(0);
    const uint length = GROUP_SIZE == 1 ? capacity : n;  // of the array, whole blocks with keys above all others
    __global KEY *kept = kept_keys + group * capacity;
    const Progress before = searches[group];
    __local uint taken;
    if (item == 0)
        taken = before.stage == NO_ROW ? atomic_inc(&counters[ROWS_BEGUN]) : before.row;
    barrier(FENCE);
    uint row = taken;
    bool is_new = before.stage != UNDER_WAY;
    KEY aim = before.aim;
    uint vertices = 0;
    ulong totals[COUNTED];
    for (uint i = 0; i < COUNTED; ++i)
        totals[i] = 0;
#if GROUP_SIZE > 1
    __local Minimum minima[GROUP_SIZE];
#endif
#if IN_LOCAL
    __local KEY keys[CAPACITY];
    if (!is_new) {
        for (uint i = item; i < length; i += GROUP_SIZE)
            keys[i] = kept[i];
    }
#else
    __global KEY *keys = kept;
#endif

    // Each work-item looks at keys of its own, every GROUP_SIZE-th one, but where edges are relaxed. All barriers are
    // met in each round: PoCL 3.1 makes wrong code of some that a condition or a break may pass over.
    for (ulong used = 0; used < budget && row < rows;) {
        if (is_new) {
            for (uint i = item; i < length; i += GROUP_SIZE)
                keys[i] = i < n ? NO_KEY : ~(KEY)0;
            COUNT_ALONE(ACCESSES, IN_LOCAL ? 0 : pieces(n, COALESCED));
            for (uint i = first_start[row]; i < first_start[row + 1]; ++i) {
                const uint start = starts[i];
                COUNT_ALONE(ACCESSES, IN_LOCAL ? 1 : 2);
                COUNT_ALONE(INSERTIONS, 1);
                if (start % GROUP_SIZE == item)
                    keys[start] = 0;
            }
            aim = NO_KEY;
            is_new = false;
        }

#if GROUP_SIZE > 1
        const Minimum lowest = minimum_of(keys, n, minima, totals);
#else
        const Minimum lowest = minimum_of(keys, capacity);
        COUNT(totals, OPERATIONS, n);
#endif
        used += 1 + n / 16;
        COUNT_ALONE(EXTRACTIONS, 1);
        COUNT_ALONE(SPAN, pieces(n, GROUP_SIZE) + popcount((uint)GROUP_SIZE - 1));
        COUNT_ALONE(ACCESSES, IN_LOCAL ? 0 : pieces(n, COALESCED));
        const bool is_last = lowest.key >= NO_KEY || lowest.key > aim;
        if (is_last) {
            for (uint i = item; i < n; i += GROUP_SIZE)
                dist[(size_t)row * n + i] = AS_WEIGHT((KEY)(keys[i] & ~RELAXED));
            COUNT_ALONE(ACCESSES, (IN_LOCAL ? 1 : 2) * pieces(n, COALESCED));
            if (item == 0) {
                atomic_inc(&counters[ROWS_DONE]);
                taken = atomic_inc(&counters[ROWS_BEGUN]);
            }
        } else {
            const OFFSET first = first_edge[lowest.vertex];
            const OFFSET last = first_edge[lowest.vertex + 1];
            used += last - first;
            COUNT_ALONE(SPAN, 2 * pieces(last - first, GROUP_SIZE));
            COUNT_ALONE(ACCESSES, 2 + pieces(last - first, COALESCED) + (IN_LOCAL ? 0 : 2));
            for (OFFSET i = first + item; i < last; i += GROUP_SIZE) {
                const Edge edge = edges[i];
                const WEIGHT sum = path_sum(AS_WEIGHT(lowest.key), edge.weight);
                COUNT(totals, OPERATIONS, 2);
                COUNT(totals, ACCESSES, IN_LOCAL ? 0 : 1);
                if (sum < AS_WEIGHT(keys[edge.target]) && sum < ceiling) {
                    keys[edge.target] = AS_KEY(sum);
                    COUNT(totals, INSERTIONS, 1);
                    COUNT(totals, ACCESSES, IN_LOCAL ? 0 : 1);
                }
            }
        }
        barrier(FENCE);
#if COUNTS
        for (uint i = 0; i < COUNTED; ++i) {
            counts[((size_t)row * GROUP_SIZE + item) * COUNTED + i] += totals[i];
            totals[i] = 0;
        }
#endif
        if (is_last) {
            row = taken;
            is_new = true;
        } else {
            if (item == lowest.vertex % GROUP_SIZE)
                keys[lowest.vertex] |= RELAXED;
            if (lowest.vertex == target)
                aim = lowest.key;
            vertices += 1;
        }
    }

#if IN_LOCAL
    if (!is_new) {
        for (uint i = item; i < length; i += GROUP_SIZE)
            kept[i] = keys[i];
    }
#endif
    if (item == 0) {
        atomic_add(&counters[STEPS], vertices);
        const Progress after = {row, is_new ? NOT_BEGUN : UNDER_WAY, aim};
        searches[group] = after;
    }
}
