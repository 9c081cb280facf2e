// Min-plus product for CPUs: one work-item a group, explicit vectors, panels of B packed to be read in order.
//
// Source:       thesis Algorithm 5 (section 4.1.4) turned round for a processor with caches and vectors: what a
//               work-group loads into local memory there is a panel in the first-level cache here, and a tile of C
//               stays in registers.
// NDRange:      pack: global (panels of VECTORS * VECTOR_LENGTH columns, rows of B / DEPTH), work-group (1, 1).
//               multiply: global (panels, rows / ROWS but at least 1), without those left out; work-group (1, 1).
// Local memory: none.
// Macros:       VECTORS, vectors side by side, and ITEM_ROWS, rows, of C in registers;
//               DEPTH, rows of a panel used at a time; ROWS, rows of C of a work-item, at least ITEM_ROWS; those of
//               minplus/common.cl, minplus/blocks.cl and minplus/vectors.cl.
//
// A work-item takes ROWS rows, the last one what is left too; the last ITEM_ROWS rows of it may overlap with those
// before, whose minimum is then taken twice. Columns are a multiple of a panel's, and rows are at least ITEM_ROWS.
//   panels  (panels, rows of B, VECTORS * VECTOR_LENGTH)

#if !defined(VECTORS) || !defined(ITEM_ROWS) || !defined(DEPTH) || !defined(ROWS)
#error "minplus/panels.cl needs VECTORS, ITEM_ROWS, DEPTH and ROWS"
#endif
#if ROWS < ITEM_ROWS
#error "minplus/panels.cl: ROWS is at least ITEM_ROWS"
#endif

#include "minplus/blocks.cl"
#include "minplus/vectors.cl"

#define WIDTH (VECTORS * VECTOR_LENGTH)

// Whether consecutive weights are no paths, all of them. It ends at the first vector with a path, so that it costs
// nothing where nearly all are.
bool no_paths(__global const WEIGHT *restrict weights, const size_t length)
{
    size_t i = 0;
    for (; i + VECTOR_LENGTH <= length; i += VECTOR_LENGTH) {
        if (any(LOAD(weights + i) != (Weights)(NO_PATH)))
            return false;
    }
    for (; i < length; ++i) {
        if (weights[i] != NO_PATH)
            return false;
    }
    return true;
}

WORK_GROUP(1, 1, 1)
__kernel void pack(__global const WEIGHT *restrict b, __global WEIGHT *restrict panels, const ulong4 firsts,
                   const uint4 strides, const uint4 shape, const uint4 excluded)
{
    const size_t panel = get_group_id(0), first = get_group_id(1) * DEPTH;
    const uint inner = shape.s1, last = min(inner, (uint)first + DEPTH);
    b += firsts.s1 + leave_out(panel * WIDTH, excluded.s2, excluded.s3);
    panels += panel * inner * WIDTH;
    for (size_t k = first; k < last; ++k) {
#pragma unroll
        for (uint v = 0; v < VECTORS; ++v)
            STORE(LOAD(b + k * strides.s1 + v * VECTOR_LENGTH), panels + k * WIDTH + v * VECTOR_LENGTH);
    }
}

WORK_GROUP(1, 1, 1)
__kernel void multiply(BLOCK_PARAMETERS)
{
    const size_t panel = get_group_id(0), group = get_group_id(1);
    const uint inner = shape.s1;
    const size_t end = group + 1 == get_num_groups(1) ? shape.s0 : (group + 1) * ROWS;
    a += firsts.s0;
    b += firsts.s1 + panel * inner * WIDTH;
    c += firsts.s2 + leave_out(panel * WIDTH, excluded.s2, excluded.s3);
    for (size_t step = 0; step < inner; step += DEPTH) {
        const size_t last_k = min(inner, (uint)step + DEPTH);
        const bool b_is_empty = no_paths(b + step * WIDTH, (last_k - step) * WIDTH);
        for (size_t start = group * ROWS; start < end; start += ITEM_ROWS) {
            const size_t row = min(start, end - ITEM_ROWS);
            __global const WEIGHT *a_rows[ITEM_ROWS];
            __global WEIGHT *c_rows[ITEM_ROWS];
            Orders minimum[ITEM_ROWS][VECTORS];
            bool empty = true;  // what the rows are multiplied with, or they themselves
#pragma unroll
            for (uint i = 0; i < ITEM_ROWS; ++i) {
                const size_t index = leave_out(row + i, excluded.s0, excluded.s1);
                a_rows[i] = a + index * strides.s0;
                c_rows[i] = c + index * strides.s2;
                empty = empty && (b_is_empty || no_paths(a_rows[i] + step, last_k - step));
#pragma unroll
                for (uint v = 0; v < VECTORS; ++v)
                    minimum[i][v] =
                        accumulate || step > 0 ? TO_ORDER(LOAD(c_rows[i] + v * VECTOR_LENGTH)) : (Orders)(NONE);
            }
            for (size_t k = empty ? last_k : step; k < last_k; ++k) {
                Weights b_own[VECTORS];
#pragma unroll
                for (uint v = 0; v < VECTORS; ++v)
                    b_own[v] = LOAD(b + k * WIDTH + v * VECTOR_LENGTH);
#pragma unroll
                for (uint i = 0; i < ITEM_ROWS; ++i) {
                    const Weights a_own = (Weights)(a_rows[i][k]);
#pragma unroll
                    for (uint v = 0; v < VECTORS; ++v)
                        minimum[i][v] = relaxed_vector(minimum[i][v], a_own, b_own[v]);
                }
            }
#pragma unroll
            for (uint i = 0; i < ITEM_ROWS; ++i) {
#pragma unroll
                for (uint v = 0; v < VECTORS; ++v) {
                    const Weights weights = last_k < inner ? TO_WEIGHTS(minimum[i][v]) : results(minimum[i][v]);
                    STORE(weights, c_rows[i] + v * VECTOR_LENGTH);
                }
            }
        }
    }
}
