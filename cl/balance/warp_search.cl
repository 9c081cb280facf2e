// Local warp search: a warp loads the ends of as many items as it has work-items, and goes through their units side by
// side; for each unit a work-item searches its item among these ends.
//
// Source: Busato and Bombieri (2017), section 5.3.2.
// Macros: those of balance/ladder.cl.

#include "balance/running_ends.cl"

#if LADDER == WARP_SEARCH
#define LADDER_WORDS GROUP_SIZE

void share_out(const BALANCED *what, const Items *items, __global const uint *plan, const uint turn,
               __local uint *words)
{
    const uint lane = get_local_id(0) % WARP, warp = get_local_id(0) - lane;
    __local const uint *ends = words + warp;
    for (size_t base = get_group_id(0) * (size_t)GROUP_SIZE; base < items->count;
         base += get_num_groups(0) * (size_t)GROUP_SIZE) {
        load_ends(items, (uint)base, GROUP_SIZE, words);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint first_item = (uint)base + warp;
        const uint begin = warp ? words[warp - 1] : units_before(items, first_item);
        for (uint unit = begin + lane; unit < ends[WARP - 1]; unit += WARP) {
            const uint owner = owner_among(ends, WARP, unit);
            visit(what, first_item + owner, items->first + unit, items->first + unit + 1, 1);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif
