// Input Parallel Bellman-Ford, refined: only edges that leave a vertex of the last round's updates are relaxed.
//
// Source:       thesis section 5.4.2; early stop of section 6.1.2.
// NDRange:      initialise, count_edges: global n + 1; initialise_sources: n; finalise: n / RUN, rounded up;
//               relax: any global size, several times if there are many edges. Work-groups (GROUP_SIZE), free but for
//               finalise, and for relax where a rung of the ladder has local memory.
// Local memory: 4 bytes in finalise, 4 * LADDER_WORDS (balance/ladder.cl) in relax.
// Macros:       GROUP_SIZE, work-items of a work-group;
//               LADDER, how active edges are shared out, and other macros of balance/ladder.cl;
//               RUN, active edges, or vertices to finalise, that follow one another and are left to one work-item;
//               LISTED, 1: the active vertices are listed before their edges are counted, as in the thesis;
//               WIDE, 1 if WEIGHT has 64 bits;
//               EDGE_CLASSES, 1: use what is known of the edges at each vertex (Busato and Bombieri, section 3.2);
//               KEEP_PREDECESSORS, 1: store the source of the edge that gave the current path weight; those of
//               core/out_edges.cl and core/weights.cl.
//
// Vertices updated in the last round are active, and so are the edges that leave them. A round is:
//   - with LISTED the compaction of `marks` into the list `active` of `active_count` vertices
//     (reedsp/primitives/scan.py), and count_edges: how many edges leave each vertex of the list. Without LISTED the
//     last round has counted the edges that leave each vertex, none if it is not active
//   - the exclusive scan of the n + 1 counts in `prefixes`, in place (reedsp/primitives/scan.py), after which the last
//     of them is the number of active edges
//   - relax, once a step: each active edge is relaxed, first to find the minimum path weight of each vertex, and then
//     the source of an edge that gives it. Vertices are the items of the ladder (balance/ladder.cl), edges their units
//   - finalise: updates, and the marks or counts of the next round
//
// Edges that end at the same vertex are no neighbours in this order, so they meet in atomic operations, which OpenCL C
// 1.2 has for words of 32 bits. A path weight becomes an unsigned key with the same order, and the key one word or two:
// step HIGH_WORDS finds the minimum high word, and LOW_WORDS the minimum low word among the keys with this high word.
// Both belong to this round alone: `weights` is read, but not written, until they are final. So the path weights after
// k rounds are the minimum over all paths of at most k edges, whatever the order in which the work-items run.
//   first_edge, edges     in   (n + 1), (m) see core/out_edges.cl
//   active, active_count  in   (n), (1) with LISTED
//   marks                 i/o  (n) with LISTED: 1 if the vertex is active
//   prefixes              i/o  (n + 1) counts of active edges, then how many there are before
//   classes               in   (n) with EDGE_CLASSES: sums of SOLE and LEAF
//   weights               i/o  (n) path weight of each vertex; INF = no path yet
//   best                  i/o  (n, WORDS) key of the minimum path weight of this round, high word first; else NONE
//   best_sources          i/o  (n) with KEEP_PREDECESSORS: the minimum source of an edge that gives it; else NONE
//   predecessors          i/o  (n) with KEEP_PREDECESSORS
//   updates, phase        i/o  whether the last round updated a path weight, and this one does; see core/rounds.cl
//   ceiling               path weights from here on are not recorded (INF: all are)
//   step, first, last     what relax is for, and which of the active edges it takes, by their numbers
//   plan, turn            in   what the rung of the ladder has prepared for these edges
//
// A round without active vertices has no active edges either: only `finalise` has to know that it is skipped.

#if !defined(GROUP_SIZE) || !defined(RUN) || RUN < 1
#error "single_source/input_parallel_refined.cl needs the macros GROUP_SIZE and RUN of at least 1"
#endif
#if !defined(LISTED) || !defined(WIDE) || !defined(KEEP_PREDECESSORS) || !defined(EDGE_CLASSES)
#error "single_source/input_parallel_refined.cl needs LISTED, WIDE, KEEP_PREDECESSORS and EDGE_CLASSES"
#endif

