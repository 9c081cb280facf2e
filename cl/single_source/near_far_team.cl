// Near-far shortest paths from one source by a few work-items at once, one a CPU core.
//
// Source:       near-far worklists as in single_source/near_far_work_item.cl.
// NDRange:      global the number of work-items; work-group (1). A launch ends when each work-item has relaxed about
//               `budget` edges; earlier if one of them has nothing left to do, or has to wait: then the next launch
//               shares the entries out again.
// Local memory: none.
// Macros:       SLICE, edges relaxed between two looks at the other work-items;
//               LAG, near intervals that a work-item may be behind before another one waits for it;
//               CHUNK, WIDE, TREES, ATOMIC_LOADS, PREFETCH_BUILT_IN (single_source/near_far_piles.cl, with SHARED 1);
//               core/out_edges.cl; core/weights.cl.
//   first_edge, edges  in      core/out_edges.cl
//   starts, count      in      (count) the vertices at distance 0, all different
//   words              out     (n) of Word; NOT_REACHED
//   entries            local to the kernels: (2, work-items, 2, capacity) near and far piles of each work-item, which
//                      change sides when they are shared out; capacity at least n + CHUNK
//   shares             local to the kernels: (2, work-items) what is in these piles before and after a launch, in turn
//   limits             local to the kernels: (2, work-items) of Key; the limit that each work-item has come to in this
//                      launch, and zeros for the next one
//   report             out     (work-items, 2) entries left, and near intervals so far
//   phase              0 and 1 in turn
//   few                entries that are too few to share
//   patience           looks at a work-item that lags behind, before the one that is ahead gives up
//   delta, ceiling     see single_source/near_far_piles.cl
//   target             distances beyond that of this vertex need not be found; n or more: all are
//
// In a launch, each work-item searches by itself among all vertices, from its share of the entries, and keeps what it
// discovers. All it learns from the others is the distances, which it need not know, and their limits: one that is
// ahead waits for a while, so as not to spend its time on distances that will be lowered. It does not wait for long,
// because nothing says that work-groups run at the same time. If the other one has not even begun, one work-item goes
// on alone for some launches, for more each time that this happens.

#if !defined(SLICE) || !defined(LAG)
#error "single_source/near_far_team.cl needs SLICE and LAG"
#endif

#include "single_source/near_far_piles.cl"

// Instead of limits; the latter two are beyond every other one, so that none waits.
#define NOT_BEGUN 0
#define IDLE AS_KEY(INF)
#define BUDGET_SPENT (AS_KEY(INF) - 1)

#define ENTRIES_LEFT 0
#define INTERVALS 1

#define LONGEST_ALONE 64  // launches
#define SAMPLE 64         // entries; no fewer than work-items

typedef struct {
    uint head, tail, far_count;
    uint side;  // where the piles are; the same for all work-items
    uint is_thin;
    uint is_uneven;       // whether to share again, because this work-item has ended before its budget was spent
    uint launches_alone;  // from the next one on
    uint setback;         // launches alone if this work-item waits in vain for one that has not begun
    WEIGHT limit, minimum, width;
    ulong relaxed, scanned;
} Share;

typedef char ShareFits[sizeof(Share) <= STATE_BYTES ? 1 : -1];

__global Entry *pile(__global Entry *entries, const uint side, const size_t worker, const uint is_far,
                     const uint capacity)
{
    return entries + ((side * get_global_size(0) + worker) * 2 + is_far) * capacity;
}

// One launch before the first one with phase 0; same work-items.
WORK_GROUP(1, 1, 1)
__kernel void begin(__global const int *restrict starts, const uint count, __global Word *restrict words,
                    __global Entry *restrict entries, __global Share *restrict shares, __global Key *restrict limits,
                    __global uint *restrict report, const WEIGHT delta, const uint capacity, const uint n)
{
    const size_t worker = get_global_id(0), workers = get_global_size(0);
    limits[worker] = 0;
    report[2 * worker + ENTRIES_LEFT] = 0;
    report[2 * worker + INTERVALS] = worker == 0;  // the one that holds the starts
    const size_t first = n * worker / workers, last = n * (worker + 1) / workers;
    for (size_t vertex = first; vertex < last; ++vertex)
        words[vertex] = NOT_REACHED;
    uint mine = 0;
    __global Entry *near = pile(entries, 0, worker, 0, capacity);
    for (uint i = 0; i < count; ++i) {
        const Entry start = {starts[i], 0};
        if ((uint)start.vertex >= first && (uint)start.vertex < last) {
            words[start.vertex] = SOURCE;
            near[mine++] = start;
        }
    }
    const WEIGHT width = first_width(delta);
    const Share share = {0, mine, 0, 0, 0, 1, 0, 1, width, INF, width, 0, 0};
    shares[worker] = share;
}

