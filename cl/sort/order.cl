// The order that records are sorted in by comparisons.
//
// Macros, all set by the host (reedsp/primitives/sort/records.py); those of sort/keys.cl and
//   ELEMENT  type of the keys as ORDER sees them, of as many bits as KEY
//   ORDER    OpenCL C expression in a and b, keys: whether a comes before b
//
// Keys that ORDER puts neither before the other keep their order.

#if !defined(ELEMENT) || !defined(ORDER)
#error "sort/order.cl needs the macros ELEMENT and ORDER"
#endif

#include "sort/keys.cl"

bool precedes(const KEY a_bits, const KEY b_bits)
{
    const ELEMENT a = AS_TYPE(ELEMENT, a_bits), b = AS_TYPE(ELEMENT, b_bits);
    return ORDER;
}

// Where the first of two sorted lists is cut if `count` of both come first: how many of these it gives.
// An element of the first list comes before an equal one of the second. (Oclgrind knows no difference that stops at 0,
// which compilers make of a lower bound of `low`.)
#define DEFINE_CUT(name, space)                                                                                     \
    size_t name(space const KEY *left, const size_t left_length, space const KEY *right, const size_t right_length, \
                const size_t count)                                                                                 \
    {                                                                                                               \
        size_t low = 0, high = min(count, left_length);                                                             \
        while (low < high) {                                                                                        \
            const size_t middle = low + (high - low) / 2, other = count - 1 - middle;                               \
            if (other < right_length && precedes(right[other], left[middle]))                                       \
                high = middle;                                                                                      \
            else                                                                                                    \
                low = middle + 1;                                                                                   \
        }                                                                                                           \
        return low;                                                                                                 \
    }
