// Bellman-Ford from several sources: each work-group finds one row of path weights after the other by itself.
//
// Source:       Bellman-Ford, as Ma, Agrawal and Chamberlain (2012, section III.D, Algorithm 2) take it for all pairs, a
//               multiprocessor a source; a row ends with the first round without an update (thesis section 6.1.2).
// NDRange:      global GROUP_SIZE times the number of work-groups; work-group (GROUP_SIZE). A launch ends when each
//               work-group has relaxed about `budget` edges, and the next one goes on from there.
// Local memory: 2 * VERTICES * sizeof(WEIGHT) if IN_LOCAL; 16 bytes.
// Macros:       GROUP_SIZE; IN_LOCAL, 1: a work-group has its path weights in local memory, and VERTICES is for how many
//               there is room; 0: in global memory;
//               KEEP_PREDECESSORS, 1: store the source of the edge that gave each path weight;
//               single_source/counted.cl; core/weights.cl.
// The first four arrays are those of single_source/output_parallel.cl; and
//   first_start   in   (rows + 1) offset in `starts` of the first vertex at distance 0 of each row
//   starts        in   vertices, different ones within a row
//   dist          i/o  (rows, n) out: INF = not reached
//   others        local to a work-group, (work-groups, n) unless IN_LOCAL
//   predecessors  i/o  (rows, n) with KEEP_PREDECESSORS
//   rests         out  (rows) rounds after which nothing was updated any more, that one included; or UNREST, if `limit`
//                      rounds have updated something each; or ABANDONED, if that is known of another row
//   counters      i/o  core/rows.cl: steps are rounds; the last one is not 0 if a row is in unrest
//   paused        i/o  (work-groups, 2) zeros at first: a row to go on with + 1, and its rounds
//   counts        i/o  (rows, GROUP_SIZE, COUNTED) zeros at first, if COUNTS; else not used
//   ceiling            path weights from here on are not recorded (INF: all are)
//
// One work-item relaxes the edges that end at a vertex, from the path weights of the last round to those of this one. So
// nothing is lost and nothing races, and after k rounds each weight is the minimum of all paths of at most k edges.

#if !defined(GROUP_SIZE) || !defined(IN_LOCAL) || !defined(KEEP_PREDECESSORS)
#error "single_source/bellman_ford_groups.cl needs GROUP_SIZE, IN_LOCAL and KEEP_PREDECESSORS"
#endif
#if IN_LOCAL && (!defined(VERTICES) || VERTICES < 1)
#error "single_source/bellman_ford_groups.cl needs VERTICES of at least 1 with IN_LOCAL"
#endif

#include "core/rows.cl"
#include "core/weights.cl"
#include "single_source/counted.cl"

#define IN_UNREST 3
#define UNREST 0xFFFFFFFFu
#define ABANDONED 0xFFFFFFFEu
#define PAUSED_WORDS 2

// What a work-group is at.
#define TAKES_A_ROW 0
#define BEGINS_IT 1
#define RELAXES 2

#if IN_LOCAL
#define SPACE __local
#else
#define SPACE __global
#endif

typedef struct {
    __global const WEIGHT *edge_weights;
    __global const int *edge_sources;
    __global const uint *edge_counts;
    __global const ulong *vertex_edge_index;
    __global int *predecessors;  // of the row
    WEIGHT ceiling;
    uint n;
} Edges;

