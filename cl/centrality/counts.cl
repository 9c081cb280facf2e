// Numbers of shortest paths, which may be larger than any double, and what the search does with them.
//
// Macros: SCALED, 1: a count is a fraction and an exponent, which never overflows; 0: it is a double.
//
// Both give the same doubles wherever the second does not overflow: every operation rounds once, to 53 bits.

#if !defined(SCALED)
#error "centrality/counts.cl needs the macro SCALED"
#endif

#include "core/language.cl"

#pragma OPENCL FP_CONTRACT OFF  // a product and a sum are rounded apart, on every device

#if SCALED
typedef struct {
    double part;    // 0, or from 0.5 up to 1,
    long exponent;  // times 2 to this power; as wide, so that there is no gap
} Count;

#define NO_EXPONENT (-(1l << 28))
#define EXPONENT_BITS (0x7FFul << 52)
#define BIAS 1022  // that fractions from 0.5 up to 1 have

// What is below all normal numbers counts as 0: only numbers that are nothing beside others are so small.
Count count_of(const double number)
{
    const ulong bits = as_ulong(number);
    const long exponent = (long)((bits & EXPONENT_BITS) >> 52);
    Count count;
    count.part = exponent == 0 ? 0.0 : as_double((bits & ~EXPONENT_BITS) | ((ulong)BIAS << 52));
    count.exponent = exponent == 0 ? NO_EXPONENT : exponent - BIAS;
    return count;
}

// Returns 2 to a power below 1024, or 0 if that is below all normal numbers.
double power_of_two(const long exponent)
{
    return exponent < -BIAS ? 0.0 : as_double((ulong)(exponent + BIAS + 1) << 52);
}

Count plus(const Count a, const Count b)
{
    const long exponent = max(a.exponent, b.exponent);
    if (exponent == NO_EXPONENT)
        return a;
    Count sum = count_of(a.part * power_of_two(a.exponent - exponent) + b.part * power_of_two(b.exponent - exponent));
    sum.exponent += exponent;
    return sum;
}

Count divided(const double number, const Count by)
{
    Count quotient = count_of(number / by.part);
    if (quotient.part != 0.0)
        quotient.exponent -= by.exponent;
    return quotient;
}

double product(const Count a, const Count b)
{
    return a.part * b.part * power_of_two(a.exponent + b.exponent);
}

double product_plus(const Count a, const Count b, const double number)
{
    return fma(a.part, b.part * power_of_two(a.exponent + b.exponent), number);
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

// A product and a sum that are rounded once: left to a compiler, that would depend on the device.
double product_plus(const Count a, const Count b, const double number)
{
    return fma(a, b, number);
}
#endif
