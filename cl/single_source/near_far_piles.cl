// Near-far search by one work-item: a queue of what is near, a pile of what is far, and the loop between them.
//
// Macros: SHARED, 1: other work-items may lower the same words in the same launch, and core/atomic_min.cl is used;
//         WIDE, 1 if WEIGHT has 64 bits;
//         TREES, 1: a word holds the vertex before, too; WEIGHT is int, and where words are SHARED, the device has
//         atomic operations on 64 bits;
//         CHUNK, edges relaxed between two looks at the room that is left; core/prefetch.cl; core/out_edges.cl.
//
// An entry says that a vertex has been reached at a distance. The work-item that lowers a distance keeps an entry of
// its own; one whose vertex has been lowered again since then is stale, and is dropped when it is met. So a work-item
// holds at most one entry a vertex that is not stale, and room for n + CHUNK entries is always enough, once the stale
// ones are gone.
// Nothing here depends on the order in which other work-items see two different words: a work-item that reads a
// distance that is out of date does some work in vain, and its atomic minimum then changes nothing.
//
// With TREES a word has the path weight above and below it the vertex before, or NOWHERE if the edge weighs nothing. Each
// edge is relaxed when the distance of its source is final, so the minimum of all words for a vertex names the smallest
// one from which a tight edge makes progress: the predecessor by the rule of edges/predecessors.cl, if there is one.
//
// Entries up to `limit` are near. Taken in the order in which they come, they are relaxed as Bellman-Ford relaxes: an
// interval takes at most as many rounds as the longest of its shortest paths has edges, whatever its width.

#if !defined(SHARED) || !defined(WIDE) || !defined(TREES) || !defined(CHUNK) || CHUNK < 1
#error "single_source/near_far_piles.cl needs SHARED, WIDE, TREES and CHUNK of at least 1"
#endif
#if TREES && WIDE
#error "single_source/near_far_piles.cl: TREES needs WIDE 0, an int and a vertex in 64 bits"
#endif

#include "core/out_edges.cl"
#include "core/prefetch.cl"
#include "single_source/entry.cl"
#if SHARED
#include "core/atomic_min.cl"
#endif

#if TREES
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
typedef ulong Word;
#define WORD(dist, before) ((ulong)(dist) << 32 | (before))
#define DISTANCE_IN(word) ((WEIGHT)((word) >> 32))
#if ATOMIC_LOADS
#define LOAD_WORD(word) atom_or(word, 0ul)
#else
#define LOAD_WORD(word) (*(volatile __global Word *)(word))
#endif
#define LOWER_WORD(place, word) atom_min(place, word)
#else
typedef WEIGHT Word;
#define WORD(dist, before) (dist)
#define DISTANCE_IN(word) (word)
#define LOAD_WORD(word) AS_WEIGHT(LOAD((volatile __global Key *)(word)))
#define LOWER_WORD(place, word) AS_WEIGHT(LOWER((volatile __global Key *)(place), AS_KEY(word)))
#endif
#define NOWHERE UINT_MAX
#define NOT_REACHED WORD(INF, NOWHERE)
#define SOURCE WORD((WEIGHT)0, NOWHERE)

#define LOOK_AHEAD 16       // entries; hides the way to memory, and 32 measured the same
#define NARROW 64           // times narrower than `delta`; more measured the same
#define WIDEN_AFTER 16      // entries scanned in vain for each edge relaxed
#define WIDEN_FREELY 65536  // entries that are scanned so quickly that nothing is gained
#define STATE_BYTES 128     // that a work-item has for what it remembers between two launches

typedef struct {
    __global const OFFSET *first_edge;
    __global const Edge *edges;
    __global Word *words;
    __global Entry *near;  // entries head .. tail-1 are to be relaxed, the oldest first
    __global Entry *far;   // entries 0 .. far_count-1
    uint head, tail, far_count;
    uint capacity;  // entries, of either
    WEIGHT limit;
    WEIGHT minimum;  // no far entry is below it; INF if there is none
    WEIGHT width;    // of an interval
    WEIGHT delta;    // the width that intervals grow to
    WEIGHT ceiling;  // path weights from here on are not recorded
    bool alone;      // no other work-item lowers words in this launch
    ulong relaxed, scanned;
} Search;

WEIGHT distance_of(__global Word *words, const size_t vertex)
{
#if SHARED
    return DISTANCE_IN(LOAD_WORD(words + vertex));
#else
    return DISTANCE_IN(words[vertex]);
#endif
}

// Records a path by way of `before` if it is the minimum so far, and below the ceiling; returns whether it is shorter.
bool lower(__global Word *words, const size_t vertex, const WEIGHT sum, const uint before, const WEIGHT ceiling,
           const bool alone)
{
    const Word word = WORD(sum, before);
#if SHARED
    Word last = LOAD_WORD(words + vertex);
#else
    const Word last = words[vertex];
#endif
    if (!(word < last) || !(sum < ceiling))
        return false;
#if SHARED
    if (!alone)
        last = LOWER_WORD(words + vertex, word);
    else
#endif
        words[vertex] = word;
    return sum < DISTANCE_IN(last);
}

