// The naive scan: with every round each element is combined with the one `stride` before it.
//
// Source:       thesis Algorithm 8 (section 4.2.1). Its text compares pid - stride > 0, which leaves out one element,
//               and doubles the stride inside the condition, so that work-items lose step; both are corrected here.
// NDRange:      global n rounded up to the work-group size, which is free. One launch is one round.
// Local memory: none.
// Macros:       those of primitives/elements.cl.
//   items, new_items  (n) before and after the round; two buffers, because a work-item reads what another one writes
//   stride            1, 2, 4, ... below n

#include "primitives/elements.cl"

// Line 1 of Algorithm 8. An exclusive scan is the inclusive one of the elements moved right by one.
__kernel void copy_elements(__global const VALUE *restrict x, __global const MARK *restrict marks,
                            __global Item *restrict items, const ulong n)
{
    const size_t i = get_global_id(0);
    if (i >= n)
        return;
    Item item = item_at(x, marks, i);
#if EXCLUSIVE && SEGMENTED
    VALUE_OF(item) = i == 0 || HEAD_OF(item) != 0 ? IDENTITY : x[i - 1];
#elif EXCLUSIVE
    item = i == 0 ? IDENTITY : x[i - 1];
#endif
    STORE_ITEM(items, i, item);
}

// Lines 3 to 5.
__kernel void add_earlier(__global const Item *restrict items, __global Item *restrict new_items, const ulong stride,
                          const ulong n)
{
    const size_t i = get_global_id(0);
    if (i < n)
        new_items[i] = i >= stride ? combine_items(items[i - stride], items[i]) : items[i];
}

__kernel void store_prefixes(__global const Item *restrict items, __global VALUE *restrict out, const ulong n)
{
    const size_t i = get_global_id(0);
    if (i < n)
        out[i] = VALUE_OF(items[i]);
}
