// Items to work-items: each work-item takes an item, whose units it visits one after the other.
//
// Source: Busato and Bombieri (2017), section 5.1.1.
// Macros: those of balance/ladder.cl.

#if LADDER == ITEMS
#define LADDER_WORDS 0

void share_out(const BALANCED *what, const Items *items, __global const uint *plan, const uint turn,
               __local uint *words)
{
    for (size_t item = get_global_id(0); item < items->count; item += get_global_size(0)) {
        const ulong first = first_unit(items, (uint)item), end = first_unit(items, (uint)item + 1);
        if (first < end)
            visit(what, (uint)item, first, end, 1);
    }
}
#endif
