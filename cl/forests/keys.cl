// Weights as unsigned keys in the same order, and the edges that spanning forests are chosen from.
//
// Macros: VALUE, what weights are stored in: int or long, or uint or ulong, which hold the bits of floats or doubles;
//         REAL, their type then: float or double; FLOATS, 1 if there are such bits; WHOLE, 1 if they are those of
//         integers whose magnitude is at most 2^53; KEY_BITS, 32 or 64.
//
// A key is the distance of a weight from the first one in order, the origin. Of edges with equal keys the one that is
// given first comes first: no two edges are equal, so that there is exactly one forest.

#if !defined(VALUE) || !defined(REAL) || !defined(FLOATS) || !defined(WHOLE) || !defined(KEY_BITS)
#error "forests/keys.cl needs the macros VALUE, REAL, FLOATS, WHOLE and KEY_BITS"
#endif

#include "core/language.cl"

// Flags of a search.
#define UPPER 1u    // only edges to a later vertex count: the others say the same
#define MAXIMUM 2u  // the largest weight is the first in order
#define FILTERS 4u  // edges whose ends are in one tree do not count

#define SIGN (1ul << 63)
#define AS_REAL(value) AS_TYPE(REAL, value)

#if KEY_BITS == 32
typedef uint Key;
typedef struct __attribute__((aligned(16))) {
    Key key;
    uint place;  // among the edges as they are given
    int tail, head;
} Edge;
#define CLEAR_UNUSED(edge)
#elif KEY_BITS == 64
typedef ulong Key;
typedef struct __attribute__((aligned(8))) {
    Key key;
    uint place;
    int tail, head, unused;
} Edge;
#define CLEAR_UNUSED(edge) (edge).unused = 0
#else
#error "KEY_BITS has to be 32 or 64"
#endif

// A weight as an unsigned number in the order of the weights: zeros are equal, and NaN is the last.
ulong in_order(const VALUE value)
{
#if !FLOATS
    return (ulong)(long)value ^ SIGN;
#elif WHOLE
    return (ulong)(long)AS_REAL(value) ^ SIGN;
#else
    const VALUE sign = (VALUE)1 << (8 * sizeof(VALUE) - 1), magnitude = value & ~sign;
    const VALUE infinity = sizeof(VALUE) == 8 ? (VALUE)0x7FF0000000000000ul : (VALUE)0x7F800000u;
    if (magnitude > infinity)
        return ULONG_MAX;
    return magnitude == 0 || !(value & sign) ? magnitude | sign : (VALUE)~value;
#endif
}

Key key_of(const VALUE value, const ulong origin, const uint flags)
{
    return (Key)(flags & MAXIMUM ? origin - in_order(value) : in_order(value) - origin);
}
