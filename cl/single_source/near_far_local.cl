// Near-far shortest paths of small graphs from several sources: a work-group a source, all of its state in local memory.
//
// Source:       Ma, Agrawal and Chamberlain (2012, section V.A) note that a multiprocessor a source spares most accesses
//               if local memory holds what a source needs; near-far worklists (Davidson, Baxter, Garland and Owens, 2014),
//               here as bits; edges of large vertices by all work-items (Busato and Bombieri, 2017, section 5.2.2).
// NDRange:      global GROUP_SIZE times the number of work-groups; work-group (GROUP_SIZE). Each takes one row after the
//               other, until none is left; if BOUNDED, until it has relaxed about `budget` edges, and the next launch goes
//               on from there.
// Local memory: VERTICES * (sizeof(Key), or 2 if NARROW) + VERTICES / 4 + QUEUE * sizeof(Vertex), twice that if HUB, + 40.
// Macros:       GROUP_SIZE; LANES, work-items that relax the edges of a vertex together, a divisor of GROUP_SIZE;
//               EDGES_AT_ONCE, edges that each of them loads before it relaxes the first;
//               HUB, edges from which on all work-items relax the edges of a vertex together; 0: none has as many;
//               VERTICES, room for so many, a multiple of 64; QUEUE, vertices relaxed together, a multiple of 32;
//               NARROW, 1: distances are kept in 16 bits, and a row with one beyond them is given up (needs WEIGHT int);
//               BOUNDED; core/atomic_min.cl, whose ATOMIC_LOADS is about the work-items of one work-group here;
//               core/out_edges.cl; core/weights.cl.
//   first_edge, edges  in   core/out_edges.cl
//   first_start        in   (rows + 1) offset in `starts` of the first vertex at distance 0 of each row
//   starts             in   vertices, different ones within a row
//   dist               i/o  (rows, n) out: INF = not reached
//   counters           i/o  core/rows.cl: steps are rounds; the last one is not 0 if a row was given up
//   paused             i/o  if BOUNDED: (work-groups, PAUSED_WORDS) zeros at first
//   limits             i/o  if BOUNDED: (work-groups) the threshold of a row that is to go on
//   delta, ceiling     path weights: by how much the threshold rises, and from where on they are not recorded
//
// A vertex whose distance falls has its bit set: among those that are near if the distance is below the threshold, else
// among those that are far. A round takes near vertices into the queue, and clears their bits; then it relaxes their
// edges. Once no vertex is near, the threshold rises above the nearest that is far. So nothing ever finds no room: what
// the queue does not take keeps its bit. Rounds go on where the queue was full, until all words were looked at: each time
// all are, every vertex that was near at first has been relaxed once, as by Bellman-Ford.

#if !defined(GROUP_SIZE) || !defined(LANES) || GROUP_SIZE % LANES || !defined(EDGES_AT_ONCE) || EDGES_AT_ONCE < 1
#error "single_source/near_far_local.cl needs GROUP_SIZE, LANES, a divisor of it, and EDGES_AT_ONCE of at least 1"
#endif
#if !defined(VERTICES) || VERTICES % 64 || !defined(QUEUE) || QUEUE < 32 || QUEUE % 32
#error "single_source/near_far_local.cl needs VERTICES, a multiple of 64, and QUEUE, a multiple of 32"
#endif
#if !defined(HUB) || !defined(NARROW) || !defined(BOUNDED)
#error "single_source/near_far_local.cl needs the macros HUB, NARROW and BOUNDED"
#endif

#include "core/out_edges.cl"
#include "core/rows.cl"
#include "core/atomic_min.cl"

#define WORDS (VERTICES / 32)
#define GIVEN_UP 3
#define PAUSED_ROW 0  // row + 1, or 0
#define PAUSED_ROUNDS 1
#define PAUSED_BITS 2                             // near ones, then far ones
#define PAUSED_CURSORS (PAUSED_BITS + 2 * WORDS)  // of each work-item
#define PAUSED_WORDS (PAUSED_CURSORS + GROUP_SIZE)
#define BEYOND 0xFFFFu         // "no path" in 16 bits
#define PER_WORD (1 + NARROW)  // distances in a word

#if BOUNDED
#define FENCES (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)  // also for what one launch keeps for the next
#else
#define FENCES CLK_LOCAL_MEM_FENCE
#endif

