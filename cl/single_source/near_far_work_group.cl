// Near-far shortest paths for weights that are not negative: one launch after the other on queues in device memory.
//
// Source:       near-far piles (Davidson, Baxter, Garland and Owens, 2014), with edges shared out by a rung of the ladder
//               of load balancing. The protocol of one word is our own.
// NDRange:      work-groups of GROUP_SIZE, as many as the host likes.
// Local memory: about QUEUE * 3 * (4 + sizeof(Key)) + GROUP_SIZE * (8 + sizeof(OFFSET) + sizeof(Key)) bytes.
// Macros:       GROUP_SIZE, a power of 2; QUEUE, entries of a local queue, at least GROUP_SIZE;
//               BALANCE and UNITS_AT_ONCE (edges/balance.cl); core/out_edges.cl, core/atomic_min.cl, core/weights.cl.
//
// There may be several rows, each with distances from sources of its own; a slot is row * n + vertex. An entry (slot,
// key) says: the distance of this slot has fallen to this key, and its edges have not been relaxed since. The work-item
// that lowers a distance by an atomic minimum queues the entry, and one that takes an entry whose key is no longer the
// distance drops it: another entry is on its way. So one word per slot decides everything, and no order between words
// is needed. Entries below the threshold go to the near queue, others to the far pile. When nothing near is left the
// threshold rises, and the pile is split.
//
// Each launch works on what the launch before has left, in words that no two of its work-items use differently:
//   counts  i/o  NEAR + r % 3: near entries that launch r takes; it fills the next word, and clears the one after that
//                HUBS + r % 3: likewise, entries of vertices with hub_degree edges or more, which all work-groups share
//                FAR + s % 3: far entries after s splits; split s fills the next word, and clears the one after that
//                SPLITS + r % 2: s before launch r
//                LOST: not 0 if an entry found no room; the host then queues every slot again (requeue), of as many
//                rows at a time as there is room for
//                DONE: not 0 if there is nothing to do; ROUNDS: launches that had something to do
//   limits  i/o  THRESHOLD + r % 2: the threshold before launch r
//                MINIMUM + s % 3: a lower bound of the keys in the far pile after s splits
//   near    i/o  (2, near_room) near entries that launch r takes (r % 2) and those for the next one
//   hubs    i/o  (2, HUB_ROOM) likewise
//   far     i/o  (2, far_room) the far pile after s splits (s % 2), and the other one
//   dist    i/o  (rows, n) keys
//   edges   in   with LOW_DEGREE those of edges/pad.cl, UNITS_AT_ONCE a vertex; then there are no hubs
//   round   r % 6
//   delta   by how much the threshold rises, at least; ceiling: path weights from here on are not recorded
//   min_share           entries that a work-group takes at once, at least, and at most GROUP_SIZE
//   hub_degree          edges from which on all work-groups share a vertex
//   edges_alone         edges from which on a work-group does not relax entries that others could take a part of;
//                       max_degree: the most edges of a vertex
//   local_rounds        relaxations that a work-group goes on with what it has found itself
//   targets, target     if `targets` is not 0: stop once the distance of vertex `target` is final in that many rows

#if !defined(GROUP_SIZE) || !defined(QUEUE)
#error "single_source/near_far_work_group.cl needs the macros GROUP_SIZE and QUEUE"
#endif
#if GROUP_SIZE & (GROUP_SIZE - 1) || QUEUE < GROUP_SIZE
#error "single_source/near_far_work_group.cl needs GROUP_SIZE, a power of 2, and a QUEUE of at least GROUP_SIZE"
#endif

#include "core/out_edges.cl"
#include "core/atomic_min.cl"

#define NEAR 0
#define HUBS 3
#define FAR 6
#define SPLITS 9
#define LOST 11
#define DONE 12
#define ROUNDS 13
#define COUNTS 14
#define THRESHOLD 0
#define MINIMUM 2
#define LIMITS 5

#define HUB_ROOM 1024
#define ROUNDS_ALONE 128

