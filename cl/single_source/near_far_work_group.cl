// Near-far shortest paths for weights that are not negative: one launch after the other on queues in device memory.
//
// Source:       near-far piles (Davidson, Baxter, Garland and Owens, 2014), with edges shared out by running sums of
//               degrees and binary search. The protocol of one word is our own.
// NDRange:      work-groups of GROUP_SIZE, as many as the host likes.
// Local memory: about QUEUE * 3 * (4 + sizeof(Key)) + GROUP_SIZE * (8 + sizeof(OFFSET) + sizeof(Key)) bytes.
// Macros:       GROUP_SIZE, a power of 2; QUEUE, entries of a local queue, at least GROUP_SIZE;
//               core/out_edges.cl, core/atomic_min.cl, core/weights.cl.
//
// There may be several rows, each with distances from sources of its own; a slot is row * n + vertex. An entry (slot,
// key) says: the distance of this slot has fallen to this key, and nobody has relaxed its edges since. Whoever lowers
// a distance by an atomic minimum queues the entry, and whoever takes an entry whose key is no longer the distance
// drops it: another entry is on its way. So one word per slot decides everything, and no order between words is
// needed. Entries below the threshold go to the near queue, others to the far pile. When nothing near is left the
// threshold rises, and the pile is split.
//
// Each launch works on what the launch before has left, in words that no two of its work-items use differently:
//   counts  i/o  NEAR + r % 3: near entries that launch r takes; it fills the next word, and clears the one after that
//                HUBS + r % 3: likewise, entries of vertices with hub_degree edges or more, which all work-groups share
//                FAR + s % 3: far entries after s splits; split s fills the next word, and clears the one after that
//                SPLITS + r % 2: s before launch r
//                LOST: not 0 if an entry found no room; the host then queues every slot anew (requeue)
//                DONE: not 0 if there is nothing to do; ROUNDS: launches that had something to do
//   limits  i/o  THRESHOLD + r % 2: the threshold before launch r
//                LEAST + s % 3: a lower bound of the keys in the far pile after s splits
//   near    i/o  (2, near_room) near entries that launch r takes (r % 2) and those for the next one
//   hubs    i/o  (2, HUB_ROOM) likewise
//   far     i/o  (2, far_room) the far pile after s splits (s % 2), and the other one
//   dist    i/o  (rows, n) keys
//   round   r % 6
//   delta   by how much the threshold rises, at least; ceiling: path weights from here on are not recorded
//   least_share         entries that a work-group takes at once, at least, and at most GROUP_SIZE
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
#define LEAST 2
#define LIMITS 5

#define HUB_ROOM 1024
#define ROUNDS_ALONE 128

// Queues of one work-group, and what its work-items share.
typedef struct {
    __local uint *slots;
    __local Key *keys;
    __local uint *count;
} Queue;

typedef struct {
    __global uint *slots;
    __global Key *keys;
    volatile __global uint *count;
    volatile __global uint *lost;
    uint room;
} Store;

void fill(__global uint *slots, __global Key *keys, const uint place, const uint slot, const Key key)
{
    slots[place] = slot;
    keys[place] = key;
}

// Threshold above a key by delta, and by something in any case. Beyond NO_KEY there is nothing to come.
Key raised(const Key key, const WEIGHT delta)
{
#if IS_INTEGER
    return key + max(AS_KEY(delta), (Key)1);
#else
    return max(AS_KEY(AS_WEIGHT(key) + delta), key + 1);
#endif
}

// Store an entry at a place that has been taken for it, if there is room.
void store_entry(const Store *store, const uint place, const uint slot, const Key key)
{
    if (place < store->room)
        fill(store->slots, store->keys, place, slot, key);
    else
        atomic_or(store->lost, 1u);
}

// Queue an entry in global memory.
void push_beyond(const Store *store, const uint slot, const Key key)
{
    store_entry(store, atomic_inc(store->count), slot, key);
}

// Queue an entry: in local memory, or in global memory if that is full.
void push(const Queue *queue, const Store *store, const uint slot, const Key key)
{
    const uint place = atomic_inc(queue->count);
    if (place < QUEUE) {
        queue->slots[place] = slot;
        queue->keys[place] = key;
        return;
    }
    push_beyond(store, slot, key);
}