// What other work-items of the group may do at the same time, if there are others.
#if GROUP_SIZE == 1
#define LOWER_TO(word, key) exchange(word, key)
#define EXCHANGE_IF(word, before, after) exchange(word, after)
#define SET_BITS(word, bits) (*(word) |= (bits))
#else
#define LOWER_TO(word, key) LOWER(word, key)
#define EXCHANGE_IF(word, before, after) atomic_cmpxchg(word, before, after)
#define SET_BITS(word, bits) atomic_or(word, bits)
#endif

#if VERTICES < 1 << 16
typedef ushort Vertex;
#else
typedef uint Vertex;
#endif

// What the work-items of a work-group share.
typedef struct {
    __global const Edge *edges;
    volatile __local Key *dist;  // with NARROW two in each word
    volatile __local uint *near;
    volatile __local uint *far;
    __local uint *beyond;  // not 0 if a distance did not fit
    Key threshold, ceiling;
} Search;

Key distance_of(const Search *s, const uint vertex)
{
#if NARROW
    const uint kept = LOAD(&s->dist[vertex / 2]) >> 16 * (vertex % 2) & BEYOND;
    return kept == BEYOND ? NO_KEY : kept;
#else
    return LOAD(&s->dist[vertex]);
#endif
}

#if GROUP_SIZE == 1
Key exchange(volatile __local Key *word, const Key key)
{
    const Key before = *word;
    *word = key;
    return before;
}
#endif

// Word of one distance, or of two neighbouring ones.
Key packed(const Key first, const Key second)
{
#if NARROW
    return min(first, BEYOND) | min(second, BEYOND) << 16;
#else
    return first;
#endif
}

// Lowers a distance, and returns whether it was above.
bool lower(const Search *s, const uint vertex, const Key key)
{
#if NARROW
    volatile __local Key *word = &s->dist[vertex / 2];
    const uint shift = 16 * (vertex % 2);
    uint now = LOAD(word);
    while (key < (now >> shift & BEYOND)) {
        const uint before = now, after = (before & ~(BEYOND << shift)) | key << shift;
        now = EXCHANGE_IF(word, before, after);
        if (now == before)
            return true;
    }
    return false;
#else
    return key < LOAD(&s->dist[vertex]) && key < LOWER_TO(&s->dist[vertex], key);
#endif
}

void relax(const Search *s, const Key key, const Edge edge)
{
    const Key sum = extended(key, edge.weight);
    const uint vertex = edge.target;
    if (sum >= s->ceiling)
        return;
#if NARROW
    if (sum >= BEYOND && distance_of(s, vertex) == NO_KEY)
        atomic_or(s->beyond, 1u);
#endif
    if (lower(s, vertex, sum))
        SET_BITS(&(sum < s->threshold ? s->near : s->far)[vertex / 32], 1u << vertex % 32);
}

// Relaxes edges with a stride, each work-item beginning at one of its own.
void relax_edges(const Search *s, const Key key, const OFFSET begin, const OFFSET end, const uint stride)
{
    for (OFFSET first = begin; first < end; first += EDGES_AT_ONCE * stride) {
        Edge loaded[EDGES_AT_ONCE];
#pragma unroll
        for (uint k = 0; k < EDGES_AT_ONCE; ++k)
            loaded[k] = s->edges[min(first + k * stride, end - 1)];
#pragma unroll
        for (uint k = 0; k < EDGES_AT_ONCE; ++k) {
            if (k * stride < end - first)
                relax(s, key, loaded[k]);
        }
    }
}

// The nearest of the far vertices among the words of a work-item. What was relaxed since it was far is so no more.
Key nearest_far(const Search *s)
{
    Key nearest = NO_KEY;
    for (uint word = get_local_id(0); word < WORDS; word += GROUP_SIZE) {
        uint kept = s->far[word];
        for (uint bits = kept; bits; bits &= bits - 1) {
            const uint bit = 31 - clz(bits & -bits);
            const Key key = distance_of(s, 32 * word + bit);
            if (key < s->threshold)
                kept &= ~(1u << bit);
            nearest = min(nearest, key < s->threshold ? NO_KEY : key);
        }
        s->far[word] = kept;
    }
    return nearest;
}

// Moves far vertices that are below the threshold now.
void split_far(const Search *s)
{
    for (uint word = get_local_id(0); word < WORDS; word += GROUP_SIZE) {
        uint moved = 0;
        for (uint bits = s->far[word]; bits; bits &= bits - 1) {
            const uint bit = 31 - clz(bits & -bits);
            if (distance_of(s, 32 * word + bit) < s->threshold)
                moved |= 1u << bit;
        }
        s->far[word] &= ~moved;
        s->near[word] |= moved;
    }
}

