// Dijkstra's shortest paths from several sources with heaps: each work-item finds one row of distances after the other.
//
// Source:       Dijkstra (1959), as Ma, Agrawal and Chamberlain (2012, section III.B) take it for Johnson's algorithm
//               with binary heaps, a thread a source; for weights that are not negative. Where they lower a key in the
//               heap, another entry is added here, and the old one is dropped when it is met: no positions to keep.
// NDRange:      global the number of work-items, rounded up; work-group (GROUP_SIZE). A launch ends when each work-item
//               has relaxed about `budget` edges, and the next one goes on from there.
// Local memory: none.
// Macros:       ARITY, children of an entry of a heap: 2, 4 or 8;
//               INTERLEAVED, 1: entries of the same number lie side by side, so that work-items that run in step read
//               them together; 0: each heap lies by itself, and all children of an entry begin at a multiple of ARITY;
//               CHUNK, edges relaxed between two looks at the room that is left;
//               GROUP_SIZE; single_source/entry.cl; single_source/counted.cl; core/out_edges.cl; core/weights.cl.
//   first_edge, edges  in      core/out_edges.cl
//   first_start        in      (rows + 1) offset in `starts` of the first vertex at distance 0 of each row
//   starts             in      vertices, different ones within a row
//   dist               i/o     (rows, n) INF at first; INF = not reached
//   heaps              local to a work-item, (workers, capacity) in an order of its own; capacity at least
//                              n + CHUNK + ARITY
//   searches           i/o     (workers) zeros at first
//   counters           i/o     core/rows.cl: steps are entries whose edges were relaxed
//   counts             i/o     (rows, COUNTED) zeros at first, if COUNTS; else not used
//   ceiling                    path weights from here on are not recorded
//   target                     distances beyond that of this vertex need not be found; n or more: all are
//
// At most one entry a vertex is not stale, that with its distance; so room for n + CHUNK entries is always enough, once
// the stale ones are gone.

#if !defined(ARITY) || ARITY != 2 && ARITY != 4 && ARITY != 8
#error "single_source/dijkstra_heap.cl needs ARITY, 2, 4 or 8"
#endif
#if !defined(INTERLEAVED) || !defined(CHUNK) || CHUNK < 1 || !defined(GROUP_SIZE) || GROUP_SIZE < 1
#error "single_source/dijkstra_heap.cl needs INTERLEAVED, and CHUNK and GROUP_SIZE of at least 1"
#endif

#include "core/out_edges.cl"
#include "core/rows.cl"
#include "single_source/counted.cl"
#include "single_source/entry.cl"

#define STATE_BYTES 16  // that a work-item has for what it remembers between two launches

// What a work-item remembers between two launches.
typedef struct {
    uint active;
    uint row;
    ulong count;
} Progress;

typedef char ProgressFits[sizeof(Progress) <= STATE_BYTES ? 1 : -1];

// No entry is below its parent; the children of entry i are ARITY * i + 1 .. ARITY * i + ARITY.
typedef struct {
    __global Entry *entries;
    size_t stride;  // from one entry to the next
    size_t count;
    ulong totals[COUNTED];
} Heap;

#if INTERLEAVED
#define AT(heap, index) (heap)->entries[(index) * (heap)->stride]
#else
#define AT(heap, index) (heap)->entries[index]
#endif
#define ENTRY_AT(heap, index) (COUNT((heap)->totals, ACCESSES, 1), AT(heap, index))

void put_at(Heap *heap, const size_t index, const Entry entry)
{
    COUNT(heap->totals, ACCESSES, 1);
    AT(heap, index) = entry;
}

WEIGHT distance_of(Heap *heap, __global const WEIGHT *dist, const size_t vertex)
{
    COUNT(heap->totals, ACCESSES, 1);
    return dist[vertex];
}

bool is_below(Heap *heap, const WEIGHT one, const WEIGHT other)
{
    COUNT(heap->totals, OPERATIONS, 1);
    return one < other;
}

// Puts an entry at an index that is free, or at one above it. There has to be room.
void rise(Heap *heap, size_t index, const Entry entry)
{
    while (index > 0) {
        const size_t parent = (index - 1) / ARITY;
        const Entry above = ENTRY_AT(heap, parent);
        if (!is_below(heap, entry.dist, above.dist))
            break;
        put_at(heap, index, above);
        index = parent;
    }
    put_at(heap, index, entry);
}

// Puts an entry at an index that is free, or at one below it.
void sink(Heap *heap, size_t index, const Entry entry)
{
    while (true) {
        const size_t first = index * ARITY + 1;
        if (first >= heap->count)
            break;
        size_t lowest = first;
        Entry child = ENTRY_AT(heap, first);
        const size_t end = min(first + ARITY, heap->count);
        for (size_t other = first + 1; other < end; ++other) {
            const Entry sibling = ENTRY_AT(heap, other);
            if (is_below(heap, sibling.dist, child.dist)) {
                lowest = other;
                child = sibling;
            }
        }
        if (!is_below(heap, child.dist, entry.dist))
            break;
        put_at(heap, index, child);
        index = lowest;
    }
    put_at(heap, index, entry);
}