// A queue of a work-group, in local memory.
typedef struct {
    __local uint *slots;
    __local Key *keys;
    __local uint *count;
} Queue;

// A queue of all work-groups, in global memory.
typedef struct {
    __global uint *slots;
    __global Key *keys;
    volatile __global uint *count;
    volatile __global uint *lost;
    uint room;
} Store;

// What the work-items of a launch agree on.
typedef struct {
    bool splitting;  // the far pile: nothing near is left
    uint splits;     // before
    uint waiting;    // entries: near ones, or those of the pile that is split
    uint hubs;
    Key threshold;
} Round;

// What a work-item works with.
typedef struct {
    __global const OFFSET *first_edge;
    __global const Edge *edges;
    volatile __global Key *dist;
    Queue current, next, far;
    Store next_near, next_far, next_hubs;  // for the next launch
    __local uint *moved;                   // see drain
    __local uint *sums;                    // running sums of the edges of the entries that are relaxed together,
    __local OFFSET *first_of;              // for each of them the first edge,
    __local uint *row_of;                  // the first slot of its row,
    __local Key *key_of;                   // and its key
    Key threshold, ceiling;
    Key minimum;  // of the far keys that this work-item has queued
    uint hub_degree, edges_alone, n;
} Search;

#define BALANCED Search
#include "edges/balance.cl"

void fill(__global uint *slots, __global Key *keys, const uint index, const uint slot, const Key key)
{
    slots[index] = slot;
    keys[index] = key;
}

// One of the two sides of a queue in global memory.
Store side_of(__global uint *slots, __global Key *keys, const uint side, const uint room,
              volatile __global uint *counts, const uint count)
{
    const Store store = {slots + side * (size_t)room, keys + side * (size_t)room, &counts[count], &counts[LOST], room};
    return store;
}

// Store an entry at an index that has been taken for it, if there is room.
void store_entry(const Store *store, const uint index, const uint slot, const Key key)
{
    if (index < store->room)
        fill(store->slots, store->keys, index, slot, key);
    else
        atomic_or(store->lost, 1u);
}

// Queue an entry in global memory.
void push_beyond(const Store *store, const uint slot, const Key key)
{
    store_entry(store, atomic_inc(store->count), slot, key);
}

// Queue an entry at an index that has been taken for it: in local memory, or in global memory if that is full.
void put(const Queue *queue, const Store *store, const uint index, const uint slot, const Key key)
{
    if (index < QUEUE) {
        queue->slots[index] = slot;
        queue->keys[index] = key;
        return;
    }
    push_beyond(store, slot, key);
}

void push(const Queue *queue, const Store *store, const uint slot, const Key key)
{
    put(queue, store, atomic_inc(queue->count), slot, key);
}

void push_far(Search *s, const uint slot, const Key key)
{
    s->minimum = min(s->minimum, key);
    push(&s->far, &s->next_far, slot, key);
}