// One set of relaxations; returns whether this work-item has updated something.
bool relax_all(const Edges *edges, const SPACE WEIGHT *before, SPACE WEIGHT *after, ulong *totals)
{
    bool updated = false;
    for (uint vertex = get_local_id(0); vertex < edges->n; vertex += GROUP_SIZE) {
        const ulong first = edges->vertex_edge_index[vertex], last = first + edges->edge_counts[vertex];
        const WEIGHT own = before[vertex], start = own < edges->ceiling ? own : edges->ceiling;
        WEIGHT minimum = start;
#if KEEP_PREDECESSORS
        ulong best_edge = 0;
#endif
        for (ulong edge = first; edge < last; ++edge) {
            const WEIGHT sum = path_sum(before[edges->edge_sources[edge]], edges->edge_weights[edge]);
            if (sum < minimum) {
                minimum = sum;
#if KEEP_PREDECESSORS
                best_edge = edge;
#endif
            }
        }
        after[vertex] = minimum < start ? minimum : own;
#if KEEP_PREDECESSORS
        if (minimum < start)
            edges->predecessors[vertex] = edges->edge_sources[best_edge];
#endif
        updated = updated || minimum < start;
        COUNT(totals, OPERATIONS, 2 * (last - first));
        COUNT(totals, ACCESSES, 2 + (2 + !IN_LOCAL) * (last - first) + (IN_LOCAL ? 0 : 2));
        COUNT(totals, INSERTIONS, minimum < start);
    }
    return updated;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void solve_rows(__global const WEIGHT *restrict edge_weights, __global const int *restrict edge_sources,
                         __global const uint *restrict edge_counts, __global const ulong *restrict vertex_edge_index,
                         __global const uint *restrict first_start, __global const int *restrict starts,
                         __global WEIGHT *dist, __global WEIGHT *others, __global int *restrict predecessors,
                         __global uint *restrict rests, __global uint *restrict counters,
                         __global uint *restrict paused, __global ulong *restrict counts, const WEIGHT ceiling,
                         const uint limit, const ulong budget, const ulong m, const uint n, const uint rows)
{
#if IN_LOCAL
    __local WEIGHT first_half[VERTICES], second_half[VERTICES];
#endif
    __local uint updates[3], taken_row,
        given_up;  // of three rounds, as no barrier comes between the use of two of them
    const uint item = get_local_id(0);
    __global uint *own = paused + get_group_id(0) * (size_t)PAUSED_WORDS;
    Edges edges = {
        .edge_weights = edge_weights,
        .edge_sources = edge_sources,
        .edge_counts = edge_counts,
        .vertex_edge_index = vertex_edge_index,
        .ceiling = ceiling,
        .n = n,
    };
    const uint resumed = own[0];
    SPACE WEIGHT *before = 0, *after = 0;
    __global WEIGHT *own_dist = 0;
    ulong work = 0;
    uint row = 0, rounds = 0, stage = TAKES_A_ROW;
    uint turn = 0;  // of the words that say whether a round has updated something
    bool goes_on = resumed != 0, abandoned = false, ended = false;
    ulong totals[COUNTED] = {0};
    if (item == 0)
        updates[0] = updates[1] = updates[2] = 0;

    // All work-items take the same way, and come to the same barrier. Before it are branches side by side: PoCL 5 fails on
    // those within others.
    while (!ended) {
        if (stage == TAKES_A_ROW) {
            if (item == 0) {
                taken_row = goes_on ? resumed - 1 : atomic_inc(&counters[ROWS_BEGUN]);
                given_up = atomic_or(&counters[IN_UNREST], 0u);
            }
        }
        if (stage == BEGINS_IT) {
            for (uint vertex = item; vertex < n; vertex += GROUP_SIZE) {
                before[vertex] = goes_on ? own_dist[vertex] : INF;
#if KEEP_PREDECESSORS
                if (!goes_on)
                    edges.predecessors[vertex] = NO_VERTEX;
#endif
            }
            const uint first = goes_on ? 0 : first_start[row], last = goes_on ? 0 : first_start[row + 1];
            for (uint i = first; i < last; ++i) {
                if (starts[i] % GROUP_SIZE == item)
                    before[starts[i]] = 0;
            }
        }
        if (stage == RELAXES) {
            if (item == 0)
                updates[(turn + 1) % 3] = 0;
            if (relax_all(&edges, before, after, totals))
                atomic_or(&updates[turn], 1u);
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

        bool done = false;
        uint rest = 0;
        if (stage == TAKES_A_ROW) {
            row = taken_row;
            ended = row >= rows;
            rounds = goes_on ? own[1] : 0;
            own_dist = dist + row * (size_t)n;
            edges.predecessors = predecessors + row * (size_t)n;
#if IN_LOCAL
            before = first_half;
            after = second_half;
#else
            before = own_dist;
            after = others + get_group_id(0) * (size_t)n;
#endif
            work += n / 16;  // a path weight is set so much faster than an edge is relaxed
            abandoned = given_up;
            stage = ended ? TAKES_A_ROW : BEGINS_IT;
        } else if (stage == BEGINS_IT) {
            goes_on = false;
            done = abandoned;
            rest = ABANDONED;
            stage = RELAXES;
        } else {
            SPACE WEIGHT *swapped = before;
            before = after;
            after = swapped;
            const bool updated = updates[turn];
            turn = (turn + 1) % 3;
            ++rounds;
            work += m + n;
            done = !updated || rounds >= limit;
            rest = updated ? UNREST : rounds;
            ended = !done && work >= budget;
            if (done || ended) {
                for (uint vertex = item; vertex < n; vertex += GROUP_SIZE)
                    own_dist[vertex] = before[vertex];
            }
        }
        if (item == 0 && ended) {
            own[0] = stage == RELAXES ? row + 1 : 0;
            own[1] = rounds;
        }
        if (done) {
            stage = TAKES_A_ROW;
            if (item == 0) {
                rests[row] = rest;
                atomic_inc(&counters[ROWS_DONE]);
                atomic_add(&counters[STEPS], rounds);
                atomic_or(&counters[IN_UNREST], rest == UNREST ? 1u : 0u);
            }
#if COUNTS
            for (uint i = 0; i < COUNTED; ++i) {
                counts[((size_t)row * GROUP_SIZE + item) * COUNTED + i] += totals[i];
                totals[i] = 0;
            }
#endif
        }
    }
#if COUNTS
    if (row < rows) {
        for (uint i = 0; i < COUNTED; ++i)
            counts[((size_t)row * GROUP_SIZE + item) * COUNTED + i] += totals[i];
    }
#endif
}