#include "core/out_edges.cl"

#define HIGH_WORDS 0  // steps
#define LOW_WORDS 1
#define SOURCES 2
#define SOLE 1            // classes: at most one edge ends at the vertex
#define LEAF 2            // nothing is gained by the edges that leave it
#define NONE 0xFFFFFFFFu  // as a word and as a source: greater than all of them

#define WORDS (1 + WIDE)  // of a key

#if WIDE
typedef ulong Key;
#define AS_KEY(weight) as_ulong(weight)
#define HIGH_WORD(key) (uint)((key) >> 32)
#define LOW_WORD(key) (uint)(key)
#define KEY_AT(best, vertex) upsample((best)[2 * (vertex)], (best)[2 * (vertex) + 1])
#else
typedef uint Key;
#define AS_KEY(weight) as_uint(weight)
#define HIGH_WORD(key) (key)
#define KEY_AT(best, vertex) (best)[vertex]
#endif
#define SIGN ((Key)1 << (32 * WORDS - 1))
#define NO_KEY (~(Key)0)  // every path weight below INF has a smaller key

// A number with the same order as the path weight. Negative floats have the order of their bits reversed.
Key key_of(const WEIGHT weight)
{
#if IS_INTEGER
    return AS_KEY(weight) ^ SIGN;
#else
    return AS_KEY(weight) & SIGN ? ~AS_KEY(weight) : AS_KEY(weight) ^ SIGN;
#endif
}

WEIGHT weight_of(const Key key)
{
#if IS_INTEGER
    return AS_TYPE(WEIGHT, key ^ SIGN);
#else
    return AS_TYPE(WEIGHT, key & SIGN ? key ^ SIGN : ~key);
#endif
}

__kernel void initialise(__global WEIGHT *restrict weights, __global uint *restrict best,
                         __global const OFFSET *restrict first_edge, __global uchar *restrict marks,
                         __global OFFSET *restrict prefixes, const uint source, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex <= n)
        prefixes[vertex] = vertex == source ? first_edge[vertex + 1] - first_edge[vertex] : 0;
    if (vertex < n) {
        weights[vertex] = vertex == source ? 0 : INF;
        for (uint word = 0; word < WORDS; ++word)
            best[WORDS * vertex + word] = NONE;
#if LISTED
        marks[vertex] = vertex == source;
#endif
    }
}

// Before the first round that keeps predecessors.
__kernel void initialise_sources(__global uint *restrict best_sources, __global int *restrict predecessors,
                                 const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n) {
        best_sources[vertex] = NONE;
        predecessors[vertex] = NO_VERTEX;
    }
}

// With LISTED only.
__kernel void count_edges(__global const OFFSET *restrict first_edge, __global const uint *restrict active,
                          __global const uint *restrict active_count, __global OFFSET *restrict prefixes, const uint n)
{
    const size_t i = get_global_id(0);
    if (i <= n)
        prefixes[i] = i < *active_count ? first_edge[active[i] + 1] - first_edge[active[i]] : 0;
}

// What one edge that lowers a path weight adds to a step.
void offer(const uint step, __global uint *restrict best, __global uint *restrict best_sources, const size_t target,
           const Key key, const uint source)
{
    if (step == HIGH_WORDS)
        atomic_min(&best[WORDS * target], HIGH_WORD(key));
#if WIDE
    if (step == LOW_WORDS && HIGH_WORD(key) == best[2 * target])
        atomic_min(&best[2 * target + 1], LOW_WORD(key));
#endif
    if (step == SOURCES && key == KEY_AT(best, target))
        atomic_min(&best_sources[target], source);
}

#if EDGE_CLASSES
// The same for a vertex at which no other edge ends, so that there is nothing to compare with.
void put(const uint step, __global uint *restrict best, __global uint *restrict best_sources, const size_t target,
         const Key key, const uint source)
{
    if (step == HIGH_WORDS) {
        best[WORDS * target] = HIGH_WORD(key);
#if WIDE
        best[2 * target + 1] = LOW_WORD(key);
#endif
    }
    if (step == SOURCES)
        best_sources[target] = source;
}
#endif

