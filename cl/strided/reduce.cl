// Reduction by a tree in which each work-group is a node: it reduces TILE elements that lie a stride apart.
//
// Source:       Dulle, Algorithms 7 and 8 (section 5.1). As they are printed there are too few work-groups, and the
//               loop in local memory ends one level early; both are corrected here.
// NDRange:      global (groups * GROUP_SIZE), work-group (GROUP_SIZE); groups = ceil(n / (TILE * stride)).
// Local memory: TILE * sizeof(ELEMENT).
// Macros:       GROUP_SIZE, work-items of a work-group (the thesis' m); EACH, elements of a work-item (its c); those
//               of primitives/elements.cl.
//   x       in   (n) elements; in every level but the first it is `a`
//   a       out  (n) those of the next level, at multiples of TILE * stride; in the last level one element is enough
//   stride       1, TILE, TILE^2, ...

#include "core/dispatch.cl"
#include "strided/tile.cl"

// Algorithm 8. Afterwards values[0] is the combination of all, in their order.
void reduce_locally(__local ELEMENT *values)
{
    const size_t item = get_local_id(0);
    ELEMENT own = values[item * EACH];
    for (uint i = 1; i < EACH; ++i)
        own = combine(own, values[item * EACH + i]);
    values[item * EACH] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint stride = EACH; stride < TILE; stride *= 2) {
        const size_t left = 2 * stride * item, right = left + stride;
        if (right < TILE)
            values[left] = combine(values[left], values[right]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void reduce_step(__global const ELEMENT *x, __global ELEMENT *a, const ulong stride, const ulong n)
{
    __local ELEMENT values[TILE];
    const size_t first = GROUP_OF_LAUNCH(0) * TILE;
    load_tile(values, x, first, stride, 0, n);
    reduce_locally(values);
    if (get_local_id(0) == 0)
        a[first * stride] = values[0];
}
