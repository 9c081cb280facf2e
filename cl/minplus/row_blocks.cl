// Min-plus product, each work-group a piece of one row: it loads the row of A block by block into local memory.
//
// Source:       thesis Algorithm 4 (section 4.1.2) and its variant on a transposed B. The text loads A[i + lid] without
//               the row, has no barrier between loading and using a block, and stores result[idx][idy].
// NDRange:      global (columns rounded up to BLOCK, rows), work-group (BLOCK, 1).
// Local memory: BLOCK * sizeof(WEIGHT).
// Macros:       BLOCK, entries of a block, in the thesis 32, the size of a warp; TRANSPOSED, 1 if b is given by
//               columns, (columns, inner); those of minplus/common.cl.

#if !defined(BLOCK) || !defined(TRANSPOSED)
#error "minplus/row_blocks.cl needs the macros BLOCK and TRANSPOSED"
#endif

#include "minplus/common.cl"

WORK_GROUP(BLOCK, 1, 1)
__kernel void multiply(__global const WEIGHT *restrict a, __global const WEIGHT *restrict b,
                       __global WEIGHT *restrict c, const uint rows, const uint inner, const uint columns)
{
    __local WEIGHT block[BLOCK];
    const size_t column = get_global_id(0), row = get_global_id(1);
    const uint item = get_local_id(0);
    ORDER minimum = NONE;
    for (size_t first = 0; first < inner; first += BLOCK) {
        block[item] = first + item < inner ? a[row * inner + first + item] : NO_PATH;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (column < columns) {
            const uint count = min((size_t)BLOCK, inner - first);
            for (uint k = 0; k < count; ++k) {
#if TRANSPOSED
                minimum = relaxed(minimum, block[k], b[column * inner + first + k]);
#else
                minimum = relaxed(minimum, block[k], b[(first + k) * columns + column]);
#endif
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (column < columns)
        c[row * columns + column] = result(minimum);
}
