// Tiles of items and units, equally many in each, whatever the numbers of units are.
//
// Source: Green, McColl and Bader, "GPU Merge Path" (2012); Baxter (2013); Merrill and Garland, "Merge-Based Parallel
//         Sparse Matrix-Vector Multiplication" (2016), for items without units.
// Macros: GROUP_SIZE; EACH, items and units of a work-item; those of balance/units.cl.
//
// Units are lined up in their order, and each item comes behind the last of its units. The first d in this line, a
// diagonal of the merge of both, are as many items as say items_among, and d minus as many units. A tile is TILE of the
// line, so that it has no more than TILE items even if these have no units.

#if !defined(GROUP_SIZE) || !defined(EACH)
#error "balance/merge_path.cl needs the macros GROUP_SIZE and EACH"
#endif

#include "balance/units.cl"

#define TILE (GROUP_SIZE * EACH)

// How many items and units there are.
ulong line_of(const Items *items)
{
    return (ulong)items->count + all_units(items);
}

ulong tiles_of(const Items *items)
{
    return (line_of(items) + TILE - 1) / TILE;
}

// How many items are among the first of the line.
uint items_among(const Items *items, const ulong diagonal)
{
    uint low = (uint)(diagonal - min(diagonal, (ulong)all_units(items)));
    uint high = (uint)min(diagonal, (ulong)items->count);
    while (low < high) {
        const uint middle = low + (high - low) / 2;
        if (units_before(items, middle + 1) <= diagonal - middle - 1)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
