// Dynamic virtual warps: their width follows the number of items, and large items are put aside for all work-groups.
//
// Source: Busato and Bombieri (2017), section 5.2.1. Their large items are launched by the kernel itself, which OpenCL C
//         1.2 does not know: here they wait in a queue, which a kernel of its own has filled.
// Macros: those of balance/ladder.cl.
//   plan  in  (TURNS) how many large items there are, word `turn`; and behind these their numbers (balance/large_items.cl)

#define NARROWEST 4  // of the widths: narrower ones read too few neighbouring units at once

#if LADDER == DYNAMIC_VIRTUAL_WARPS
// The power of 2 that is nearest to the number of work-items for each item, within bounds.
uint width_for(const Items *items)
{
    uint width = min((uint)NARROWEST, (uint)WIDTH);
    while (width < WIDTH && 2 * (ulong)get_global_size(0) >= 3 * (ulong)width * items->count)
        width *= 2;
    return width;
}

void share_out(const BALANCED *what, const Items *items, __global const uint *plan, const uint turn,
               __local uint *words)
{
    visit_by_warps(what, items, width_for(items), LARGE);
    for (uint number = 0; number < plan[turn]; ++number) {
        const uint item = plan[TURNS + number];
        const ulong first = first_unit(items, item) + get_global_id(0), end = first_unit(items, item + 1);
        if (first < end)
            visit(what, item, first, end, (uint)get_global_size(0));
    }
}
#endif
