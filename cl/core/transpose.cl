// The transpose of a matrix, tile by tile through local memory, so that both are accessed along rows.
//
// Source:       needed for thesis section 4.1.2.
// NDRange:      (BLOCK, STEP) work-items for each tile of BLOCK x BLOCK entries, as many tiles down as at_stride takes;
//               work-group (BLOCK, STEP).
// Local memory: BLOCK * (BLOCK + 1) * sizeof(ELEMENT).
// Macros:       ELEMENT, unsigned integer of the size of an entry; BLOCK, side of a tile; STEP, rows of it that a
//               work-group moves at once.
//
//   a   in   (rows, columns), a row a_stride elements after the one before, from a_first on
//   at  out  (columns, rows), a row at_stride elements after the one before, filled up with `filling`

#if !defined(ELEMENT) || !defined(BLOCK) || !defined(STEP)
#error "core/transpose.cl needs the macros ELEMENT, BLOCK and STEP"
#endif

#include "core/language.cl"

WORK_GROUP(BLOCK, STEP, 1)
__kernel void transpose(__global const ELEMENT *restrict a, __global ELEMENT *restrict at, const ulong a_first,
                        const uint a_stride, const uint at_stride, const uint rows, const uint columns,
                        const ELEMENT filling)
{
    __local ELEMENT tile[BLOCK][BLOCK + 1];
    const size_t first_column = get_group_id(0) * BLOCK, first_row = get_group_id(1) * BLOCK;
    const uint x = get_local_id(0);
    a += a_first;
    for (uint y = get_local_id(1); y < BLOCK; y += STEP) {
        if (first_row + y < rows && first_column + x < columns)
            tile[y][x] = a[(first_row + y) * a_stride + first_column + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint y = get_local_id(1); y < BLOCK; y += STEP) {
        if (first_column + y < columns && first_row + x < at_stride)
            at[(first_column + y) * at_stride + first_row + x] = first_row + x < rows ? tile[x][y] : filling;
    }
}
