// Distances that were added in units, as results.
//
// Macros: RESULT and RESULT_INF, type of the results and its "no path"; SCALE, by which a number of units is multiplied
//         for it; core/out_edges.cl; core/weights.cl, with an INF that no path weighs, and twice of which fits.

#if !defined(RESULT) || !defined(RESULT_INF) || !defined(SCALE)
#error "contraction/results.cl needs the macros RESULT, RESULT_INF and SCALE"
#endif

#include "core/out_edges.cl"

RESULT result_of(const WEIGHT dist)
{
    return dist >= INF ? RESULT_INF : (RESULT)dist * SCALE;
}
