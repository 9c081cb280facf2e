// Digits of keys, as radix sorts take them.
//
// Macros: COUNT, type that counts keys: uint, or ulong from 2^32 keys on; those of sort/keys.cl.

#ifndef COUNT
#error "sort/digits.cl needs the macro COUNT"
#endif

#include "sort/keys.cl"

// What is known of each chunk of the keys: its smallest and its largest ordinal, the bits in which its ordinals differ
// from that of the first key of all, and 1 if one is smaller than the one before it, else 0.
#define FACTS 4

// The digit of a key, counted from the smallest ordinal of all.
uint digit_of(const KEY bits, const KEY smallest, const uint shift, const uint mask)
{
    return (uint)((KEY)(ordinal_of(bits) - smallest) >> shift) & mask;
}
