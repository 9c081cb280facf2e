// Block search: a work-group loads the ends of many items, and each of its work-items takes an equal part of all their
// units, one unit behind the other. It searches the item of the first one only.
//
// Source: Davidson, Baxter, Garland and Owens (2014); Busato and Bombieri (2017), section 5.3.3.
// Macros: those of balance/ladder.cl.

#include "balance/running_ends.cl"

#if LADDER == BLOCK_SEARCH
#define CHUNK (4 * GROUP_SIZE)  // items
#define LADDER_WORDS CHUNK

void share_out(const BALANCED *what, const Items *items, __global const uint *plan, const uint turn,
               __local uint *words)
{
    const uint own = get_local_id(0);
    for (size_t base = get_group_id(0) * (size_t)CHUNK; base < items->count;
         base += get_num_groups(0) * (size_t)CHUNK) {
        load_ends(items, (uint)base, CHUNK, words);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint begin = units_before(items, (uint)base), total = words[CHUNK - 1] - begin;
        uint unit = begin + (uint)((ulong)total * own / GROUP_SIZE);
        const uint end = begin + (uint)((ulong)total * (own + 1) / GROUP_SIZE);
        for (uint owner = owner_among(words, CHUNK, unit); unit < end; ++owner) {
            const uint own_end = min(end, words[owner]);
            if (unit < own_end)
                visit(what, (uint)base + owner, items->first + unit, items->first + own_end, 1);
            unit = own_end;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif
