// Items and their units, as prefix sums give them: what every rung of the ladder shares out.
//
// Macros: OFFSET, type of the prefix sums: uint, or ulong.
//
// The units of all items are numbered from 0 on, one item after the other: those of item i have the numbers from
// prefixes[i] on, below prefixes[i + 1]. An item may have none. A launch shares out the units from `first` on, below
// `last`, which are fewer than 2^31; an item has only those of its units that lie there.

#ifndef OFFSET
#error "balance/units.cl needs the macro OFFSET"
#endif

#include "core/language.cl"

#define TURNS 3  // counters of a queue of large items, of which each round uses the next one

typedef struct {
    __global const OFFSET *prefixes;  // count + 1
    uint count;
    ulong first, last;
} Items;

Items items_of(__global const OFFSET *prefixes, const uint count, const ulong first, const ulong last)
{
    const Items items = {prefixes, count, first, max(first, min((ulong)prefixes[count], last))};
    return items;
}

// The number of the first unit of an item, or of the item behind the last one.
ulong first_unit(const Items *items, const uint item)
{
    return clamp((ulong)items->prefixes[item], items->first, items->last);
}

// How many units of the launch come before those of an item.
uint units_before(const Items *items, const uint item)
{
    return (uint)(first_unit(items, item) - items->first);
}

uint all_units(const Items *items)
{
    return (uint)(items->last - items->first);
}