// Move a queue of near entries, and that of far ones, to global memory if they have more entries than these limits, and
// empty them. By all work-items together.
void drain(const Search *s, const Queue *near, const uint near_limit, const uint far_limit)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        const uint near_count = min(*near->count, (uint)QUEUE), far_count = min(*s->far.count, (uint)QUEUE);
        s->moved[0] = near_count > near_limit ? near_count : 0;
        s->moved[1] = far_count > far_limit ? far_count : 0;
        if (s->moved[0]) {
            s->moved[2] = atomic_add(s->next_near.count, near_count);
            *near->count = 0;
        }
        if (s->moved[1]) {
            s->moved[3] = atomic_add(s->next_far.count, far_count);
            *s->far.count = 0;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < s->moved[0]; i += GROUP_SIZE)
        store_entry(&s->next_near, s->moved[2] + i, near->slots[i], near->keys[i]);
    for (uint i = get_local_id(0); i < s->moved[1]; i += GROUP_SIZE)
        store_entry(&s->next_far, s->moved[3] + i, s->far.slots[i], s->far.keys[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel void clear(__global Key *restrict dist, __global uint *restrict counts, __global Key *restrict limits,
                    const uint starts, const WEIGHT delta, const ulong slots)
{
    if (get_global_id(0) < slots)
        dist[get_global_id(0)] = NO_KEY;
    if (get_global_id(0) == 0) {
        for (uint word = 0; word <= ROUNDS; ++word)
            counts[word] = word == NEAR ? starts : 0;
        for (uint word = 0; word < MINIMUM + 3; ++word)
            limits[word] = word < MINIMUM ? AS_KEY(delta) : NO_KEY;
    }
}

// sources: slots that start with distance 0; all different.
__kernel void start(__global const uint *restrict sources, __global Key *restrict dist,
                    __global uint *restrict near_slots, __global Key *restrict near_keys, const uint starts)
{
    const uint number = get_global_id(0);
    if (number < starts) {
        dist[sources[number]] = 0;
        fill(near_slots, near_keys, number, sources[number], 0);
    }
}

// Queue those of `slots` slots from `first` on that have been reached, for launch `round`. There is room for as many.
// Whatever entries of these slots were lost, these make up for them.
__kernel void requeue(__global const Key *restrict dist, __global uint *restrict near_slots,
                      __global Key *restrict near_keys, volatile __global uint *restrict counts, const uint near_room,
                      const uint round, const uint first, const uint slots)
{
    const uint number = get_global_id(0), slot = first + number;
    if (number == 0) {
        counts[LOST] = 0;
        counts[DONE] = 0;
    }
    if (number < slots && dist[slot] != NO_KEY) {
        const uint index = atomic_inc(&counts[NEAR + round % 3]);
        fill(near_slots + (round % 2) * (size_t)near_room, near_keys + (round % 2) * (size_t)near_room, index, slot,
             dist[slot]);
    }
}

// Finds out what there is to do, and prepares the words of the next launches. All work-items come to the same
// conclusions: no distance falls below the threshold any more.
Round begin_round(volatile __global Key *dist, volatile __global uint *counts, volatile __global Key *limits,
                  const uint near_room, const uint far_room, const uint round, const WEIGHT delta, const uint targets,
                  const uint target, const uint n)
{
    const uint splits = counts[SPLITS + round % 2];
    const Key before = limits[THRESHOLD + round % 2];
    const uint nearby = min(counts[NEAR + round % 3], near_room);
    const uint hubs = min(counts[HUBS + round % 3], (uint)HUB_ROOM);
    // Others may be adding to the far pile, unless this launch splits it, which then goes on in other words.
    const uint pile = nearby || hubs ? 0 : min(counts[FAR + splits % 3], far_room);

    bool done = nearby == 0 && hubs == 0 && pile == 0;
    if (pile && targets) {
        done = true;
        for (uint row = 0; row < targets; ++row)
            done = done && LOAD(&dist[(size_t)row * n + target]) < before;
    }
    const bool splitting = pile && !done;
    Key threshold = before;
    if (splitting) {
        const Key minimum = limits[MINIMUM + splits % 3];
        threshold = raised(before, delta);
        if (minimum >= threshold)
            threshold = raised(minimum, delta);
    }
    if (get_global_id(0) == 0) {
        counts[NEAR + (round + 2) % 3] = 0;
        counts[HUBS + (round + 2) % 3] = 0;
        counts[SPLITS + (round + 1) % 2] = splits + splitting;
        limits[THRESHOLD + (round + 1) % 2] = threshold;
        if (done) {
            counts[DONE] = 1;
        } else {
            counts[ROUNDS] += 1;
            if (splitting) {
                counts[FAR + (splits + 2) % 3] = 0;
                limits[MINIMUM + (splits + 2) % 3] = NO_KEY;
            }
        }
    }
    const Round result = {splitting, splits, done ? 0 : splitting ? pile : nearby, done ? 0 : hubs, threshold};
    return result;
}

// Whether one work-group relaxes all entries, and the others none. Work-groups agree: what is counted here does not
// change in this launch.
bool one_group_is_enough(const Search *s, const Round *round, __global const uint *slots, const uint max_degree)
{
    const uint item = get_local_id(0);
    bool enough = round->waiting <= GROUP_SIZE && !round->splitting;
    if (enough && round->waiting * (ulong)max_degree > s->edges_alone) {
        uint degree = 0;
        if (item < round->waiting) {
            const uint vertex = slots[item] % s->n;
            degree = s->first_edge[vertex + 1] - s->first_edge[vertex];
        }
        enough = sum_up(s->sums, degree < s->hub_degree ? degree : 0) <= s->edges_alone;
    }
    return enough;
}

// Takes some entries into the current queue, of the far pile those that are near now; returns how many these are.
uint take_entries(Search *s, const Store *from, const size_t first, const uint taken, const bool splitting)
{
    const uint item = get_local_id(0);
    if (item < taken) {
        const uint slot = from->slots[first + item];
        const Key key = from->keys[first + item];
        if (!splitting) {
            s->current.slots[item] = slot;
            s->current.keys[item] = key;
        } else if (LOAD(&s->dist[slot]) == key) {
            if (key < s->threshold) {
                const uint index = atomic_inc(s->current.count);
                s->current.slots[index] = slot;
                s->current.keys[index] = key;
            } else {
                push_far(s, slot, key);
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint active = splitting ? *s->current.count : taken;
    barrier(CLK_LOCAL_MEM_FENCE);
    return active;
}

// Lowers the distances of the ends of some edges, and queues these: all atomic operations are under way before the first
// entry is queued, and room for the near entries is taken once. Where few edges meet, a look at a distance before it is
// lowered takes longer than it spares. Near and far are two branches side by side: PoCL 5 fails on one within the other.
void lower(Search *s, const uint *ends, const Key *sums)
{
    Key found[UNITS_AT_ONCE];
    uint nearby = 0;
#pragma unroll
    for (uint k = 0; k < UNITS_AT_ONCE; ++k)
        found[k] = BALANCE == LOW_DEGREE ? NO_KEY : LOAD(&s->dist[ends[k]]);
#pragma unroll
    for (uint k = 0; k < UNITS_AT_ONCE; ++k)
        found[k] = sums[k] < s->ceiling && sums[k] < found[k] ? LOWER(&s->dist[ends[k]], sums[k]) : 0;
#pragma unroll
    for (uint k = 0; k < UNITS_AT_ONCE; ++k)
        nearby += sums[k] < found[k] && sums[k] < s->threshold;
    uint index = nearby ? atomic_add(s->next.count, nearby) : 0;
#pragma unroll
    for (uint k = 0; k < UNITS_AT_ONCE; ++k) {
        if (sums[k] < found[k] && sums[k] < s->threshold)
            put(&s->next, &s->next_near, index++, ends[k], sums[k]);
        if (sums[k] < found[k] && sums[k] >= s->threshold)
            push_far(s, ends[k], sums[k]);
    }
}

#if BALANCE == LOW_DEGREE

// What lies side by side in edges/pad.cl, so aligned that two edges at least are loaded at once.
typedef struct __attribute__((aligned(4 * sizeof(WEIGHT)))) {
    Edge edges[UNITS_AT_ONCE];
} EdgesOfVertex;

// Relaxes the edges of the entries from `first` on, one a work-item, all of which it loads at once.
bool relax_batch(Search *s, const uint first, const uint active, const bool may_leave)
{
    const uint item = get_local_id(0);
    if (first + item < active) {
        const uint slot = s->current.slots[first + item], vertex = slot % s->n;
        const Key key = s->current.keys[first + item], now = LOAD(&s->dist[slot]);
        const EdgesOfVertex own = ((__global const EdgesOfVertex *)s->edges)[vertex];
        uint ends[UNITS_AT_ONCE];
        Key sums[UNITS_AT_ONCE];
#pragma unroll
        for (uint k = 0; k < UNITS_AT_ONCE; ++k) {
            const Edge edge = own.edges[k];
            ends[k] = slot - vertex + max(edge.target, 0);
            sums[k] = edge.target >= 0 && now == key ? extended(key, edge.weight) : NO_KEY;
        }
        lower(s, ends, sums);
    }
    return false;
}

#else

// Relaxes neighbouring edges.
void relax(Search *s, const OFFSET first, const uint count, const uint row, const Key key)
{
    uint ends[UNITS_AT_ONCE];
    Key sums[UNITS_AT_ONCE];
#pragma unroll
    for (uint k = 0; k < UNITS_AT_ONCE; ++k) {
        const Edge edge = s->edges[first + min(k, count - 1)];
        ends[k] = row + edge.target;
        sums[k] = k < count ? extended(key, edge.weight) : NO_KEY;
    }
    lower(s, ends, sums);
}

// The units are the edges of the entries.
void visit(Search *s, const uint owner, const uint first, const uint count)
{
    relax(s, s->first_of[owner] + first, count, s->row_of[owner], s->key_of[owner]);
}

void after_step(Search *s)
{
    drain(s, &s->next, QUEUE - GROUP_SIZE, QUEUE - GROUP_SIZE);
}

// Relaxes the edges of the entries from `first` on, one a work-item, shared out among the work-items. Those of a hub
// are left to the next launch; so are all if they are many and `may_leave`: then the other work-groups can help.
// Returns whether all are left.
bool relax_batch(Search *s, const uint first, const uint active, const bool may_leave)
{
    const uint item = get_local_id(0);
    uint slot = 0, vertex = 0;
    Key key = 0;
    OFFSET edge = 0, last = 0;
    if (first + item < active) {
        slot = s->current.slots[first + item];
        key = s->current.keys[first + item];
        vertex = slot % s->n;
        edge = s->first_edge[vertex];
        last = s->first_edge[vertex + 1];
        if (LOAD(&s->dist[slot]) != key)
            last = edge;
    }
    if (last - edge >= s->hub_degree) {
        const uint index = atomic_inc(s->next_hubs.count);
        if (index < HUB_ROOM)
            fill(s->next_hubs.slots, s->next_hubs.keys, index, slot, key);
        else
            push_beyond(&s->next_near, slot, key);
        last = edge;
    }
    s->first_of[item] = edge;
    s->row_of[item] = slot - vertex;
    s->key_of[item] = key;
    const bool leaves = !share_out(s, last - edge, s->sums, may_leave ? s->edges_alone : UINT_MAX);
    if (leaves && edge < last)
        push(&s->next, &s->next_near, slot, key);
    return leaves;
}

// Relaxes the edges of hubs, shared out among all work-groups.
void relax_hubs(Search *s, __global const uint *slots, __global const Key *keys, const uint hubs)
{
    const uint item = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
    for (uint hub = 0; hub < hubs; ++hub) {
        const uint slot = slots[hub];
        const Key key = keys[hub];
        const uint vertex = slot % s->n;
        const OFFSET last = s->first_edge[vertex + 1];
        OFFSET edge = s->first_edge[vertex] + group * (OFFSET)GROUP_SIZE;
        for (; edge < last; edge += groups * (OFFSET)GROUP_SIZE) {
            if (edge + item < last)
                relax(s, edge + item, 1, slot - vertex, key);
            drain(s, &s->next, QUEUE - GROUP_SIZE, QUEUE - GROUP_SIZE);
        }
    }
}

#endif

// Relaxes the entries of the current queue, and for some rounds those that are found by that.
void relax_entries(Search *s, uint active, const bool alone, const uint local_rounds)
{
    const uint item = get_local_id(0);
    uint max_rounds = alone ? max(local_rounds, (uint)ROUNDS_ALONE) : local_rounds;
    for (uint local_round = 0; active && local_round < max_rounds; ++local_round) {
        for (uint batch = 0; batch < active; batch += GROUP_SIZE) {
            if (relax_batch(s, batch, active, local_round > 0))
                max_rounds = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        active = min(*s->next.count, (uint)QUEUE);
        const bool many_far = *s->far.count > QUEUE / 2;
        if (item == 0)
            *s->current.count = 0;  // that of the next entries which are found
        barrier(CLK_LOCAL_MEM_FENCE);
        if (many_far)
            drain(s, &s->next, QUEUE, QUEUE / 2);
        const Queue swapped = s->current;
        s->current = s->next;
        s->next = swapped;
        if (active > GROUP_SIZE)
            max_rounds = local_rounds;  // the others can help
    }
    drain(s, &s->current, 0, QUEUE / 2);
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void advance(__global const OFFSET *restrict first_edge, __global const Edge *restrict edges,
                      volatile __global Key *restrict dist, __global uint *restrict near_slots,
                      __global Key *restrict near_keys, __global uint *restrict hub_slots,
                      __global Key *restrict hub_keys, __global uint *restrict far_slots,
                      __global Key *restrict far_keys, volatile __global uint *restrict counts,
                      volatile __global Key *restrict limits, const uint near_room, const uint far_room,
                      const uint round, const WEIGHT delta, const WEIGHT ceiling, const uint local_rounds,
                      const uint min_share, const uint hub_degree, const uint edges_alone, const uint max_degree,
                      const uint targets, const uint target, const uint n)
{
    __local uint slots_a[QUEUE], slots_b[QUEUE], slots_far[QUEUE];
    __local Key keys_a[QUEUE], keys_b[QUEUE], keys_far[QUEUE];
    __local uint found_a, found_b, found_far, moved[4];
    __local Key far_minimum;
    __local OFFSET first_of[GROUP_SIZE];
    __local uint sums[GROUP_SIZE], row_of[GROUP_SIZE];
    __local Key key_of[GROUP_SIZE];
    const uint item = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
    const uint reading = round % 2, writing = (round + 1) % 2;
    const Round now = begin_round(dist, counts, limits, near_room, far_room, round, delta, targets, target, n);
    const uint after = now.splits + now.splitting;
    const Store from = now.splitting ? side_of(far_slots, far_keys, now.splits % 2, far_room, counts, FAR)
                                     : side_of(near_slots, near_keys, reading, near_room, counts, NEAR);
    Search s = {
        .first_edge = first_edge,
        .edges = edges,
        .dist = dist,
        .current = {slots_a, keys_a, &found_a},
        .next = {slots_b, keys_b, &found_b},
        .far = {slots_far, keys_far, &found_far},
        .next_near = side_of(near_slots, near_keys, writing, near_room, counts, NEAR + (round + 1) % 3),
        .next_far = side_of(far_slots, far_keys, after % 2, far_room, counts, FAR + after % 3),
        .next_hubs = side_of(hub_slots, hub_keys, writing, HUB_ROOM, counts, HUBS + (round + 1) % 3),
        .moved = moved,
        .sums = sums,
        .first_of = first_of,
        .row_of = row_of,
        .key_of = key_of,
        .threshold = now.threshold,
        .ceiling = AS_KEY(ceiling),
        .minimum = NO_KEY,
        .hub_degree = hub_degree,
        .edges_alone = edges_alone,
        .n = n,
    };
    if (item == 0) {
        found_a = found_b = found_far = 0;
        far_minimum = NO_KEY;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const bool alone = one_group_is_enough(&s, &now, from.slots, max_degree);
    const uint waiting = now.waiting;
    const uint share = alone ? GROUP_SIZE : clamp((waiting + groups - 1) / groups, min_share, (uint)GROUP_SIZE);
    for (size_t begin = group * (size_t)share; begin < waiting; begin += groups * (size_t)share) {
        const uint taken = min((size_t)share, waiting - begin);
        const uint active = take_entries(&s, &from, begin, taken, now.splitting);
        relax_entries(&s, active, alone, local_rounds);
    }
#if BALANCE != LOW_DEGREE
    relax_hubs(&s, hub_slots + reading * HUB_ROOM, hub_keys + reading * HUB_ROOM, now.hubs);
#endif
    drain(&s, &s.next, 0, 0);
    if (s.minimum < NO_KEY)
        LOWER(&far_minimum, s.minimum);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0 && far_minimum < NO_KEY)
        LOWER(&limits[MINIMUM + after % 3], far_minimum);
}