bool is_stale(__global Word *words, const Entry entry)
{
    return distance_of(words, entry.vertex) < entry.dist;
}

// There has to be room.
void put(Search *s, const Entry entry)
{
    if (entry.dist <= s->limit) {
        s->near[s->tail++] = entry;
    } else {
        s->far[s->far_count++] = entry;
        s->minimum = min(s->minimum, entry.dist);
    }
}

// Moves the entries of a pile that are not stale to its front, and returns how many they are.
uint without_stale(__global Word *words, __global Entry *pile, const uint first, const uint last)
{
    uint kept = 0;
    for (uint i = first; i < last; ++i) {
        const Entry entry = pile[i];
        if (!is_stale(words, entry))
            pile[kept++] = entry;
    }
    return kept;
}

// Makes room for CHUNK entries.
void make_room(Search *s)
{
    if (s->capacity - s->tail < CHUNK) {
        s->tail = without_stale(s->words, s->near, s->head, s->tail);
        s->head = 0;
    }
    if (s->capacity - s->far_count < CHUNK)
        s->far_count = without_stale(s->words, s->far, 0, s->far_count);
}

// Relaxes what is near, what becomes near by that included, until nothing is, or about `budget` edges are relaxed.
void relax_near(Search *s, const ulong budget)
{
    // Copies, which a compiler can keep in registers: it cannot know that an entry or a distance is none of these.
    __global const OFFSET *first_edge = s->first_edge;
    __global const Edge *edges = s->edges;
    __global Entry *near = s->near;
    __global Entry *far = s->far;
    __global Word *words = s->words;
    const WEIGHT limit = s->limit, ceiling = s->ceiling;
    const bool alone = s->alone;
    WEIGHT minimum = s->minimum;
    uint head = s->head, tail = s->tail, far_count = s->far_count;
    ulong relaxed = 0;

    while (head < tail && relaxed < budget) {
        if (head + LOOK_AHEAD < tail) {
            const size_t soon = near[head + LOOK_AHEAD / 2].vertex;
            PREFETCH(&first_edge[near[head + LOOK_AHEAD].vertex]);
            PREFETCH(&edges[first_edge[soon]]);
            PREFETCH(&edges[first_edge[soon + 1]]);  // ten edges mostly lie in two cache lines
        }
        const Entry entry = near[head++];
        relaxed += 1;
        if (is_stale(words, entry))
            continue;
        const OFFSET first = first_edge[entry.vertex];
        const OFFSET last = first_edge[entry.vertex + 1];
        relaxed += last - first;
        for (OFFSET begin = first; begin < last; begin += CHUNK) {
            if (s->capacity - max(tail, far_count) < CHUNK) {
                s->head = head;
                s->tail = tail;
                s->far_count = far_count;
                make_room(s);
                head = s->head;
                tail = s->tail;
                far_count = s->far_count;
            }
            const OFFSET end = last - begin < CHUNK ? last : begin + CHUNK;
            for (OFFSET i = begin; i < end; ++i) {
                const Edge edge = edges[i];
                const WEIGHT sum = path_sum(entry.dist, edge.weight);
                const uint before = edge.weight > 0 ? (uint)entry.vertex : NOWHERE;
                if (lower(words, edge.target, sum, before, ceiling, alone)) {
                    const Entry reached = {edge.target, sum};
                    if (sum <= limit) {
                        near[tail++] = reached;
                    } else {
                        far[far_count++] = reached;
                        minimum = min(minimum, sum);
                    }
                }
            }
        }
    }
    s->minimum = minimum;
    s->head = head;
    s->tail = tail;
    s->far_count = far_count;
    s->relaxed += relaxed;
}

WEIGHT saturated_sum(const WEIGHT a, const WEIGHT b)
{
#if IS_INTEGER
    return add_sat(a, b);
#else
    return a + b;
#endif
}

// The first intervals are narrow: a vertex of many edges is mostly reached early, and each time that its distance is
// lowered all of its edges are relaxed again.
WEIGHT first_width(const WEIGHT delta)
{
    const WEIGHT width = delta / NARROW;
    return width > 0 ? width : delta;
}

// Once nothing is near: begins the next interval at the minimum far distance. Far distances beyond `bound` are of no
// interest. Where the pile is scanned again and again for a few entries, intervals become wider than `delta`, so that
// all scans together take no longer than the relaxations, up to a factor.
void begin_interval(Search *s, const WEIGHT bound)
{
    s->scanned += s->far_count;
    if (s->width < s->delta || s->scanned > WIDEN_FREELY + WIDEN_AFTER * s->relaxed)
        s->width = saturated_sum(s->width, s->width);
    s->limit = min(saturated_sum(s->minimum, s->width), bound);
    s->minimum = INF;
    s->head = s->tail = 0;
    uint kept = 0;
    for (uint i = 0; i < s->far_count; ++i) {
        const Entry entry = s->far[i];
        if (entry.dist <= s->limit) {
            s->near[s->tail++] = entry;
        } else if (entry.dist <= bound) {
            s->far[kept++] = entry;
            s->minimum = min(s->minimum, entry.dist);
        }
    }
    s->far_count = kept;
}