// Takes near vertices into the queue, from a work-item's word `cursor` on, all of a word or none; returns the word for
// which there was no room. What is left of the queue then is filled with `none`.
uint take_near(const Search *s, __local Vertex *queue, __local uint *count, uint cursor, const uint none)
{
    for (; cursor < WORDS; cursor += GROUP_SIZE) {
        uint bits = s->near[cursor];
        if (bits == 0)
            continue;
        const uint taken = popcount(bits);
        uint index = atomic_add(count, taken);
        if (index + taken > QUEUE) {
            for (; index < QUEUE; ++index)
                queue[index] = none;
            break;
        }
        s->near[cursor] = 0;
        for (; bits; bits &= bits - 1)
            queue[index++] = 32 * cursor + 31 - clz(bits & -bits);
    }
    return cursor;
}

// Begins a row: each work-item writes words of its own, which it alone looks at before the next barrier.
void begin_row(const Search *s, __global const int *starts, const uint count)
{
    const uint item = get_local_id(0);
    for (uint word = item; word < VERTICES / PER_WORD; word += GROUP_SIZE)
        s->dist[word] = packed(NO_KEY, NO_KEY);
    for (uint word = item; word < WORDS; word += GROUP_SIZE)
        s->near[word] = s->far[word] = 0;
    for (uint i = 0; i < count; ++i) {
        const uint vertex = starts[i], word = vertex / PER_WORD;
        if (word % GROUP_SIZE == item)
            s->dist[word] &= vertex % PER_WORD ? packed(NO_KEY, 0) : packed(0, NO_KEY);
        if (vertex / 32 % GROUP_SIZE == item)
            s->near[vertex / 32] |= 1u << vertex % 32;
    }
}

void store_row(const Search *s, __global WEIGHT *dist, const uint n)
{
    for (uint word = get_local_id(0); word * PER_WORD < n; word += GROUP_SIZE) {
        for (uint vertex = word * PER_WORD; vertex < min((word + 1) * PER_WORD, n); ++vertex)
            dist[vertex] = AS_WEIGHT(distance_of(s, vertex));
    }
}

// The words of a row that the launch before has left.
void load_row(const Search *s, __global const WEIGHT *dist, __global const uint *bits, const uint n)
{
    for (uint word = get_local_id(0); word < VERTICES / PER_WORD; word += GROUP_SIZE) {
        const uint first = word * PER_WORD, last = first + PER_WORD - 1;
        s->dist[word] = packed(first < n ? AS_KEY(dist[first]) : NO_KEY, last < n ? AS_KEY(dist[last]) : NO_KEY);
    }
    for (uint word = get_local_id(0); word < WORDS; word += GROUP_SIZE) {
        s->near[word] = bits[word];
        s->far[word] = bits[WORDS + word];
    }
}

void store_bits(const Search *s, __global uint *bits)
{
    for (uint word = get_local_id(0); word < WORDS; word += GROUP_SIZE) {
        bits[word] = s->near[word];
        bits[WORDS + word] = s->far[word];
    }
}

