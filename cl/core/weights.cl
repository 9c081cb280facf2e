// What every kernel shares: the weight type, its infinity, and path sums that never wrap.
//
// Macros, all set by the host (reedsp/device/build.py):
//   WEIGHT       weight type: int, long, float or double
//   INF          "no path": the largest int or long, or infinity
//   IS_INTEGER   1 if WEIGHT is int or long
//   SATURATE     1 if a sum of integer weights can leave the type; it then stops at the type's limits, which
//                the host reports as an overflow

#if !defined(WEIGHT) || !defined(INF) || !defined(IS_INTEGER) || !defined(SATURATE)
#error "core/weights.cl needs the macros WEIGHT, INF, IS_INTEGER and SATURATE"
#endif

#include "core/language.cl"
#include "core/no_vertex.cl"
#include "core/rounds.cl"

// Weight of a path of weight `dist` extended by an edge of weight `weight`.
WEIGHT path_sum(const WEIGHT dist, const WEIGHT weight)
{
#if IS_INTEGER && SATURATE
    return dist == INF ? INF : add_sat(dist, weight);
#elif IS_INTEGER
    return dist == INF ? INF : dist + weight;
#else
    return dist + weight;
#endif
}