// The vertex of an entry, numbered through the near and then the far pile of a work-item.
uint vertex_at(__global Entry *entries, const Share *share, const size_t worker, const uint index, const uint capacity)
{
    const uint near_count = share->tail - share->head;
    return index < near_count ? pile(entries, share->side, worker, 0, capacity)[share->head + index].vertex
                              : pile(entries, share->side, worker, 1, capacity)[index - near_count].vertex;
}

// Whether hardly an edge leaves the vertices of the entries: then to share them takes longer than to relax their edges.
bool is_thin(__global const OFFSET *first_edge, __global Entry *entries, const Share *share, const size_t worker,
             const uint capacity)
{
    const ulong count = share->tail - share->head + share->far_count;
    ulong edges = 0;
    for (uint i = 0; i < SAMPLE && count > 0; ++i) {
        const uint vertex = vertex_at(entries, share, worker, count * i / SAMPLE, capacity);
        edges += first_edge[vertex + 1] - first_edge[vertex];
    }
    return edges < SAMPLE;
}

// Takes the vertices of some entries of all work-items, `total` of them, in ascending order.
void take_sample(__global Entry *entries, __global const Share *shares, const ulong total, const uint capacity,
                 uint *sample)
{
    size_t worker = 0;
    ulong before = 0;  // entries of the work-items before that one
    Share share = shares[0];
    for (uint i = 0; i < SAMPLE; ++i) {
        const ulong index = total * i / SAMPLE;
        while (index - before >= share.tail - share.head + share.far_count) {
            before += share.tail - share.head + share.far_count;
            share = shares[++worker];
        }
        const uint vertex = vertex_at(entries, &share, worker, index - before, capacity);
        uint slot = i;
        for (; slot > 0 && sample[slot - 1] > vertex; --slot)
            sample[slot] = sample[slot - 1];
        sample[slot] = vertex;
    }
}

// Takes over the entries of a pile that belong to vertices `first` to `last`-1.
void take(Search *s, __global const Entry *pile, const uint count, const uint first, const uint last)
{
    for (uint i = 0; i < count; ++i) {
        const Entry entry = pile[i];
        if ((uint)entry.vertex >= first && (uint)entry.vertex < last && !is_stale(s->words, entry))
            put(s, entry);
    }
}

// Whether one of the others has published this word.
bool another_is(const Key word, volatile __global Key *limits, const size_t worker)
{
    bool found = false;
    for (size_t other = 0; other < get_global_size(0); ++other)
        found |= other != worker && LOAD(&limits[other]) == word;
    return found;
}

// Publishes where this work-item is, and waits for those that are too far behind. Returns whether they came.
bool keep_step(const Search *s, volatile __global Key *limits, const size_t worker, const uint patience)
{
    EXCHANGE(&limits[worker], AS_KEY(s->limit));
    bool behind = true;
    for (uint look = 0; look < patience && behind; ++look) {
        behind = false;
        for (size_t other = 0; other < get_global_size(0); ++other)
            behind |= other != worker && (s->limit - AS_WEIGHT(LOAD(&limits[other]))) / LAG > s->width;
    }
    return !behind;
}

