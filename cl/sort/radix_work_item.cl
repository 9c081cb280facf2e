// Stable radix sort, least significant digit first, for CPU devices: each work-item moves a chunk, no barrier.
//
// Source:       our own, beside thesis section 5.3 of Dulle; the digits of each chunk are counted, and then
//               its keys moved from front to back, behind smaller digits and the same ones of earlier chunks.
// NDRange:      global (chunks), work-group (1).
// Local memory: none.
// Macros:       DIGITS, values of a digit at most; those of sort/digits.cl.
//   facts   out  (chunks, FACTS) as in sort/digits.cl
//   counts  i/o  (chunks, DIGITS) how often each digit occurs in each chunk
//   shift, mask  where the digit is, counted from the smallest ordinal
//   chunk        keys of a chunk

#ifndef DIGITS
#error "sort/radix_work_item.cl needs the macro DIGITS"
#endif

#include "sort/digits.cl"

__kernel void look(__global const KEY *restrict keys, __global ulong *restrict facts, const ulong chunk, const ulong n)
{
    const size_t first = get_global_id(0) * (size_t)chunk, end = min(first + chunk, (size_t)n);
    const KEY reference = ordinal_of(keys[0]);
    KEY smallest = (KEY) ~(KEY)0, largest = 0, differing = 0;
    uint descents = first > 0 && ordinal_of(keys[first]) < ordinal_of(keys[first - 1]);
    for (size_t i = first; i < end; ++i) {
        const KEY ordinal = ordinal_of(keys[i]);
        smallest = ordinal < smallest ? ordinal : smallest;
        largest = ordinal > largest ? ordinal : largest;
        differing |= ordinal ^ reference;
    }
    for (size_t i = first + 1; i < end; ++i)
        descents |= ordinal_of(keys[i]) < ordinal_of(keys[i - 1]);
    vstore4((ulong4)(smallest, largest, differing, descents), get_global_id(0), facts);
}

__kernel void count_digits(__global const KEY *restrict keys, __global COUNT *restrict counts, const KEY smallest,
                           const uint shift, const uint mask, const ulong chunk, const ulong n)
{
    const size_t first = get_global_id(0) * (size_t)chunk, end = min(first + chunk, (size_t)n);
    uint own[DIGITS];
    for (uint digit = 0; digit < DIGITS; ++digit)
        own[digit] = 0;
    for (size_t i = first; i < end; ++i)
        ++own[digit_of(keys[i], smallest, shift, mask)];
    for (uint digit = 0; digit < DIGITS; ++digit)
        counts[get_global_id(0) * DIGITS + digit] = own[digit];
}

__kernel void move_records(__global const KEY *restrict keys, __global const VALUE *restrict values,
                           __global const COUNT *restrict counts, __global KEY *restrict moved_keys,
                           __global RESULT *restrict moved_values, const KEY smallest, const uint shift,
                           const uint mask, const uint numbered, const uint keeps_keys, const ulong chunk,
                           const ulong n)
{
    const size_t first = get_global_id(0) * (size_t)chunk, end = min(first + chunk, (size_t)n);
    COUNT next[DIGITS], totals[DIGITS], smaller = 0;
    for (uint digit = 0; digit < DIGITS; ++digit)
        next[digit] = totals[digit] = 0;
    const size_t chunks = (n - 1) / chunk + 1;
    for (size_t other = 0; other < chunks; ++other) {
        const bool is_earlier = other < get_global_id(0);
        for (uint digit = 0; digit < DIGITS; ++digit) {
            const COUNT count = counts[other * DIGITS + digit];
            totals[digit] += count;
            next[digit] += is_earlier ? count : 0;
        }
    }
    for (uint digit = 0; digit < DIGITS; ++digit) {  // behind the smaller digits of all chunks
        next[digit] += smaller;
        smaller += totals[digit];
    }
    for (size_t i = first; i < end; ++i) {
        const KEY key = keys[i];
        const COUNT target = next[digit_of(key, smallest, shift, mask)]++;
#if CARRIED
        moved_values[target] = numbered ? (RESULT)i : (RESULT)values[i];
        if (keeps_keys)
            moved_keys[target] = key;
#else
        moved_keys[target] = key;
#endif
    }
}
