// What every kernel shares: the weight type, its infinity, and path sums that never wrap.
//
// Macros, all set by the host (reedsp/kernels.py):
//   WEIGHT       weight type: int, long, float or double
//   INF          "no path": the largest int or long, or infinity
//   IS_INTEGER   1 if WEIGHT is int or long
//   SATURATE     1 if a sum of integer weights can leave the type; it then stops at the type's limits, which
//                the host reports as an overflow

#if !defined(WEIGHT) || !defined(INF) || !defined(IS_INTEGER) || !defined(SATURATE)
#error "common.cl needs the macros WEIGHT, INF, IS_INTEGER and SATURATE"
#endif

#include "compiler.cl"

#define NO_VERTEX (-9999)

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

// Rounds that the host queues one behind the other (reedsp/rounds.py) report through four words, `updates`. Round r
// runs with phase = r % 3: it does nothing if word `phase` is 0, and sets the next word if it changes anything. The
// word after that it clears for the round to come, so that no word is read and written in one launch.
#define ROUNDS_RUN 3

bool round_is_skipped(__global uint *updates, const uint phase)
{
    return updates[phase] == 0;
}

// For one work-item of the launch.
void prepare_next_round(__global uint *updates, const uint phase)
{
    updates[(phase + 2) % 3] = 0;
    if (!round_is_skipped(updates, phase))
        updates[ROUNDS_RUN] += 1;
}

// For each work-item, or one of each work-group, that has changed something.
void report_update(__global uint *updates, const uint phase)
{
    atomic_or(&updates[(phase + 1) % 3], 1u);
}
