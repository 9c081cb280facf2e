// What queues, piles and heaps of searches hold: a vertex that has been reached, and at which distance.
//
// Macros: WIDE, 1 if WEIGHT has 64 bits; core/weights.cl.

#ifndef WIDE
#error "single_source/entry.cl needs the macro WIDE"
#endif

#include "core/weights.cl"

typedef struct __attribute__((aligned(2 * sizeof(WEIGHT)))) {
#if WIDE
    long vertex;  // as large as the distance, so that there is no gap
#else
    int vertex;
#endif
    WEIGHT dist;
} Entry;
