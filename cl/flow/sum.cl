// Sums that many work-items add to at once and that never wrap: of 96 bits, in three words of 32, by 32-bit atomics.
//
// The order of the additions does not matter: each carry is found by the addition that causes it. Words are read in a
// later launch only.

#include "core/language.cl"

#define SUM_WORDS 3

void add_to_sum(__global uint *restrict words, const ulong amount)
{
    const uint low = (uint)amount;
    const uint carry = low > UINT_MAX - atomic_add(&words[0], low);
    const uint high = (uint)(amount >> 32) + carry;  // does not wrap: amounts are below 2^63
    if (high > 0 && high > UINT_MAX - atomic_add(&words[1], high))
        atomic_inc(&words[2]);
}
