// CTA + warp + scan: a work-group brings an item for each work-item. It goes through large ones all together, one after
// the other; each of its warps through those of middle size; and through all others by running sums of their units.
//
// Source: Merrill, Garland and Grimshaw (2012); Busato and Bombieri (2017), section 5.2.2, Algorithm 9. There work-items
//         agree by votes on the item that comes next; here they have queued their items in local memory before.
// Macros: those of balance/ladder.cl.

#include "edges/balance_sums.cl"

#if LADDER == CTA_WARP_SCAN
#define WARPS (GROUP_SIZE / WARP)
#define LADDER_WORDS (3 * GROUP_SIZE + 1 + WARPS)

// Visits all units of an item, by `width` work-items, of which this one is number `lane`.
void visit_together(const BALANCED *what, const Items *items, const uint item, const uint lane, const uint width)
{
    const ulong first = first_unit(items, item) + lane, end = first_unit(items, item + 1);
    if (first < end)
        visit(what, item, first, end, width);
}

void share_out(const BALANCED *what, const Items *items, __global const uint *plan, const uint turn,
               __local uint *words)
{
    const uint own = get_local_id(0), lane = own % WARP, warp = own / WARP;
    __local uint *sums = words, *large = sums + GROUP_SIZE, *middle = large + GROUP_SIZE + warp * WARP;
    __local uint *counts = large + 2 * GROUP_SIZE;  // of large items, then of those of each warp
    for (size_t base = get_group_id(0) * (size_t)GROUP_SIZE; base < items->count;
         base += get_num_groups(0) * (size_t)GROUP_SIZE) {
        const uint first_item = (uint)base, item = first_item + own;
        if (own <= WARPS)
            counts[own] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint units = item < items->count ? units_before(items, item + 1) - units_before(items, item) : 0;
        if (units > GROUP_SIZE)
            large[atomic_inc(&counts[0])] = item;
        else if (units > WARP)
            middle[atomic_inc(&counts[1 + warp])] = item;
        const uint total = sum_up(sums, units <= WARP ? units : 0);  // with barriers
        for (uint number = 0; number < counts[0]; ++number)
            visit_together(what, items, large[number], own, GROUP_SIZE);
        for (uint number = 0; number < counts[1 + warp]; ++number)
            visit_together(what, items, middle[number], lane, WARP);
        for (uint number = own; number < total; number += GROUP_SIZE) {
            const uint owner = owner_of(sums, number);
            const ulong unit = first_unit(items, first_item + owner) + number - (owner ? sums[owner - 1] : 0);
            visit(what, first_item + owner, unit, unit + 1, 1);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif
