// Near-far shortest paths from one source by a few work-items at once, one a CPU core.
//
// Source:       near-far worklists as in near_far_work_item.cl.
// NDRange:      global the number of work-items; work-group (1). A launch ends when each work-item has relaxed about
//               `budget` edges, or one has nothing left to do or has to wait; the next one shares the entries out anew.
// Local memory: none.
// Macros:       SLICE, edges relaxed between two looks at the other work-items;
//               LAG, near intervals that a work-item may be behind before another one waits for it;
//               CHUNK, HINTS, KEY, ATOMIC_LOADS (near_far_piles.cl, with SHARED 1); out_edges.cl.
//   first_edge, edges  in      out_edges.cl
//   starts, count      in      (count) the vertices at distance 0, all different
//   dist               out     (n) INF = not reached
//   entries            local to the kernels: (2, work-items, 2, capacity): piles before and after a launch, in turn,
//                      of each work-item, near and far; capacity at least n + CHUNK
//   shares             local to the kernels: (2, work-items) what is in these piles
//   limits             local to the kernels: (2, work-items) of KEY; the limit that each work-item has come to in this
//                      launch, 0 until it begins and INF once it is done; and zeros for the next launch
//   report             out     (work-items, 2) entries left, and near intervals so far
//   phase              0 and 1 in turn
//   few                entries that are too few to share
//   patience           looks at a work-item that lags behind, before the one that is ahead gives up
//   delta, ceiling     see near_far_piles.cl
//   target             distances beyond that of this vertex need not be found; n or more: all are
//
// In a launch, each work-item searches by itself among all vertices, from its share of the entries, and keeps what it
// discovers. All it learns from the others is the distances, which it need not know, and their limits: who is ahead
// waits for a while, lest it spend its time on distances that will be lowered. It does not wait for long, because
// nothing says that work-groups run at the same time: it ends, and then one work-item goes on alone, for more launches
// each time that this happens.

#if !defined(SLICE) || !defined(LAG)
#error "near_far_team.cl needs SLICE and LAG"
#endif

#include "near_far_piles.cl"

// Instead of limits; the latter two are beyond every other one, so that nobody waits.
#define NOT_BEGUN 0
#define IDLE as_key(INF)
#define BUDGET_SPENT (as_key(INF) - 1)

#define ENTRIES_LEFT 0
#define INTERVALS 1

#define LONGEST_ALONE 64 // launches
#define SAMPLE 64        // entries

typedef struct {
    uint head, tail, far_count;
    uint side;           // where the piles are; the same for all work-items
    uint is_uneven;      // whether to share anew, because this work-item has ended before its budget was spent
    uint launches_alone; // from the next one on
    uint setback;        // launches alone if this work-item waits in vain for one that has not begun
    WEIGHT limit, least, delta;
    ulong relaxed, scanned;
} Share;

__global Entry *pile(__global Entry *entries, const uint side, const size_t worker, const uint is_far,
                     const uint capacity)
{
    return entries + ((side * get_global_size(0) + worker) * 2 + is_far) * capacity;
}

// One launch before the first one with phase 0; same work-items.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void begin(__global const int *restrict starts, const uint count, __global WEIGHT *restrict dist,
           __global Entry *restrict entries, __global Share *restrict shares, __global KEY *restrict limits,
           __global uint *restrict report, const WEIGHT delta, const uint capacity, const uint n)
{
    const size_t worker = get_global_id(0), workers = get_global_size(0);
    limits[worker] = 0;
    report[2 * worker + ENTRIES_LEFT] = 0;
    report[2 * worker + INTERVALS] = worker == 0; // the one that holds the starts
    const size_t first = n * worker / workers, last = n * (worker + 1) / workers;
    for (size_t vertex = first; vertex < last; ++vertex)
        dist[vertex] = INF;
    uint mine = 0;
    __global Entry *near = pile(entries, 0, worker, 0, capacity);
    for (uint i = 0; i < count; ++i) {
        const Entry start = {starts[i], 0};
        if ((uint)start.vertex >= first && (uint)start.vertex < last) {
            dist[start.vertex] = 0;
            near[mine++] = start;
        }
    }
    const Share share = {0, mine, 0, 0, 1, 0, 1, delta, INF, delta, 0, 0};
    shares[worker] = share;
}

// The vertex of an entry, numbered through all piles.
uint vertex_at(__global Entry *entries, __global const Share *shares, ulong place, const uint capacity)
{
    for (size_t worker = 0; worker < get_global_size(0); ++worker) {
        const Share share = shares[worker];
        if (place < share.tail - share.head)
            return pile(entries, share.side, worker, 0, capacity)[share.head + place].vertex;
        place -= share.tail - share.head;
        if (place < share.far_count)
            return pile(entries, share.side, worker, 1, capacity)[place].vertex;
        place -= share.far_count;
    }
    return 0;
}

// Finds the vertices `first` to `last`-1 to which about a part of the entries belongs, from a sample of them. Numbers
// close together mostly mean vertices close together: then work-items seldom reach the same ones.
void find_part(__global Entry *entries, __global const Share *shares, const ulong total, const size_t part,
               const size_t parts, const uint capacity, const uint n, uint *first, uint *last)
{
    uint sample[SAMPLE];
    for (uint i = 0; i < SAMPLE; ++i) {
        const uint vertex = vertex_at(entries, shares, total * i / SAMPLE, capacity);
        uint place = i;
        for (; place > 0 && sample[place - 1] > vertex; --place)
            sample[place] = sample[place - 1];
        sample[place] = vertex;
    }
    *first = part == 0 ? 0 : sample[min(SAMPLE * part / parts, (size_t)SAMPLE - 1)];
    *last = part + 1 == parts ? n : sample[min(SAMPLE * (part + 1) / parts, (size_t)SAMPLE - 1)];
}

