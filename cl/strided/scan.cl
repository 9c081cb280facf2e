// Scan by the same tree: up, each work-group scans TILE elements that lie a stride apart; down, it adds what lies left.
//
// Source:       Dulle, Algorithms 9 and 10 (section 5.2). As they are printed the upper levels are missing, a barrier
//               stands under a condition of work-items, the last of EACH elements gets the sum to its left twice, and
//               operands are exchanged, which takes a commutative operator; all of that is corrected here.
// NDRange:      up_step: global (groups * GROUP_SIZE), work-group (GROUP_SIZE), groups = ceil(count / TILE);
//               down_step: global ((groups - 1) * GROUP_SIZE), as nothing lies left of the first work-group.
// Local memory: up_step: TILE * sizeof(ELEMENT).
// Macros:       GROUP_SIZE, work-items of a work-group (the thesis' m); EACH, elements of a work-item (its c); those
//               of primitives/elements.cl.
//   x       in       (n) elements; in every level but the first it is `a`
//   a       in, out  (n) prefixes
//   stride           1, TILE, TILE^2, ...; a level has the count = n / stride elements k with index (k + 1) * stride - 1

#include "core/dispatch.cl"
#include "strided/tile.cl"

// Algorithm 10.
void scan_locally(__local ELEMENT *values)
{
    const size_t item = get_local_id(0), last = (item + 1) * EACH - 1;
    ELEMENT own = values[item * EACH];
    for (uint i = 1; i < EACH; ++i) {
        own = combine(own, values[item * EACH + i]);
        values[item * EACH + i] = own;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint stride = 1; stride < GROUP_SIZE; stride *= 2) {
        if (item >= stride)
            own = combine(values[last - (size_t)stride * EACH], own);
        barrier(CLK_LOCAL_MEM_FENCE);
        values[last] = own;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item > 0) {
        const ELEMENT left = values[item * EACH - 1];
        for (uint i = 0; i < EACH - 1; ++i)
            values[item * EACH + i] = combine(left, values[item * EACH + i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void up_step(__global const ELEMENT *x, __global ELEMENT *a, const ulong stride, const ulong n)
{
    __local ELEMENT values[TILE];
    const size_t first = GROUP_OF_LAUNCH(0) * TILE;
    load_tile(values, x, first, stride, stride - 1, n);
    scan_locally(values);
    for (uint i = get_local_id(0); i < TILE; i += GROUP_SIZE) {
        const size_t place = (first + i + 1) * stride - 1;
        if (place < n)
            a[place] = values[i];
    }
}

// The last element of a work-group is right already, since the level above has it: the work-group to the right reads
// it, and none writes it.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void down_step(__global ELEMENT *a, const ulong stride, const ulong n)
{
    const size_t first = (GROUP_OF_LAUNCH(0) + 1) * TILE;
    const ELEMENT left = a[first * stride - 1];
    for (uint i = get_local_id(0); i < TILE - 1; i += GROUP_SIZE) {
        const size_t place = (first + i + 1) * stride - 1;
        if (place < n)
            a[place] = combine(left, a[place]);
    }
}
