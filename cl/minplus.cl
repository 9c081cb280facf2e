// What every min-plus product shares: C[i][j] = min over k of A[i][k] + B[k][j].
//
// Source:       thesis section 5.2: the matrix product of section 4.1 with min for the sum and + for the product.
// Macros, all set by the host (reedsp/minplus.py):
//   WEIGHT   short, int, long, float or double
//   NO_PATH  no path: infinity, or for integers a number that neither overflows when it is doubled nor comes near a
//            finite result however much is subtracted from it
//   LIMIT    results above are no path
//
// Matrices are dense and row-major: a (rows, inner), b (inner, columns), c (rows, columns); c is neither a nor b.

#if !defined(WEIGHT) || !defined(NO_PATH) || !defined(LIMIT)
#error "minplus.cl needs the macros WEIGHT, NO_PATH and LIMIT"
#endif
#if defined(__FAST_RELAXED_MATH__) || defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "these kernels never run with relaxed mathematics: infinity is data"
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// The smaller one of a path weight and that of a path by way of k.
WEIGHT shorter(const WEIGHT least, const WEIGHT a, const WEIGHT b)
{
    const WEIGHT sum = a + b;
    return sum < least ? sum : least;
}

WEIGHT result(const WEIGHT least)
{
    return least > LIMIT ? NO_PATH : least;
}
