// A tile of the elements, scanned in registers by a work-group.
//
// Source:       thesis Algorithm 8 (section 4.2.2) over the work-items, each of which has scanned its own elements.
// Local memory: of scan_rows: (2 * GROUP_SIZE + PADDED(ROWS * GROUP_SIZE)) * sizeof(Item).
// Macros:       GROUP_SIZE, work-items of a work-group; ROWS, quads of a work-item; those of primitives/elements.cl.
//
// A tile lies in registers as ROWS rows of GROUP_SIZE quads, so that neighbouring work-items read neighbouring quads:
//
//     row 0        quad of work-item 0 | quad of work-item 1 | ...
//     row 1        quad of work-item 0 | quad of work-item 1 | ...
//
// Each work-item scans its own quads; the last item of each goes to local memory, where work-item i then owns the
// ROWS neighbouring ones from i * ROWS on, whose combinations are scanned as in Algorithm 8.

#if !defined(GROUP_SIZE) || !defined(ROWS) || ROWS < 1
#error "primitives/tiles.cl needs GROUP_SIZE and ROWS of at least 1"
#endif

#include "primitives/quads.cl"

#define TILE (ROWS * GROUP_SIZE * QUAD)
#define PADDED(i) ((i) + (i) / 32)  // so that neighbouring work-items, ROWS items apart, use different banks

// From the combination of each quad in `rows`, to that of all quads of the tile before it; returns that of all quads.
Item scan_rows(__local Item *rows, __local Item *group)
{
    const uint item = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    Item own[ROWS];
    for (uint row = 0; row < ROWS; ++row)
        own[row] = rows[PADDED(item * ROWS + row)];
    Item sum = own[0];
    for (uint row = 1; row < ROWS; ++row)
        sum = combine_items(sum, own[row]);
    uint side = 0;
    group[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint stride = 1; stride < GROUP_SIZE; stride *= 2) {
        if (item >= stride)
            sum = combine_items(group[side * GROUP_SIZE + item - stride], sum);
        side = 1 - side;
        group[side * GROUP_SIZE + item] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    Item before = item == 0 ? IDENTITY_ITEM : group[side * GROUP_SIZE + item - 1];
    for (uint row = 0; row < ROWS; ++row) {
        rows[PADDED(item * ROWS + row)] = before;
        before = combine_items(before, own[row]);
    }
    const Item total = group[side * GROUP_SIZE + GROUP_SIZE - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    return total;
}
