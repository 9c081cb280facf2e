// The step of a stable radix sort that moves records, for GPUs whose work-items run in step, LANES at a time.
//
// Source:       our own, beside thesis section 5.3 of Dulle; equal digits are matched among the lanes (Adinets and
//               Merrill 2022). No work-group waits for another.
// NDRange:      global (chunks * GROUP_SIZE), work-group (GROUP_SIZE).
// Local memory: TILE * (sizeof(KEY) + 2 * CARRIED) + 2 * RADIX * GROUP_SIZE / LANES +
//               (SUMS + 2 * RADIX) * sizeof(COUNT) bytes.
// Macros:       GROUP_SIZE, work-items of a work-group, a multiple of LANES; LANES, 32: NVIDIA's instructions match
//               digits among 32 work-items that are in step; 1: each work-item is alone; ITEMS, keys of a work-item in
//               a tile; those of sort/digits.cl.
//   counts, totals  in  as sort/radix_work_group.cl has left them
//   shift, mask     where the digit is, counted from the smallest ordinal
//   chunk           keys of a chunk, a multiple of TILE
//
// The work-items that are in step have ITEMS * LANES neighbouring keys of a tile, and count digits for themselves:
//
//     j = 0        key of lane 0 | key of lane 1 | ...
//     j = 1        key of lane 0 | key of lane 1 | ...
//
// A key's rank among those of its digit is how many there were for smaller j, and how many lanes before have it, too.

#if !defined(GROUP_SIZE) || !defined(ITEMS) || !defined(LANES) || GROUP_SIZE % LANES || GROUP_SIZE * ITEMS > 65535
#error "sort/radix_lanes.cl needs LANES, ITEMS, and a GROUP_SIZE of whole LANES; a tile has less than 65,536 keys"
#endif

#include "sort/sums.cl"

#define TILE (GROUP_SIZE * ITEMS)
#define TEAMS (GROUP_SIZE / LANES)

#if LANES == 32
// The lanes that have this digit, one bit each: of a digit's bits, each lane tells the others its own.
uint matching(const uint digit)
{
    uint lanes = 0xffffffff;
#pragma unroll
    for (uint bit = 1; bit < RADIX; bit *= 2) {
        uint alike;
        asm volatile("{ .reg .pred p; .reg .b32 own; and.b32 own, %1, %2; setp.ne.u32 p, own, 0;"
                     "vote.sync.ballot.b32 %0, p, 0xffffffff; @!p not.b32 %0, %0; }"
                     : "=r"(alike)
                     : "r"(digit), "r"(bit));
        lanes &= alike;
    }
    return lanes;
}

// What a lane has stored before, the others see.
#define MEET() asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#elif LANES == 1
#define matching(digit) 1u
#define MEET()
#else
#error "sort/radix_lanes.cl: LANES is 32 or 1"
#endif

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void move_records(__global const KEY *restrict keys, __global const VALUE *restrict values,
                           __global const COUNT *restrict counts, __global const COUNT *restrict totals,
                           __global KEY *restrict moved_keys, __global RESULT *restrict moved_values,
                           const KEY smallest, const uint shift, const uint mask, const uint numbered,
                           const uint keeps_keys, const ulong chunk, const ulong n)
{
    __local KEY tile[TILE];
#if CARRIED
    __local ushort sources[TILE];
#endif
    __local ushort counters[TEAMS * RADIX];
    __local COUNT sums[SUMS], next[RADIX], targets[RADIX];
    const uint item = get_local_id(0), lane = item % LANES, own_first = item / LANES * (LANES * ITEMS) + lane;
    volatile __local ushort *own_counters = counters + item / LANES * RADIX;
    COUNT before, total;
    first_of_digits(totals, counts, next, sums);
    const size_t begin = get_group_id(0) * (size_t)chunk, end = min(begin + chunk, (size_t)n);
    for (size_t first = begin; first < end; first += TILE) {
        const uint count = (uint)min((size_t)TILE, end - first);
        KEY own[ITEMS];
        uint ranks[ITEMS];  // the digit, and behind it how many keys with the same one are before
        if (count == TILE) {
#pragma unroll
            for (uint j = 0; j < ITEMS; ++j)
                own[j] = keys[first + own_first + j * LANES];
        } else {
            for (uint j = 0; j < ITEMS; ++j)
                own[j] = own_first + j * LANES < count ? keys[first + own_first + j * LANES] : 0;
        }
        for (uint digit = lane; digit < RADIX; digit += LANES)
            own_counters[digit] = 0;
        MEET();
#pragma unroll
        for (uint j = 0; j < ITEMS; ++j) {
            // Behind the last key of the tile: the largest digit, so that nothing is moved by it.
            const bool is_key = own_first + j * LANES < count;
            const uint digit = is_key ? digit_of(own[j], smallest, shift, mask) : RADIX - 1;
            const uint same = matching(digit), earlier = popcount(same & ((1u << lane) - 1));
            const uint rank = own_counters[digit];
            MEET();
            if (earlier == 0)
                own_counters[digit] = rank + popcount(same);
            MEET();
            ranks[j] = digit << 16 | (rank + earlier);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        before = 0;
        for (uint start = 0; start < RADIX; start += GROUP_SIZE) {
            const uint digit = start + item;
            uint sum = 0;
            for (uint team = 0; team < TEAMS && digit < RADIX; ++team)
                sum += counters[team * RADIX + digit];
            uint place = (uint)(before + sum_before(sum, sums, &total));
            if (digit < RADIX) {
                targets[digit] = next[digit] - place;
                next[digit] += sum;
                for (uint team = 0; team < TEAMS; ++team) {
                    const uint of_team = counters[team * RADIX + digit];
                    counters[team * RADIX + digit] = place;
                    place += of_team;
                }
            }
            before += total;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint j = 0; j < ITEMS; ++j) {
            const uint rank = own_counters[ranks[j] >> 16] + (ranks[j] & 0xffff);
            tile[rank] = own[j];
#if CARRIED
            sources[rank] = own_first + j * LANES;
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint j = 0; j < ITEMS; ++j) {
            const uint i = j * GROUP_SIZE + item;
            if (i < count) {
                const KEY key = tile[i];
                const COUNT target = targets[digit_of(key, smallest, shift, mask)] + i;
#if CARRIED
                const COUNT source = (COUNT)first + sources[i];
                moved_values[target] = numbered ? (RESULT)source : (RESULT)values[source];
                if (keeps_keys)
                    moved_keys[target] = key;
#else
                moved_keys[target] = key;
#endif
            }
        }
        // The next tile's keys may be loaded and counted: what is read here changes behind the barrier that follows.
    }
}
