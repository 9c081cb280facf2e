// The arithmetic of min-plus products alone: sums and minima of what is in registers. No product can be faster.
//
// Source:       the ceiling that Lund and Smith compute from the clock (section 5), measured; the innermost loop of
//               minplus/panels.cl without what it loads.
// NDRange:      global (work-items), work-group (1).
// Local memory: none.
// Macros:       VECTORS and ITEM_ROWS, as in minplus/panels.cl; those of minplus/common.cl and minplus/vectors.cl.
//
// The numbers of a work-item lie on a ring. In each round a number is replaced by the next one and the weight, if that
// is less: after as many rounds as there are numbers each one knows all others.
//   ring    in, out  (global size, ITEM_ROWS * VECTORS, VECTOR_LENGTH)
//   rounds  each of ITEM_ROWS * VECTORS * VECTOR_LENGTH sums and minima a work-item

#if !defined(VECTORS) || !defined(ITEM_ROWS)
#error "experiments/minplus_arithmetic.cl needs VECTORS and ITEM_ROWS"
#endif

#include "minplus/vectors.cl"

#define RING (ITEM_ROWS * VECTORS)

WORK_GROUP(1, 1, 1)
__kernel void arithmetic(__global WEIGHT *restrict ring, const WEIGHT weight, const uint rounds)
{
    Orders minimum[RING];
    ring += get_global_id(0) * RING * VECTOR_LENGTH;
#pragma unroll
    for (uint i = 0; i < RING; ++i)
        minimum[i] = TO_ORDER(LOAD(ring + i * VECTOR_LENGTH));
    for (uint round = 0; round < rounds; ++round) {
#pragma unroll
        for (uint i = 0; i < RING; ++i)
            minimum[i] = relaxed_vector(minimum[i], TO_WEIGHTS(minimum[(i + 1) % RING]), (Weights)weight);
    }
#pragma unroll
    for (uint i = 0; i < RING; ++i)
        STORE(results(minimum[i]), ring + i * VECTOR_LENGTH);
}
