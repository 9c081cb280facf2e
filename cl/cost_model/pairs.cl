// Sums and minima of numbers in registers: what one arithmetic of the kernels costs where nothing else does.
//
// Source:       Ma, Agrawal and Chamberlain (2014), section II: the rate at which cores work, P.
// NDRange:      any, work-group (GROUP_SIZE).
// Local memory: none.
// Macros:       GROUP_SIZE;
//               NUMBER, type of the numbers, and LANES, how many a vector of them has: 2, 4, 8 or 16.
//   results  out  (work-items, LANES) sums of a work-item's vectors
//   weight   to add, small
//   steps    of CHAINS * LANES sums and minima a work-item
//
// The vectors lie on a ring, on which the minimum goes around.

#if !defined(GROUP_SIZE) || !defined(NUMBER) || !defined(LANES)
#error "cost_model/pairs.cl needs the macros GROUP_SIZE, NUMBER and LANES"
#endif

#include "core/language.cl"

#define CHAINS 8

typedef VECTOR(NUMBER, LANES) Numbers;

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void pairs(__global Numbers *restrict results, const NUMBER weight, const uint steps)
{
    Numbers values[CHAINS];
#pragma unroll
    for (uint i = 0; i < CHAINS; ++i)
        values[i] = (Numbers)((NUMBER)(get_global_id(0) % 64 + 8 * (5 * i % CHAINS)));
    for (uint step = 0; step < steps; ++step) {
#pragma unroll
        for (uint i = 0; i < CHAINS; ++i)
            values[i] = min(values[i], values[(i + 1) % CHAINS] + (Numbers)weight);
    }
    Numbers sum = values[0];
#pragma unroll
    for (uint i = 1; i < CHAINS; ++i)
        sum += values[i];
    results[get_global_id(0)] = sum;
}
