// Whether two matrices of path weights differ.
//
// Source:       thesis section 5.2.1: squaring ends when nothing changes any more.
// NDRange:      global (columns, rows). The work-group size is free.
// Local memory: none.
// Macros:       those of minplus/common.cl.
//
// Matrices are row-major, a row `stride` elements after the one before.

#include "minplus/common.cl"

// Whether two matrices differ, for which `differs` is set to 1.
__kernel void compare(__global const WEIGHT *restrict a, __global const WEIGHT *restrict b,
                      __global uint *restrict differs, const uint stride)
{
    const size_t column = get_global_id(0), row = get_global_id(1);
    if (column < stride && a[row * stride + column] != b[row * stride + column])
        atomic_or(differs, 1u);
}