// What the work-items of relax work with.
typedef struct {
    __global const OFFSET *first_edge;
    __global const Edge *edges;
    __global const uint *active;
    __global const OFFSET *prefixes;
    __global const uchar *classes;
    __global const WEIGHT *weights;
    __global uint *best, *best_sources;
    WEIGHT ceiling;
    uint step;
} Relaxation;

#define BALANCED Relaxation
#include "balance/ladder.cl"

void visit(const Relaxation *what, const uint item, const ulong first, const ulong end, const uint stride)
{
    const uint source = LISTED ? what->active[item] : item;
    const WEIGHT before = what->weights[source];
    const ulong shift = (ulong)what->first_edge[source] - what->prefixes[item];  // from its number to an edge's offset
    for (ulong number = first; number < end; number += stride) {
        const Edge edge = what->edges[number + shift];
        const WEIGHT sum = path_sum(before, edge.weight);
        if (sum < what->weights[edge.target] && sum < what->ceiling) {
#if EDGE_CLASSES
            if (what->classes[edge.target] & SOLE) {
                put(what->step, what->best, what->best_sources, edge.target, key_of(sum), source);
                continue;
            }
#endif
            offer(what->step, what->best, what->best_sources, edge.target, key_of(sum), source);
        }
    }
}

#if LADDER_WORDS
WORK_GROUP(GROUP_SIZE, 1, 1)
#endif
__kernel void relax(__global const OFFSET *restrict first_edge, __global const Edge *restrict edges,
                    __global const uint *restrict active, __global const uint *restrict active_count,
                    __global const OFFSET *restrict prefixes, __global const uchar *restrict classes,
                    __global const WEIGHT *restrict weights, __global uint *restrict best,
                    __global uint *restrict best_sources, __global const uint *restrict plan, const WEIGHT ceiling,
                    const uint n, const uint turn, const uint step, const ulong first, const ulong last)
{
#if LADDER_WORDS
    __local uint words[LADDER_WORDS];
#else
    __local uint *words = 0;
#endif
    const Relaxation what = {first_edge, edges, active, prefixes, classes, weights, best, best_sources, ceiling, step};
    const Items items = items_of(prefixes, LISTED ? *active_count : n, first, last);
    share_out(&what, &items, plan, turn, words);
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void finalise(__global WEIGHT *restrict weights, __global uint *restrict best,
                       __global const OFFSET *restrict first_edge, __global uchar *restrict marks,
                       __global OFFSET *restrict prefixes, __global const uchar *restrict classes,
                       __global uint *restrict best_sources, __global int *restrict predecessors,
                       __global uint *restrict updates, const uint phase, const uint n)
{
    __local uint group_updated;
    const bool skipped = round_is_skipped(updates, phase);
    if (get_global_id(0) == 0)
        prepare_next_round(updates, phase);
    if (get_local_id(0) == 0)
        group_updated = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    const size_t first = skipped ? n : get_global_id(0) * (size_t)RUN;
    const size_t last = min(first + RUN, (size_t)n);
    bool any = false;
    for (size_t vertex = first; vertex < last; ++vertex) {
        const Key minimum = KEY_AT(best, vertex);
        const bool updated = minimum != NO_KEY;
#if LISTED
        marks[vertex] = updated;
#else
        prefixes[vertex] = updated ? first_edge[vertex + 1] - first_edge[vertex] : 0;
#endif
        if (updated) {
            any = true;
#if EDGE_CLASSES
            if (classes[vertex] & LEAF) {
#if LISTED
                marks[vertex] = 0;
#else
                prefixes[vertex] = 0;
#endif
            }
#endif
            weights[vertex] = weight_of(minimum);
            for (uint word = 0; word < WORDS; ++word)
                best[WORDS * vertex + word] = NONE;
#if KEEP_PREDECESSORS
            predecessors[vertex] = best_sources[vertex];
            best_sources[vertex] = NONE;
#endif
        }
    }
    if (any)
        atomic_or(&group_updated, 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && group_updated)
        report_update(updates, phase);
}
