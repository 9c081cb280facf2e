// Near-far shortest paths from several sources: each work-item finds one row of distances after the other by itself.
//
// Source:       near-far worklists (Davidson, Baxter, Garland and Owens, 2014), a simple form of delta-stepping (Meyer
//               and Sanders, 2003), here in one work-item, for weights that are not negative.
// NDRange:      global the number of work-items; work-group (1). A launch ends when each work-item has relaxed about
//               `budget` edges, and the next one goes on from there.
// Local memory: none.
// Macros:       WIDE, TREES, CHUNK, PREFETCH_BUILT_IN (single_source/near_far_piles.cl, with SHARED 0);
//               core/out_edges.cl; core/weights.cl.
//   first_edge, edges  in      core/out_edges.cl
//   first_start        in      (rows + 1) offset in `starts` of the first vertex at distance 0 of each row
//   starts             in      vertices, different ones within a row
//   words              out     (rows, n) of Word; NOT_REACHED
//   near, far          local to a work-item, (work-items, capacity); capacity at least n + CHUNK
//   searches           i/o     (work-items) zeros at first
//   counters           i/o     core/rows.cl: steps are near intervals
//   delta, ceiling     see single_source/near_far_piles.cl
//   target             distances beyond that of this vertex need not be found; n or more: all are

#include "core/rows.cl"
#include "single_source/near_far_piles.cl"

// What a work-item remembers between two launches.
typedef struct {
    uint active;
    uint row;
    uint head, tail, far_count;
    WEIGHT limit, minimum, width;
    ulong relaxed, scanned;
} Progress;

typedef char ProgressFits[sizeof(Progress) <= STATE_BYTES ? 1 : -1];

// Reaches the starts of a row.
void begin_row(Search *s, __global Word *words, __global const int *starts, const uint count, const uint n)
{
    s->words = words;
    for (size_t vertex = 0; vertex < n; ++vertex)
        words[vertex] = NOT_REACHED;
    s->head = s->tail = s->far_count = 0;
    s->limit = s->width = first_width(s->delta);
    s->minimum = INF;
    s->relaxed = s->scanned = 0;
    for (uint i = 0; i < count; ++i) {
        const Entry start = {starts[i], 0};
        words[start.vertex] = SOURCE;
        put(s, start);
    }
}

WORK_GROUP(1, 1, 1)
__kernel void solve_rows(__global const OFFSET *restrict first_edge, __global const Edge *restrict edges,
                         __global const uint *restrict first_start, __global const int *restrict starts,
                         __global Word *restrict words, __global Entry *restrict near, __global Entry *restrict far,
                         __global Progress *restrict searches, __global uint *restrict counters, const WEIGHT delta,
                         const WEIGHT ceiling, const uint target, const ulong budget, const uint capacity, const uint n,
                         const uint rows)
{
    const size_t worker = get_global_id(0);
    const Progress before = searches[worker];
    Search s;
    s.first_edge = first_edge;
    s.edges = edges;
    s.near = near + worker * capacity;
    s.far = far + worker * capacity;
    s.capacity = capacity;
    s.ceiling = ceiling;
    s.alone = true;
    s.words = words + (size_t)before.row * n;
    s.head = before.head;
    s.tail = before.tail;
    s.far_count = before.far_count;
    s.limit = before.limit;
    s.minimum = before.minimum;
    s.width = before.width;
    s.delta = delta;
    s.relaxed = before.relaxed;
    s.scanned = before.scanned;
    bool active = before.active;
    uint row = before.row;
    uint intervals = 0;

    for (ulong used = 0; used < budget;) {
        if (!active) {
            row = atomic_inc(&counters[ROWS_BEGUN]);
            if (row >= rows)
                break;
            active = true;
            const uint first = first_start[row];
            begin_row(&s, words + (size_t)row * n, starts + first, first_start[row + 1] - first, n);
            used += n / 16;  // a distance is set so much faster than an edge is relaxed
        }
        const ulong relaxed = s.relaxed;
        relax_near(&s, budget - used);
        used += s.relaxed - relaxed;
        if (s.head == s.tail) {
            ++intervals;
            used += s.far_count / 4;
            if (s.far_count > 0)
                begin_interval(&s, target < n ? distance_of(s.words, target) : INF);
            active = s.head < s.tail || s.far_count > 0;
            if (!active)
                atomic_inc(&counters[ROWS_DONE]);
        }
    }

    atomic_add(&counters[STEPS], intervals);
    const Progress after = {active,  row,       s.head,  s.tail,    s.far_count,
                            s.limit, s.minimum, s.width, s.relaxed, s.scanned};
    searches[worker] = after;
}
