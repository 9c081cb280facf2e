// Numbers of shortest paths, which may be larger than any double, and what the search does with them.
//
// Macros: SCALED, 1: a count is a fraction and an exponent, which never overflows; 0: it is a double.
//
// Both give the same doubles wherever the second does not overflow: every operation rounds once, to 53 bits.

#if !defined(SCALED)
#error "structure/betweenness_counts.cl needs the macro SCALED"
#endif

#include "core/language.cl"

#pragma OPENCL FP_CONTRACT OFF  // a product and a sum are rounded apart, on every device

#if SCALED
typedef struct {
    double part;  // 0, or from 0.5 up to 1
    int exponent;
} Count;

#define NO_EXPONENT (-(1 << 28))
#define MOST_BITS 1100  // by which a smaller number is shifted: more leave nothing of it

Count count_of(const double number)
{
    Count count;
    count.part = frexp(number, &count.exponent);
    if (number == 0.0)
        count.exponent = NO_EXPONENT;
    return count;
}

Count plus(const Count a, const Count b)
{
    const int exponent = max(a.exponent, b.exponent);
    if (exponent == NO_EXPONENT)
        return a;
    Count sum = count_of(ldexp(a.part, max(a.exponent - exponent, -MOST_BITS)) +
                         ldexp(b.part, max(b.exponent - exponent, -MOST_BITS)));
    sum.exponent += exponent;
    return sum;
}

// The count that many, or few, times as large as 1 / `by`.
Count divided(const double number, const Count by)
{
    Count quotient = count_of(number / by.part);
    if (number != 0.0)
        quotient.exponent -= by.exponent;
    return quotient;
}

double product(const Count a, const Count b)
{
    return ldexp(a.part * b.part, max(a.exponent + b.exponent, -MOST_BITS));
}
#else
typedef double Count;

Count count_of(const double number)
{
    return number;
}

Count plus(const Count a, const Count b)
{
    return a + b;
}

Count divided(const double number, const Count by)
{
    return number / by;
}

double product(const Count a, const Count b)
{
    return a * b;
}
#endif
