// Keys, what they carry, and the unsigned integer that stands for a key.
//
// Macros, all set by the host (reedsp/primitives/sort/records.py):
//   KEY      type of the bits of a key: uchar, ushort, uint or ulong
//   KIND     0: keys are unsigned integers, 1: signed ones, 2: floats
//   CARRIED  1 if something is moved along with each key, 0 if not
//   VALUE    type of what is carried where it is read
//   RESULT   its type where it is written, VALUE or wider
//
// A record is a key and what it carries:
//   keys         in   (n) bits of the keys
//   values       in   (n) what they carry; not read where each key carries its own index (`numbered` is 1)
//   moved_keys   out  (n); not written where only what is carried is wanted (`keeps_keys` is 0)
//   moved_values out  (n)

#if !defined(KEY) || !defined(KIND) || !defined(CARRIED) || !defined(VALUE) || !defined(RESULT)
#error "sort/keys.cl needs the macros KEY, KIND, CARRIED, VALUE and RESULT"
#endif

#include "core/language.cl"

#define SIGN ((KEY)((KEY)1 << (8 * sizeof(KEY) - 1)))
// The bits of positive infinity: all of the exponent, which has 5, 8 or 11 bits.
#define INFINITE_BITS ((KEY)(sizeof(KEY) == 2 ? 0x7c00ul : sizeof(KEY) == 4 ? 0x7f800000ul : 0x7ff0000000000000ul))

// An unsigned integer for the bits of a key, in the same order: every NaN is the last and -0.0 is 0.0.
KEY ordinal_of(const KEY bits)
{
#if KIND == 0
    return bits;
#elif KIND == 1
    return bits ^ SIGN;
#else
    const KEY magnitude = bits & (KEY)~SIGN;
    const KEY ordinal = bits > SIGN ? (KEY)~bits : (KEY)(magnitude | SIGN);
    return magnitude > INFINITE_BITS ? (KEY) ~(KEY)0 : ordinal;
#endif
}