// Move each local queue with more than so many entries to global memory, and empty it. By all work-items together.
void drain(const Queue *next, const Store *near_store, const uint most, const Queue *aside, const Store *far_store,
           const uint most_aside, __local uint *moved)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        const uint count = min(*next->count, (uint)QUEUE), count_aside = min(*aside->count, (uint)QUEUE);
        moved[0] = count > most ? count : 0;
        moved[1] = count_aside > most_aside ? count_aside : 0;
        if (moved[0]) {
            moved[2] = atomic_add(near_store->count, count);
            *next->count = 0;
        }
        if (moved[1]) {
            moved[3] = atomic_add(far_store->count, count_aside);
            *aside->count = 0;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint place = get_local_id(0); place < moved[0]; place += GROUP_SIZE)
        store_entry(near_store, moved[2] + place, next->slots[place], next->keys[place]);
    for (uint place = get_local_id(0); place < moved[1]; place += GROUP_SIZE)
        store_entry(far_store, moved[3] + place, aside->slots[place], aside->keys[place]);
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Running sums of one number a work-item, in their order; returns the sum of all.
uint sum_up(__local uint *sums, const uint number)
{
    const uint item = get_local_id(0);
    uint sum = number;
    sums[item] = sum;
    for (uint stride = 1; stride < GROUP_SIZE; stride *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item >= stride)
            sum += sums[item - stride];
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[item] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return sums[GROUP_SIZE - 1];
}

// Whose share the unit of this number is: how many of the running sums it is not below.
uint owner_of(__local const uint *sums, const uint number)
{
    uint owner = 0;
    for (uint step = GROUP_SIZE / 2; step; step /= 2)
        owner += sums[owner + step - 1] <= number ? step : 0;
    return owner;
}

__kernel void clear(__global Key *restrict dist, __global uint *restrict counts, __global Key *restrict limits,
                    const uint starts, const WEIGHT delta, const ulong slots)
{
    if (get_global_id(0) < slots)
        dist[get_global_id(0)] = NO_KEY;
    if (get_global_id(0) == 0) {
        for (uint word = 0; word <= ROUNDS; ++word)
            counts[word] = word == NEAR ? starts : 0;
        for (uint word = 0; word < LEAST + 3; ++word)
            limits[word] = word < LEAST ? AS_KEY(delta) : NO_KEY;
    }
}

// places: slots that start with distance 0; all different.
__kernel void start(__global const uint *restrict places, __global Key *restrict dist,
                    __global uint *restrict near_slots, __global Key *restrict near_keys, const uint starts)
{
    const uint number = get_global_id(0);
    if (number < starts) {
        dist[places[number]] = 0;
        fill(near_slots, near_keys, number, places[number], 0);
    }
}