// Takes the minimum out of a heap that is not empty.
void extract(Heap *heap, Entry *lowest)
{
    COUNT(heap->totals, EXTRACTIONS, 1);
    *lowest = ENTRY_AT(heap, 0);
    heap->count -= 1;
    if (heap->count > 0)
        sink(heap, 0, ENTRY_AT(heap, heap->count));
}

bool is_stale(Heap *heap, __global const WEIGHT *dist, const Entry entry)
{
    return is_below(heap, distance_of(heap, dist, entry.vertex), entry.dist);
}

// Drops the stale entries, and makes a heap of the others.
void drop_stale(Heap *heap, __global const WEIGHT *dist)
{
    size_t kept = 0;
    for (size_t index = 0; index < heap->count; ++index) {
        const Entry entry = ENTRY_AT(heap, index);
        if (!is_stale(heap, dist, entry))
            put_at(heap, kept++, entry);
    }
    heap->count = kept;
    for (size_t left = (kept + ARITY - 2) / ARITY; left > 0; --left)  // entries that have children
        sink(heap, left - 1, ENTRY_AT(heap, left - 1));
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void solve_rows(__global const OFFSET *restrict first_edge, __global const Edge *restrict edges,
                         __global const uint *restrict first_start, __global const int *restrict starts,
                         __global WEIGHT *restrict dist, __global Entry *restrict heaps,
                         __global Progress *restrict searches, __global uint *restrict counters,
                         __global ulong *restrict counts, const WEIGHT ceiling, const uint target, const ulong budget,
                         const uint capacity, const uint workers, const uint n, const uint rows)
{
    const size_t worker = get_global_id(0);
    if (worker >= workers)
        return;
    const Progress before = searches[worker];
    const size_t room = capacity - ARITY;  // entries
    bool active = before.active;
    uint row = before.row;
    uint settled = 0;
    Heap heap;
#if INTERLEAVED
    heap.entries = heaps + worker;
#else
    heap.entries = heaps + worker * capacity + ARITY - 1;
#endif
    heap.stride = workers;
    heap.count = before.count;
    for (uint i = 0; i < COUNTED; ++i)
        heap.totals[i] = 0;

    for (ulong used = 0; used < budget;) {
        if (!active) {
            row = atomic_inc(&counters[ROWS_BEGUN]);
            if (row >= rows)
                break;
            active = true;
        }
        __global WEIGHT *distances = dist + (size_t)row * n;
        if (heap.count == 0) {
            for (uint i = first_start[row]; i < first_start[row + 1]; ++i) {
                const Entry start = {starts[i], 0};
                distances[start.vertex] = 0;
                put_at(&heap, heap.count++, start);  // as they are all equal, they are a heap
                COUNT(heap.totals, INSERTIONS, 1);
                COUNT(heap.totals, ACCESSES, 2);
            }
        }
        while (heap.count > 0 && used < budget) {
            Entry entry;
            extract(&heap, &entry);
            used += 1;
            if (is_stale(&heap, distances, entry))
                continue;
            if (target < n && is_below(&heap, distance_of(&heap, distances, target), entry.dist)) {
                heap.count = 0;
                break;
            }
            settled += 1;
            const OFFSET first = first_edge[entry.vertex];
            const OFFSET last = first_edge[entry.vertex + 1];
            COUNT(heap.totals, ACCESSES, 2);
            used += last - first;
            for (OFFSET begin = first; begin < last; begin += CHUNK) {
                if (room - heap.count < CHUNK)
                    drop_stale(&heap, distances);
                const OFFSET end = last - begin < CHUNK ? last : begin + CHUNK;
                for (OFFSET i = begin; i < end; ++i) {
                    const Edge edge = edges[i];
                    const WEIGHT sum = path_sum(entry.dist, edge.weight);
                    COUNT(heap.totals, ACCESSES, 1);
                    COUNT(heap.totals, OPERATIONS, 1);
                    if (is_below(&heap, sum, distance_of(&heap, distances, edge.target)) && sum < ceiling) {
                        const Entry reached = {edge.target, sum};
                        distances[edge.target] = sum;
                        rise(&heap, heap.count++, reached);
                        COUNT(heap.totals, INSERTIONS, 1);
                        COUNT(heap.totals, ACCESSES, 1);
                    }
                }
            }
        }
        if (heap.count == 0) {
            active = false;
            atomic_inc(&counters[ROWS_DONE]);
        }
#if COUNTS
        heap.totals[SPAN] = heap.totals[OPERATIONS];
        for (uint i = 0; i < COUNTED; ++i) {
            counts[(size_t)row * COUNTED + i] += heap.totals[i];
            heap.totals[i] = 0;
        }
#endif
    }

    atomic_add(&counters[STEPS], settled);
    const Progress after = {active, row, heap.count};
    searches[worker] = after;
}
