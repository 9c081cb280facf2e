// Stable radix sort, least significant digit first, for GPUs: work-groups reduce, scan, and move chunks tile by tile.
//
// Source:       our own, beside thesis section 5.3 of Dulle; reduce-then-scan (Merrill and Grimshaw 2011), counters in
//               halves of words (Satish, Harris and Garland 2009). No work-group waits for another.
// NDRange:      look, count_digits, move_records: global (chunks * GROUP_SIZE); place_digits: global
//               (RADIX * GROUP_SIZE); work-group (GROUP_SIZE).
// Local memory: of move_records: TILE * (sizeof(KEY) + 2 * CARRIED) + 33 * GROUP_SIZE +
//               (SUMS + RADIX) * sizeof(COUNT) + 8 * RADIX bytes.
// Macros:       GROUP_SIZE, work-items of a work-group; ITEMS, keys of a work-item in a tile; COPIES, how many sets of
//               counters count_digits has; those of sort/digits.cl.
//   facts   out  (chunks, FACTS) as in sort/digits.cl
//   counts  i/o  (RADIX, chunks) how often each digit occurs in each chunk, then in the chunks before it
//   totals  i/o  (RADIX) how often each digit occurs
//   shift, mask  where the digit is, counted from the smallest ordinal
//   chunk        keys of a chunk, a multiple of TILE
//
// A tile is sorted by its digit in local memory, by the lower and the upper half of the digit one after the other, so
// that the keys of one digit lie side by side and are written together.

#if !defined(GROUP_SIZE) || !defined(ITEMS) || !defined(COPIES) || GROUP_SIZE * ITEMS > 65535 || ITEMS > 15
#error "sort/radix_work_group.cl needs GROUP_SIZE, ITEMS of at most 15 and COPIES; a tile has less than 65,536 keys"
#endif

#include "sort/sums.cl"

