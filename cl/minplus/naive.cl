// Min-plus product, one work-item an entry, everything read from global memory.
//
// Source:       thesis Algorithm 3 (section 4.1.2), which stores result[idx][idy] for result[idy][idx].
// NDRange:      global (columns, rows), each rounded up to the work-group, which is free.
// Local memory: none.
// Macros:       those of minplus/common.cl.

#include "minplus/common.cl"

__kernel void multiply(__global const WEIGHT *restrict a, __global const WEIGHT *restrict b,
                       __global WEIGHT *restrict c, const uint rows, const uint inner, const uint columns)
{
    const size_t column = get_global_id(0), row = get_global_id(1);
    if (row >= rows || column >= columns)
        return;
    ORDER minimum = NONE;
    for (size_t k = 0; k < inner; ++k)
        minimum = relaxed(minimum, a[row * inner + k], b[k * columns + column]);
    c[row * columns + column] = result(minimum);
}
