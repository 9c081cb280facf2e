// Direct search: each work-item takes a run of units, and finds the item of the first one in the prefix sums of all.
//
// Source: Busato and Bombieri (2017), section 5.3.1, where a run has one unit.
// Macros: RUN, units of a run, at least one; those of balance/ladder.cl.

#if !defined(RUN) || RUN < 1
#error "balance/direct_search.cl needs the macro RUN of at least 1"
#endif

#if LADDER == DIRECT_SEARCH
#define LADDER_WORDS 0

// The item that a unit belongs to.
uint owner_of_unit(const Items *items, const ulong unit)
{
    uint first = 0, last = items->count - 1;
    while (first < last) {
        const uint middle = last - (last - first) / 2;
        if (items->prefixes[middle] <= unit)
            first = middle;
        else
            last = middle - 1;
    }
    return first;
}

void share_out(const BALANCED *what, const Items *items, __global const uint *plan, const uint turn,
               __local uint *words)
{
    const ulong stride = (ulong)RUN * get_global_size(0);
    for (ulong begin = items->first + (ulong)RUN * get_global_id(0); begin < items->last; begin += stride) {
        const ulong end = min(begin + RUN, items->last);
        uint item = owner_of_unit(items, begin);
        for (ulong unit = begin; unit < end; ++item) {
            const ulong own_end = min(end, (ulong)items->prefixes[item + 1]);
            if (unit < own_end)  // not an item without units
                visit(what, item, unit, own_end, 1);
            unit = own_end;
        }
    }
}
#endif