#define NIBBLE 4
#define ROWS 8  // of counters: each word counts two of the 16 halves of a digit
#define TILE (GROUP_SIZE * ITEMS)
#define PADDED(word) ((word) + (word) / 32)  // so that words that are ROWS apart lie in different banks

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void look(__global const KEY *restrict keys, __global ulong *restrict facts, const ulong chunk, const ulong n)
{
    __local KEY smallest[GROUP_SIZE], largest[GROUP_SIZE], differing[GROUP_SIZE];
    __local uint descents[GROUP_SIZE];
    const uint item = get_local_id(0);
    const size_t first = get_group_id(0) * (size_t)chunk, end = min(first + chunk, (size_t)n);
    const KEY reference = ordinal_of(keys[0]);
    KEY own_smallest = (KEY) ~(KEY)0, own_largest = 0, own_differing = 0;
    uint own_descents = 0;
    for (size_t batch = first + item; batch - item < end; batch += ITEMS * GROUP_SIZE) {
        KEY loaded[ITEMS], earlier[ITEMS];  // all of them before the first is looked at; behind the end, the last again
#pragma unroll
        for (uint j = 0; j < ITEMS; ++j) {
            const size_t i = min(batch + j * GROUP_SIZE, end - 1);
            loaded[j] = keys[i];
            earlier[j] = keys[i - (i > 0)];
        }
#pragma unroll
        for (uint j = 0; j < ITEMS; ++j) {
            const KEY ordinal = ordinal_of(loaded[j]);
            own_smallest = ordinal < own_smallest ? ordinal : own_smallest;
            own_largest = ordinal > own_largest ? ordinal : own_largest;
            own_differing |= ordinal ^ reference;
            own_descents |= ordinal < ordinal_of(earlier[j]);
        }
    }
    smallest[item] = own_smallest;
    largest[item] = own_largest;
    differing[item] = own_differing;
    descents[item] = own_descents;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint left = GROUP_SIZE; left > 1; left = (left + 1) / 2) {
        const uint other = item + (left + 1) / 2;
        if (other < left) {
            smallest[item] = smallest[other] < smallest[item] ? smallest[other] : smallest[item];
            largest[item] = largest[other] > largest[item] ? largest[other] : largest[item];
            differing[item] |= differing[other];
            descents[item] |= descents[other];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        __global ulong *own = facts + get_group_id(0) * FACTS;
        own[0] = smallest[0];
        own[1] = largest[0];
        own[2] = differing[0];
        own[3] = descents[0];
    }
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void count_digits(__global const KEY *restrict keys, __global COUNT *restrict counts, const KEY smallest,
                           const uint shift, const uint mask, const ulong chunk, const ulong n)
{
    __local uint own[COPIES * RADIX];
    const uint item = get_local_id(0), copy = item % COPIES;
    const size_t group = get_group_id(0), groups = get_num_groups(0);
    const size_t first = group * (size_t)chunk, end = min(first + chunk, (size_t)n);
    for (uint counter = item; counter < COPIES * RADIX; counter += GROUP_SIZE)
        own[counter] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    size_t batch = first + item;
    for (; batch + (ITEMS - 1) * GROUP_SIZE < end; batch += ITEMS * GROUP_SIZE) {
        KEY loaded[ITEMS];  // all of them before the first is counted
#pragma unroll
        for (uint j = 0; j < ITEMS; ++j)
            loaded[j] = keys[batch + j * GROUP_SIZE];
#pragma unroll
        for (uint j = 0; j < ITEMS; ++j)
            atomic_inc(&own[digit_of(loaded[j], smallest, shift, mask) * COPIES + copy]);
    }
    for (; batch < end; batch += GROUP_SIZE)
        atomic_inc(&own[digit_of(keys[batch], smallest, shift, mask) * COPIES + copy]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint digit = item; digit < RADIX; digit += GROUP_SIZE) {
        COUNT sum = 0;
        for (uint other = 0; other < COPIES; ++other)
            sum += own[digit * COPIES + other];
        counts[digit * groups + group] = sum;
    }
}

// Work-group d scans the counts of digit d; each work-item those of neighbouring chunks.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void place_digits(__global COUNT *restrict counts, __global COUNT *restrict totals, const ulong chunks)
{
    __local COUNT sums[SUMS];
    __global COUNT *own = counts + get_group_id(0) * (size_t)chunks;
    const size_t share = (chunks + GROUP_SIZE - 1) / GROUP_SIZE, first = get_local_id(0) * share;
    const size_t end = min(first + share, (size_t)chunks);
    COUNT sum = 0, total;
    for (size_t chunk = first; chunk < end; ++chunk)
        sum += own[chunk];
    COUNT place = sum_before(sum, sums, &total);
    for (size_t chunk = first; chunk < end; ++chunk) {
        const COUNT count = own[chunk];
        own[chunk] = place;
        place += count;
    }
    if (get_local_id(0) == 0)
        totals[get_group_id(0)] = total;
}

// The digit of the j-th key of a work-item; behind the last key of a tile, the largest one.
#define DIGIT(j) ((int)(j) < here ? digit_of(own[j], smallest, shift, mask) : RADIX - 1)

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
    __local uint counters[PADDED(ROWS * GROUP_SIZE)];
    __local COUNT sums[SUMS], next[RADIX];
    __local uint starts[RADIX], ends[RADIX];
    const uint item = get_local_id(0);
    COUNT total;
    first_of_digits(totals, counts, next, sums);
    const size_t begin = get_group_id(0) * (size_t)chunk, end = min(begin + chunk, (size_t)n);
    for (size_t first = begin; first < end; first += TILE) {
        const uint count = (uint)min((size_t)TILE, end - first);
        const int here =
            (int)count - (int)(item * ITEMS);  // so many of the neighbouring keys of this work-item are keys
        KEY own[ITEMS];
#if CARRIED
        ushort own_sources[ITEMS];
#endif
        if (count == TILE) {
#pragma unroll
            for (uint j = 0; j < ITEMS; ++j)
                tile[j * GROUP_SIZE + item] = keys[first + j * GROUP_SIZE + item];
        } else {
            for (uint i = item; i < TILE; i += GROUP_SIZE)
                tile[i] = i < count ? keys[first + i] : 0;
        }
        for (uint digit = item; digit < RADIX; digit += GROUP_SIZE)
            starts[digit] = ends[digit] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint j = 0; j < ITEMS; ++j) {
            own[j] = tile[item * ITEMS + j];
#if CARRIED
            own_sources[j] = item * ITEMS + j;
#endif
        }
        // By the lower half of the digit, then by the upper one. A work-item counts its keys in 16 fields of a register.
        for (uint low = 0; low == 0 || (low == NIBBLE && mask >> NIBBLE > 0); low += NIBBLE) {
            ulong fields = 0;
            uint ranks[ITEMS];  // the half, and behind it how many keys of this work-item with the same one are before
#pragma unroll
            for (uint j = 0; j < ITEMS; ++j) {
                const uint half_digit = DIGIT(j) >> low & 15;
                ranks[j] = half_digit << 16 | ((uint)(fields >> NIBBLE * half_digit) & 15);
                fields += 1ul << NIBBLE * half_digit;
            }
            const uint lower = (uint)fields, upper = (uint)(fields >> 32);
#pragma unroll
            for (uint row = 0; row < ROWS; ++row)
                counters[PADDED(row * GROUP_SIZE + item)] = (lower >> NIBBLE * row & 15) | (upper >> NIBBLE * row & 15)
                                                                                               << 16;
            barrier(CLK_LOCAL_MEM_FENCE);
            uint rows[ROWS], sum = 0;
#pragma unroll
            for (uint row = 0; row < ROWS; ++row) {
                rows[row] = counters[PADDED(item * ROWS + row)];
                sum += rows[row];
            }
            uint earlier = (uint)sum_before(sum, sums, &total);
            earlier += (uint)total << 16;  // the upper counters are those of larger digits
#pragma unroll
            for (uint row = 0; row < ROWS; ++row) {
                counters[PADDED(item * ROWS + row)] = earlier;
                earlier += rows[row];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
            for (uint j = 0; j < ITEMS; ++j) {
                const uint half_digit = ranks[j] >> 16;
                const uint both = counters[PADDED(half_digit % ROWS * GROUP_SIZE + item)];
                const uint rank = (ranks[j] & 15) + (both >> half_digit / ROWS * 16 & 0xffff);
                tile[rank] = own[j];
#if CARRIED
                sources[rank] = own_sources[j];
#endif
            }
            barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
            for (uint j = 0; j < ITEMS; ++j) {
                own[j] = tile[item * ITEMS + j];
#if CARRIED
                own_sources[j] = sources[item * ITEMS + j];
#endif
            }
        }
        // Where the digits begin and end: seen by the work-items whose keys are the first and the last of them.
        uint earlier = item > 0 && here > 0 ? digit_of(tile[item * ITEMS - (item > 0)], smallest, shift, mask) : RADIX;
#pragma unroll
        for (uint j = 0; j < ITEMS; ++j) {
            const uint i = item * ITEMS + j, digit = DIGIT(j);
            if ((int)j < here && earlier != digit) {
                starts[digit] = i;
                if (i > 0)
                    ends[earlier] = i;
            }
            if (i + 1 == count)
                ends[digit] = count;
            earlier = digit;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if CARRIED
#pragma unroll
        for (uint j = 0; j < ITEMS; ++j) {
            const uint i = j * GROUP_SIZE + item;
            if (i < count) {
                const KEY key = tile[i];
                const uint digit = digit_of(key, smallest, shift, mask);
                const COUNT target = next[digit] + (i - starts[digit]), source = (COUNT)first + sources[i];
                moved_values[target] = numbered ? (RESULT)source : (RESULT)values[source];
                if (keeps_keys)
                    moved_keys[target] = key;
            }
        }
#else
        if (count == TILE) {
#pragma unroll
            for (uint j = 0; j < ITEMS; ++j) {
                const uint i = j * GROUP_SIZE + item;
                const KEY key = tile[i];
                const uint digit = digit_of(key, smallest, shift, mask);
                moved_keys[next[digit] + (i - starts[digit])] = key;
            }
        } else {
            for (uint i = item; i < count; i += GROUP_SIZE) {
                const KEY key = tile[i];
                const uint digit = digit_of(key, smallest, shift, mask);
                moved_keys[next[digit] + (i - starts[digit])] = key;
            }
        }
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint digit = item; digit < RADIX; digit += GROUP_SIZE)
            next[digit] += ends[digit] - starts[digit];
        // The next tile's keys may be loaded: no work-item reads this one's any more. Its digits begin and end behind the
        // barrier that follows the loading, and each work-item clears what it has just added itself.
    }
}
