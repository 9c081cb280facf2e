// What every min-plus product shares: C[i][j] = min over k of A[i][k] + B[k][j].
//
// Source:       thesis section 5.2: the matrix product of section 4.1 with min for the sum and + for the product.
// Macros, all set by the host (reedsp/minplus/product.py):
//   WEIGHT   ushort, int, long, ulong, float or double
//   NO_PATH  no path: infinity, or for integers a number that neither overflows when it is doubled nor comes near a
//            finite result however much is subtracted from it
//   LIMIT    results above are no path
//   LOWEST   results below are raised to it: only along a negative cycle do path weights fall that low, or further
//   ORDER    type in which sums are compared: WEIGHT, or for floats none of which is negative the integers of the same
//            bits, which have the same order and are quicker to compare
//   MINIMUM  smaller, fmin or min: whatever the device is quickest at with that type
//
// Matrices are dense and row-major: a (rows, inner), b (inner, columns), c (rows, columns); c is neither a nor b.

#if !defined(WEIGHT) || !defined(NO_PATH) || !defined(LIMIT) || !defined(LOWEST) || !defined(ORDER) || !defined(MINIMUM)
#error "minplus/common.cl needs the macros WEIGHT, NO_PATH, LIMIT, LOWEST, ORDER and MINIMUM"
#endif

#include "core/language.cl"

#define smaller(x, y) ((y) < (x) ? (y) : (x))
#define NONE AS_TYPE(ORDER, (WEIGHT)NO_PATH)

// The smaller one of a path weight and that of a path by way of k.
ORDER relaxed(const ORDER minimum, const WEIGHT a, const WEIGHT b)
{
    const ORDER sum = AS_TYPE(ORDER, (WEIGHT)(a + b));
    return MINIMUM(minimum, sum);
}

// In two steps: a GPU takes a maximum, and compares with LIMIT meanwhile.
WEIGHT result(const ORDER minimum)
{
    const WEIGHT weight = AS_TYPE(WEIGHT, minimum);
    const WEIGHT raised = weight < LOWEST ? LOWEST : weight;
    return weight > LIMIT ? NO_PATH : raised;
}
