// How many units there are up to the end of each of some items, in local memory, and the search in them.
//
// Macros: those of balance/units.cl.

// Ends of `size` items from `base` on, by a work-group; those behind the last item have no units. The first of them are
// in place for others after a barrier.
void load_ends(const Items *items, const uint base, const uint size, __local uint *ends)
{
    for (uint number = get_local_id(0); number < size; number += get_local_size(0))
        ends[number] = units_before(items, min(base + number + 1, items->count));
}

// The first of `size` items, a power of 2, that ends behind a unit; the last one at most.
uint owner_among(__local const uint *ends, const uint size, const uint unit)
{
    uint owner = 0;
    for (uint step = size / 2; step; step /= 2)
        owner += ends[owner + step - 1] <= unit ? step : 0;
    return owner;
}