WORK_GROUP(1, 1, 1)
__kernel void advance(__global const OFFSET *restrict first_edge, __global const Edge *restrict edges,
                      __global Word *words, __global Entry *entries, __global Share *shares, __global Key *limits,
                      __global uint *report, const uint phase, const WEIGHT delta, const WEIGHT ceiling,
                      const uint target, const ulong budget, const uint few, const uint patience, const uint capacity,
                      const uint n)
{
    const size_t worker = get_global_id(0), workers = get_global_size(0);
    __global const Share *before = shares + phase * workers;
    limits[(1 - phase) * workers + worker] = 0;
    limits += phase * workers;

    ulong total = 0;
    uint fewest = UINT_MAX, launches_alone = 0;
    bool is_uneven = false, is_apart = false;
    WEIGHT limit = INF, width = 0;
    for (size_t other = 0; other < workers; ++other) {
        const Share share = before[other];
        const uint count = share.tail - share.head + share.far_count;
        total += count;
        fewest = min(fewest, count);
        launches_alone = max(launches_alone, share.launches_alone);
        is_uneven |= share.is_uneven;
        is_apart |= other > 0 && count > 0;
        width = max(width, share.width);
        if (count > 0)
            limit = min(limit, share.limit);
    }
    is_uneven |= fewest < total / (2 * workers);
    const bool are_few = total < few;
    const bool alone = are_few || launches_alone > 0 || (before[0].is_thin && !is_apart);
    const bool shares_again = alone ? is_apart : is_uneven;

    const Share mine = before[worker];
    const uint side = shares_again ? 1 - mine.side : mine.side;
    Search s;
    s.first_edge = first_edge;
    s.edges = edges;
    s.words = words;
    s.near = pile(entries, side, worker, 0, capacity);
    s.far = pile(entries, side, worker, 1, capacity);
    s.capacity = capacity;
    s.ceiling = ceiling;
    s.alone = alone;
    s.head = mine.head;
    s.tail = mine.tail;
    s.far_count = mine.far_count;
    s.limit = mine.limit;
    s.minimum = mine.minimum;
    s.width = width;
    s.delta = delta;
    s.relaxed = mine.relaxed;
    s.scanned = mine.scanned;

    if (shares_again) {  // between all work-items, or everything to the first one
        s.head = s.tail = s.far_count = 0;
        s.limit = limit;
        s.minimum = INF;
        // Numbers close together mostly mean vertices close together: then work-items seldom reach the same ones.
        uint first = 0, last = worker == 0 ? n : 0;
        if (!alone) {
            uint sample[SAMPLE];
            take_sample(entries, before, total, capacity, sample);
            first = worker == 0 ? 0 : sample[SAMPLE * worker / workers];
            last = worker + 1 == workers ? n : sample[SAMPLE * (worker + 1) / workers];
        }
        for (size_t other = 0; other < workers && first < last; ++other) {
            const Share share = before[other];
            take(&s, pile(entries, mine.side, other, 0, capacity) + share.head, share.tail - share.head, first, last);
            take(&s, pile(entries, mine.side, other, 1, capacity), share.far_count, first, last);
        }
    }

    if (!alone)
        EXCHANGE(&limits[worker], AS_KEY(s.limit));
    uint intervals = 0;
    bool in_vain = false;
    const ulong enough = s.relaxed + budget;
    const ulong some = s.relaxed + budget / 8;  // worth a launch
    while (s.relaxed < enough) {
        relax_near(&s, SLICE);
        if (s.head == s.tail) {
            if (s.far_count == 0)
                break;
            begin_interval(&s, target < n ? distance_of(words, target) : INF);
            ++intervals;
            if (!alone && !keep_step(&s, limits, worker, patience)) {
                in_vain = another_is(NOT_BEGUN, limits, worker);
                break;
            }
        }
        if (s.tail - s.head + s.far_count >= 2 * few && s.relaxed >= some &&
            (are_few || (!alone && another_is(IDLE, limits, worker))))
            break;
    }
    const bool spent = s.relaxed >= enough;
    EXCHANGE(&limits[worker], spent ? BUDGET_SPENT : IDLE);

    report[2 * worker + ENTRIES_LEFT] = s.tail - s.head + s.far_count;
    report[2 * worker + INTERVALS] += intervals;
    Share after = {s.head,       s.tail,  s.far_count, side,    0,         !spent,   0,
                   mine.setback, s.limit, s.minimum,   s.width, s.relaxed, s.scanned};
    after.is_thin = is_thin(first_edge, entries, &after, worker, capacity);
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