// Takes over the entries of a pile that belong to vertices `first` to `last`-1.
void take(Search *s, __global const Entry *pile, const uint count, const uint first, const uint last)
{
    for (uint i = 0; i < count; ++i) {
        const Entry entry = pile[i];
        if ((uint)entry.vertex >= first && (uint)entry.vertex < last && !is_stale(s, entry))
            put(s, entry);
    }
}

// Whether one of the others has said so.
bool somebody_is(const KEY word, volatile __global KEY *limits, const size_t worker)
{
    bool found = false;
    for (size_t other = 0; other < get_global_size(0); ++other)
        found |= other != worker && load(&limits[other]) == word;
    return found;
}

// Tells the others where this work-item is, and waits for those that are too far behind. Returns whether they have come.
bool keep_step(const Search *s, volatile __global KEY *limits, const size_t worker, const uint patience)
{
    atomic_set(&limits[worker], as_key(s->limit));
    bool behind = true;
    for (uint look = 0; look < patience && behind; ++look) {
        behind = false;
        for (size_t other = 0; other < get_global_size(0); ++other)
            behind |= other != worker && (s->limit - as_weight(load(&limits[other]))) / LAG > s->delta;
    }
    return !behind;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void advance(__global const OFFSET *restrict first_edge, __global const Edge *restrict edges, __global WEIGHT *dist,
             __global Entry *entries, __global Share *shares, __global KEY *limits, __global uint *report,
             const uint phase, const WEIGHT ceiling, const uint target, const ulong budget, const uint few,
             const uint patience, const uint capacity, const uint n)
{
    const size_t worker = get_global_id(0), workers = get_global_size(0);
    __global const Share *before = shares + phase * workers;
    limits[(1 - phase) * workers + worker] = 0;
    limits += phase * workers;

    ulong near_total = 0, far_total = 0;
    uint launches_alone = 0;
    bool is_uneven = false, is_apart = false;
    WEIGHT limit = INF;
    for (size_t other = 0; other < workers; ++other) {
        const Share share = before[other];
        const bool has_entries = share.tail > share.head || share.far_count > 0;
        near_total += share.tail - share.head;
        far_total += share.far_count;
        launches_alone = max(launches_alone, share.launches_alone);
        is_uneven |= share.is_uneven;
        is_apart |= other > 0 && has_entries;
        if (has_entries)
            limit = min(limit, share.limit);
    }
    const bool are_few = near_total + far_total < few;
    const bool alone = are_few || launches_alone > 0;
    const bool shares_anew = alone ? is_apart : is_uneven;

    const Share mine = before[worker];
    const uint side = shares_anew ? 1 - mine.side : mine.side;
    Search s;
    s.first_edge = first_edge;
    s.edges = edges;
    s.dist = dist;
    s.near = pile(entries, side, worker, 0, capacity);
    s.far = pile(entries, side, worker, 1, capacity);
    s.capacity = capacity;
    s.ceiling = ceiling;
    s.head = mine.head;
    s.tail = mine.tail;
    s.far_count = mine.far_count;
    s.limit = mine.limit;
    s.least = mine.least;
    s.delta = mine.delta;
    s.relaxed = mine.relaxed;
    s.scanned = mine.scanned;

    if (shares_anew) {
        s.head = s.tail = s.far_count = 0;
        s.limit = limit;
        s.least = INF;
        uint first = 0, last = worker == 0 ? n : 0;
        if (!alone)
            find_part(entries, before, near_total + far_total, worker, workers, capacity, n, &first, &last);
        for (size_t other = 0; other < workers && first < last; ++other) {
            const Share share = before[other];
            take(&s, pile(entries, mine.side, other, 0, capacity) + share.head, share.tail - share.head, first, last);
            take(&s, pile(entries, mine.side, other, 1, capacity), share.far_count, first, last);
        }
    }

    uint intervals = 0;
    bool in_vain = false;
    const ulong enough = s.relaxed + budget, some = s.relaxed + budget / 8;
    while (s.relaxed < enough) {
        relax_near(&s, SLICE);
        if (s.head == s.tail) {
            if (s.far_count == 0)
                break;
            begin_interval(&s, target < n ? distance_of(&s, target) : INF);
            ++intervals;
            if (!alone && !keep_step(&s, limits, worker, patience)) {
                in_vain = somebody_is(NOT_BEGUN, limits, worker);
                break;
            }
        }
        if (s.tail - s.head + s.far_count >= 2 * few && s.relaxed >= some
            && (are_few || (!alone && somebody_is(IDLE, limits, worker))))
            break;
    }
    const bool spent = s.relaxed >= enough;
    atomic_set(&limits[worker], spent ? BUDGET_SPENT : IDLE);

    report[2 * worker + ENTRIES_LEFT] = s.tail - s.head + s.far_count;
    report[2 * worker + INTERVALS] += intervals;
    Share after = {s.head,  s.tail,  s.far_count, side,    !spent,    0,
                   mine.setback, s.limit, s.least, s.delta, s.relaxed, s.scanned};
    if (in_vain) {
        after.launches_alone = after.setback;
        after.setback = min(2 * after.setback, (uint)LONGEST_ALONE);
    } else if (launches_alone > 0) {
        after.launches_alone = launches_alone - 1;
    } else if (!alone) {
        after.setback = max(after.setback / 2, 1u);
    }
    shares[(1 - phase) * workers + worker] = after;
}
