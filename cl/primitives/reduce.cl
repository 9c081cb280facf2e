// Parallel left fold: each work-group combines a chunk of the elements, in their order.
//
// Source:       thesis Algorithm 7 (section 4.2.1), with the choice of work-items of section 4.2.4.
// NDRange:      global (chunks * GROUP_SIZE), work-group (GROUP_SIZE).
// Local memory: GROUP_SIZE * sizeof(Item).
// Macros:       GROUP_SIZE, work-items of a work-group; ROWS, quads that a work-item loads at once; those of
//               primitives/elements.cl.
//   sums   out  (chunks) the combination of each chunk
//   chunk       elements of a chunk, a multiple of TILE

#if !defined(GROUP_SIZE) || !defined(ROWS) || ROWS < 1
#error "primitives/reduce.cl needs GROUP_SIZE and ROWS of at least 1"
#endif

#include "primitives/tiles.cl"

// Algorithm 7: work-item i gives item i; every work-item gets the combination of all.
Item left_fold(const Item own, __local Item *values)
{
    const uint item = get_local_id(0);
    values[item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint stride = 1; stride < GROUP_SIZE; stride *= 2) {
        const uint left = 2 * stride * item;  // the active work-items are the first ones
        if (left + stride < GROUP_SIZE)
            values[left] = combine_items(values[left], values[left + stride]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const Item total = values[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return total;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void reduce_chunks(__global const VALUE *restrict x, __global const MARK *restrict marks,
                            __global Item *restrict sums, const ulong chunk, const Length n)
{
    __local Item values[GROUP_SIZE];
    const uint item = get_local_id(0);
    const size_t first = get_group_id(0) * (size_t)chunk;
    const size_t last = min(first + chunk, LENGTH_OF(n));
    Item total = IDENTITY_ITEM;
    for (size_t tile = first; tile < last; tile += TILE) {
        Item quads[ROWS][QUAD];
        Item own = IDENTITY_ITEM;
        for (uint row = 0; row < ROWS; ++row) {
#if COMMUTATIVE
            const size_t quad = row * GROUP_SIZE + item;  // neighbouring work-items read neighbouring quads
#else
            const size_t quad = item * ROWS + row;
#endif
            load_quad(quads[row], x, marks, tile + quad * QUAD, last);
        }
        for (uint row = 0; row < ROWS; ++row)
            own = combine_items(own, combine_items(combine_items(quads[row][0], quads[row][1]),
                                                   combine_items(quads[row][2], quads[row][3])));
#if COMMUTATIVE
        total = combine_items(total, own);
    }
    total = left_fold(total, values);
#else
        total = combine_items(total, left_fold(own, values));
    }
#endif
    if (item == 0)
        sums[get_group_id(0)] = total;
}