// Queue every slot that has been reached, for launch `round`. Whatever entries were lost, these make up for them.
__kernel void requeue(__global const Key *restrict dist, __global uint *restrict near_slots,
                      __global Key *restrict near_keys, volatile __global uint *restrict counts, const uint near_room,
                      const uint round, const uint slots)
{
    const uint slot = get_global_id(0);
    if (slot == 0) {
        counts[LOST] = 0;
        counts[DONE] = 0;
    }
    if (slot < slots && dist[slot] != NO_KEY) {
        const uint place = atomic_inc(&counts[NEAR + round % 3]);
        fill(near_slots + (round % 2) * (size_t)near_room, near_keys + (round % 2) * (size_t)near_room, place, slot,
             dist[slot]);
    }
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void advance(__global const OFFSET *restrict first_edge, __global const Edge *restrict edges,
                      volatile __global Key *restrict dist, __global uint *restrict near_slots,
                      __global Key *restrict near_keys, __global uint *restrict hub_slots,
                      __global Key *restrict hub_keys, __global uint *restrict far_slots,
                      __global Key *restrict far_keys, volatile __global uint *restrict counts,
                      volatile __global Key *restrict limits, const uint near_room, const uint far_room,
                      const uint round, const WEIGHT delta, const WEIGHT ceiling, const uint local_rounds,
                      const uint least_share, const uint hub_degree, const uint edges_alone, const uint max_degree,
                      const uint targets, const uint target, const uint n)
{
    __local uint slots_a[QUEUE], slots_b[QUEUE], slots_far[QUEUE];
    __local Key keys_a[QUEUE], keys_b[QUEUE], keys_far[QUEUE];
    __local uint found, found_far, moved[4];
    __local Key least_far;
    __local OFFSET first_of[GROUP_SIZE];
    __local uint sums[GROUP_SIZE], rows_of[GROUP_SIZE];
    __local Key keys_of[GROUP_SIZE];
    const uint item = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
    const uint splits = counts[SPLITS + round % 2];
    const Key before = limits[THRESHOLD + round % 2];
    const uint nearby = min(counts[NEAR + round % 3], near_room);
    const uint hubs = min(counts[HUBS + round % 3], (uint)HUB_ROOM);
    // Somebody may be adding to the far pile, unless this launch splits it, which then goes on in other words.
    const uint pile = nearby || hubs ? 0 : min(counts[FAR + splits % 3], far_room);

    // All work-items come to the same conclusions: no distance falls below `before` any more.
    bool done = nearby == 0 && hubs == 0 && pile == 0;
    if (pile && targets) {
        done = true;
        for (uint row = 0; row < targets; ++row)
            done = done && LOAD(&dist[(size_t)row * n + target]) < before;
    }
    const bool splitting = pile && !done;
    Key threshold = before;
    if (splitting) {
        const Key least = limits[LEAST + splits % 3];
        threshold = raised(before, delta);
        if (least >= threshold)
            threshold = raised(least, delta);
    }
    if (group == 0 && item == 0) {
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
                limits[LEAST + (splits + 2) % 3] = NO_KEY;
            }
        }
    }

    const uint reading = round % 2, writing = (round + 1) % 2;
    const uint after = splits + splitting;
    volatile __global uint *lost = &counts[LOST];
    const Store near_store = {near_slots + writing * (size_t)near_room, near_keys + writing * (size_t)near_room,
                              &counts[NEAR + (round + 1) % 3], lost, near_room};
    const Store far_store = {far_slots + (after % 2) * (size_t)far_room, far_keys + (after % 2) * (size_t)far_room,
                             &counts[FAR + after % 3], lost, far_room};
    __global const uint *from_slots =
        splitting ? far_slots + (splits % 2) * (size_t)far_room : near_slots + reading * (size_t)near_room;
    __global const Key *from_keys =
        splitting ? far_keys + (splits % 2) * (size_t)far_room : near_keys + reading * (size_t)near_room;
    Queue current = {slots_a, keys_a, &found}, next = {slots_b, keys_b, &found};
    const Queue aside = {slots_far, keys_far, &found_far};
    Key least = NO_KEY;
    if (item == 0) {
        found = found_far = 0;
        least_far = NO_KEY;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

// Relax an edge: lower the distance of its end, and queue that.
#define RELAX(edge, row, key)                                                                                  \
    {                                                                                                          \
        const Edge out = edge;                                                                                 \
        const uint end = (row) + out.target;                                                                   \
        const Key through = extended(key, out.weight);                                                         \
        if (through < AS_KEY(ceiling) && through < LOAD(&dist[end]) && through < LOWER(&dist[end], through)) { \
            if (through < threshold) {                                                                         \
                push(&next, &near_store, end, through);                                                        \
            } else {                                                                                           \
                least = min(least, through);                                                                   \
                push(&aside, &far_store, end, through);                                                        \
            }                                                                                                  \
        }                                                                                                      \
    }

    const uint waiting = done ? 0 : splitting ? pile : nearby;
    // Work-groups agree on who is alone: what is counted here does not change in this launch.
    bool alone = waiting <= GROUP_SIZE && !splitting;
    if (alone && waiting * (ulong)max_degree > edges_alone) {
        uint degree = 0;
        if (item < waiting) {
            const uint vertex = from_slots[item] % n;
            degree = first_edge[vertex + 1] - first_edge[vertex];
        }
        alone = sum_up(sums, degree < hub_degree ? degree : 0) <= edges_alone;
    }
    const uint share = alone ? GROUP_SIZE : clamp((waiting + groups - 1) / groups, least_share, (uint)GROUP_SIZE);
    for (size_t begin = group * (size_t)share; begin < waiting; begin += groups * (size_t)share) {
        // Take some entries; of the far pile, those that are near now.
        const uint taken = min((size_t)share, waiting - begin);
        if (item < taken) {
            const uint slot = from_slots[begin + item];
            const Key key = from_keys[begin + item];
            if (!splitting) {
                current.slots[item] = slot;
                current.keys[item] = key;
            } else if (LOAD(&dist[slot]) == key) {
                if (key < threshold) {
                    const uint place = atomic_inc(&found);
                    current.slots[place] = slot;
                    current.keys[place] = key;
                } else {
                    least = min(least, key);
                    push(&aside, &far_store, slot, key);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint active = splitting ? found : taken;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint most_rounds = alone ? max(local_rounds, (uint)ROUNDS_ALONE) : local_rounds;
        for (uint local_round = 0; active && local_round < most_rounds; ++local_round) {
            if (item == 0)
                found = 0;  // which nobody touches before the sums below are there
            for (uint batch = 0; batch < active; batch += GROUP_SIZE) {
                uint slot = 0, vertex = 0;
                Key key = 0;
                OFFSET first = 0, last = 0;
                if (batch + item < active) {
                    slot = current.slots[batch + item];
                    key = current.keys[batch + item];
                    vertex = slot % n;
                    first = first_edge[vertex];
                    last = first_edge[vertex + 1];
                    if (LOAD(&dist[slot]) != key)
                        last = first;
                }
                if (last - first >= hub_degree) {
                    const uint place = atomic_inc(&counts[HUBS + (round + 1) % 3]);
                    if (place < HUB_ROOM)
                        fill(hub_slots, hub_keys, writing * HUB_ROOM + place, slot, key);
                    else
                        push_beyond(&near_store, slot, key);
                    last = first;
                }
                first_of[item] = first;
                rows_of[item] = slot - vertex;
                keys_of[item] = key;
                uint total = sum_up(sums, last - first), step = 0;
                if (local_round && total > edges_alone) {  // the others can help
                    if (first < last)
                        push(&next, &near_store, slot, key);
                    most_rounds = total = 0;
                }
                do {  // once at least, for the sake of its barriers: the sums are about to be replaced
                    const uint number = step + item;
                    if (number < total) {
                        const uint entry = owner_of(sums, number);
                        const OFFSET edge = first_of[entry] + (number - (entry ? sums[entry - 1] : 0));
                        RELAX(edges[edge], rows_of[entry], keys_of[entry])
                    }
                    drain(&next, &near_store, QUEUE - GROUP_SIZE, &aside, &far_store, QUEUE - GROUP_SIZE, moved);
                    step += GROUP_SIZE;
                } while (step < total);
            }
            drain(&next, &near_store, QUEUE, &aside, &far_store, QUEUE / 2, moved);
            active = min(found, (uint)QUEUE);
            const Queue swapped = current;
            current = next;
            next = swapped;
            if (active > GROUP_SIZE)
                most_rounds = local_rounds;  // the others can help
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (item == 0)
            found = active;
        drain(&current, &near_store, 0, &aside, &far_store, QUEUE / 2, moved);
    }

    // The edges of hubs, by all work-groups.
    const uint shared_hubs = done ? 0 : hubs;
    for (uint hub = 0; hub < shared_hubs; ++hub) {
        const uint slot = hub_slots[reading * HUB_ROOM + hub];
        const Key key = hub_keys[reading * HUB_ROOM + hub];
        const uint vertex = slot % n;
        const OFFSET last = first_edge[vertex + 1];
        OFFSET edge = first_edge[vertex] + group * (OFFSET)GROUP_SIZE;
        for (; edge < last; edge += groups * (OFFSET)GROUP_SIZE) {
            if (edge + item < last)
                RELAX(edges[edge + item], slot - vertex, key)
            drain(&next, &near_store, QUEUE - GROUP_SIZE, &aside, &far_store, QUEUE - GROUP_SIZE, moved);
        }
    }
    drain(&next, &near_store, 0, &aside, &far_store, 0, moved);
    if (least < NO_KEY)
        LOWER(&least_far, least);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0 && least_far < NO_KEY)
        LOWER(&limits[LEAST + after % 3], least_far);
}