// Relaxes the edges of the vertices in the queue, those of hubs excepted; returns how much that was.
uint relax_queue(const Search *s, __global const OFFSET *first_edge, __local const Vertex *queue, const uint length,
                 __local Vertex *hubs, volatile __local uint *hub_count, const uint none)
{
    const uint lane = get_local_id(0) % LANES;
    uint relaxed = 0;
    for (uint index = get_local_id(0) / LANES; index < length; index += GROUP_SIZE / LANES) {
        const uint vertex = queue[index];
        if (vertex == none)
            continue;
        const OFFSET first = first_edge[vertex], last = first_edge[vertex + 1];
        relaxed += lane == 0 ? 1 + (uint)(last - first) : 0;
        if (!HUB || last - first < HUB)
            relax_edges(s, distance_of(s, vertex), first + lane, last, LANES);
        else if (lane == 0)
            hubs[atomic_inc(hub_count)] = vertex;
    }
    return relaxed;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void solve_rows(__global const OFFSET *restrict first_edge, __global const Edge *restrict edges,
                         __global const uint *restrict first_start, __global const int *restrict starts,
                         __global WEIGHT *restrict dist, __global uint *restrict counters,
                         __global uint *restrict paused, __global Key *restrict limits, const WEIGHT delta,
                         const WEIGHT ceiling, const ulong budget, const uint n, const uint rows)
{
    __local Key kept[VERTICES / PER_WORD];
    __local uint near[WORDS], far[WORDS];
    __local Vertex queue[QUEUE], hubs[HUB ? QUEUE : 1];
    __local uint counts[2], hub_count, taken_row, beyond, work;
    __local Key minimum;
    const uint item = get_local_id(0);
    __global uint *own = paused + get_group_id(0) * (size_t)PAUSED_WORDS;
    Search s = {
        .edges = edges,
        .dist = kept,
        .near = near,
        .far = far,
        .beyond = &beyond,
        .ceiling = AS_KEY(ceiling),
    };
    if (item == 0) {
        counts[0] = counts[1] = hub_count = beyond = work = 0;
        minimum = NO_KEY;
    }
    uint row = 0, rounds = 0, cursor = item;
    uint turn = 0;  // which of the counts is that of the queue
    bool goes_on = BOUNDED && own[PAUSED_ROW] != 0;
    bool begins = true, ended = false;  // a row, the launch

    // All work-items take the same way, and come to the same barriers.
    while (!ended) {
        if (!begins) {
            cursor = take_near(&s, queue, &counts[turn], cursor, n);
        } else if (item == 0) {
            taken_row = goes_on ? own[PAUSED_ROW] - 1 : atomic_inc(&counters[ROWS_BEGUN]);
            if (!beyond)  // or else others may still be reading it
                beyond = atomic_or(&counters[GIVEN_UP], 0u);
            work += n / 16;  // a distance is set so much faster than an edge is relaxed
        }
        barrier(FENCES);
        const uint found = begins ? 0 : counts[turn];
        if (found <= QUEUE)
            cursor = item;  // all words were looked at
        if (begins) {
            row = taken_row;
            ended = row >= rows;
            rounds = 0;
            if (goes_on) {
                load_row(&s, dist + row * (size_t)n, own + PAUSED_BITS, n);
                cursor = own[PAUSED_CURSORS + item];
                rounds = own[PAUSED_ROUNDS];
                s.threshold = limits[get_group_id(0)];
            } else if (!ended) {
                begin_row(&s, starts + first_start[row], first_start[row + 1] - first_start[row]);
                s.threshold = raised(0, delta);
            }
        } else if (found) {
            if (item == 0) {
                counts[1 - turn] = 0;
                minimum = NO_KEY;
            }
            const uint relaxed = relax_queue(&s, first_edge, queue, min(found, (uint)QUEUE), hubs, &hub_count, n);
            if (BOUNDED)
                atomic_add(&work, relaxed);
        } else {
            const Key nearest = nearest_far(&s);
            if (nearest < NO_KEY)
                LOWER(&minimum, nearest);
        }
        barrier(FENCES);
#if HUB
        const uint large = hub_count;
        for (uint index = 0; index < large; ++index) {
            const uint vertex = hubs[index];
            const OFFSET first = first_edge[vertex] + item;
            relax_edges(&s, distance_of(&s, vertex), first, first_edge[vertex + 1], GROUP_SIZE);
        }
        barrier(FENCES);
        if (item == 0)
            hub_count = 0;
#endif
        bool done = false;
        if (begins) {
            begins = goes_on = false;
            done = !ended && beyond;
        } else if (found) {
            ++rounds;
            turn = 1 - turn;
            done = beyond;
            ended = BOUNDED && !done && work >= budget;
        } else if (minimum < NO_KEY) {
            s.threshold = raised(minimum, delta);
            split_far(&s);
        } else {
            done = true;
        }
        if (done || (ended && row < rows))
            store_row(&s, dist + row * (size_t)n, n);
        if (done) {
            begins = true;
            if (item == 0) {
                if (BOUNDED)
                    own[PAUSED_ROW] = 0;
                atomic_inc(&counters[ROWS_DONE]);
                atomic_add(&counters[STEPS], rounds);
                atomic_or(&counters[GIVEN_UP], beyond);
            }
        } else if (ended && row < rows) {
            store_bits(&s, own + PAUSED_BITS);
            own[PAUSED_CURSORS + item] = cursor;
            if (item == 0) {
                own[PAUSED_ROW] = row + 1;
                own[PAUSED_ROUNDS] = rounds;
                limits[get_group_id(0)] = s.threshold;
            }
        }
    }
}
